import { get } from '@turnwise/core/bounds'

/** How a type of message is drawn: the same letter and hue everywhere. */
export interface Mark {
  readonly letter: string
  /** From 1 to 6. */
  readonly hue: number
}

export const HUES = 6

/** Marks of all types of a run, in the order in which they were first sent. */
export function marksOf(types: readonly string[]): ReadonlyMap<string, Mark> {
  const marks = new Map<string, Mark>()
  const taken = new Map<string, string>()
  types.forEach((type, index) => {
    const letter = letterCandidates(type, taken).find((candidate) => !taken.has(candidate)) ?? '?'
    taken.set(letter, type)
    marks.set(type, { letter, hue: (index % HUES) + 1 })
  })
  return marks
}

/** The first letter; where that is taken, with the initial of the next word, or the letter that tells the two apart. */
function letterCandidates(type: string, taken: ReadonlyMap<string, string>): string[] {
  const name = type.toLowerCase()
  const words = name.split(/[^a-z]+/)
  const first = type.charAt(0).toUpperCase()
  const rival = (taken.get(first) ?? '').toLowerCase()
  const letters = name.split('')
  const differs = letters.findIndex((letter, i) => letter !== rival.charAt(i))
  const second = [words.length > 1 ? get(words, 1).charAt(0) : '', name.charAt(differs), ...letters.slice(1)]
  return [first, ...second.filter((letter) => /[a-z]/.test(letter)).map((letter) => first + letter)]
}
