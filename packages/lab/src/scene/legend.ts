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
  const taken = new Set<string>()
  types.forEach((type, index) => {
    const letters = letterCandidates(type)
    const letter = letters.find((candidate) => !taken.has(candidate)) ?? letters[0]
    taken.add(letter)
    marks.set(type, { letter, hue: (index % HUES) + 1 })
  })
  return marks
}

/** The first letter, else one that tells it apart: the later words first, then every letter of the word. */
function letterCandidates(type: string): string[] {
  const letters = type.replace(/[^a-z]/gi, '').toUpperCase()
  const initials = type.split(/[^a-z]+/i).map((word) => word.charAt(0).toUpperCase())
  const pairs = [...letters].slice(1).map((letter) => letters.charAt(0) + letter.toLowerCase())
  return [letters.charAt(0) || '?', initials.slice(0, 2).join(''), ...pairs]
}
