import { get } from '@turnwise/core/bounds'

/** How a type of message is drawn: the same hue in every run of every algorithm, the same letter in every run of one. */
export interface Mark {
  readonly letter: string
  /** From 1 to 6. */
  readonly hue: number
}

export const HUES = 6

/**
 * The kinds of messages by their hue, so that a grant is green wherever it is sent. Of one algorithm that has no more types
 * than there are hues no two share one. What goes between zones has hues that nothing has within them.
 */
const KINDS: readonly (readonly string[])[] = [
  // Somebody asks.
  ['request', 'stir', 'inform', 'successor', 'update', 'inner-request'],
  // The token.
  [
    'token',
    'tokens',
    'privilege',
    'yield',
    'standing',
    'create-privilege',
    'yes-i-am-here',
    'welcome',
    'inner-token',
    'inner-privilege',
  ],
  // Somebody allows it, or answers.
  [
    'reply',
    'grant',
    'control',
    'ack',
    'answer',
    'copy',
    'acquired',
    'present',
    'support',
    'advise',
    'heard',
    'insert',
    'highest',
    'inner-reply',
    'inner-grant',
    'inner-copy',
  ],
  // Somebody goes, or gives back.
  [
    'release',
    'downgrade',
    'returned',
    'leaving',
    'leave',
    'relay',
    'privilege-and-request',
    'recorded',
    'predecessor',
    'quiet',
    'rep-critical',
    'recovered',
    'information',
    'include',
    'inner-release',
    'inner-returned',
    'inner-recall',
  ],
  // Somebody inquires.
  [
    'inquire',
    'recall',
    'deferred',
    'consult',
    'call',
    'restart',
    'coordinator',
    'token-missing',
    'privilege-check',
    'are-you-there',
    'elected',
    'join',
    'recovering',
    'outer-request',
    'outer-recall',
  ],
  // Somebody refuses, or something has failed.
  [
    'fail',
    'failed',
    'failure',
    'nack',
    'election',
    'false-alarm',
    'no-crit',
    'farewell',
    'table',
    'rejoin',
    // Between zones.
    'outer-token',
    'outer-privilege',
    'outer-reply',
    'outer-copy',
    'outer-returned',
  ],
]

export const HUE_OF: ReadonlyMap<string, number> = new Map(
  KINDS.flatMap((types, index) => types.map((type) => [type, index + 1] as const)),
)

/** A type that is not listed, of an algorithm that is not in the catalogue, has a hue by its name. */
function hueOf(type: string): number {
  const sum = type.split('').reduce((total, letter) => total + letter.charCodeAt(0), 0)
  return HUE_OF.get(type) ?? (sum % HUES) + 1
}

/** Marks of the types of a run, which were `sent`; `declared` are all of the algorithm, in its own order. */
export function marksOf(
  sent: readonly string[],
  declared: readonly string[] = [],
): ReadonlyMap<string, Mark> {
  const marks = new Map<string, Mark>()
  const taken = new Map<string, string>()
  for (const type of new Set([...declared, ...sent])) {
    const letter = letterCandidates(type, taken).find((candidate) => !taken.has(candidate)) ?? '?'
    taken.set(letter, type)
    if (sent.includes(type)) marks.set(type, { letter, hue: hueOf(type) })
  }
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
