/**
 * The kind of a name is part of its key, so that all members agree on it without a message. `#4=pool` is a semaphore with four
 * permits. `#4/raymond-k=pool` is one that the named algorithm serves. `&east,west=stock` is a group of two names. `^=` begins
 * the key of an election, and `=` that of a lock. The lock manager adds these prefixes to names.
 */

export function lockKey(name: string): string {
  return signed('', name)
}

export function semaphoreKey(name: string, permits: number, algorithm: string | null): string {
  return signed(`#${permits}${algorithm === null ? '' : `/${algorithm}`}`, name)
}

/** The names are sorted, so that all members number them alike: the first is resource 0. */
export function groupKey(name: string, names: readonly string[]): string {
  return signed(`&${names.toSorted().map(escaped).join()}`, name)
}

/** In characters. The longest is that of a job whose name of 250 characters has an unpaired surrogate. */
export const LONGEST_KEY = 1026

/** Without the characters that end a name or the list, and without surrogates that UTF-8 cannot carry. */
function escaped(name: string): string {
  return name.replaceAll(/[%,=~]|\p{Surrogate}/gu, (sign) => `%${toNumbers(sign)}`)
}

/** An election is a lock that the winner keeps. Its names are separate from those of locks. */
export function electionKey(name: string): string {
  return signed('^', name)
}

/** The lock under which a job runs once for each fire time. Callers cannot ask for it: names that begin with "-" are reserved. */
export function onceKey(name: string): string {
  return lockKey(`${ONCE}${name}`)
}

const ONCE = '-once/'

/** The name of the job whose lock this is. Null for other keys. */
export function jobOf(key: string): string | null {
  const name = nameOf(key)
  return isLock(key) && name.startsWith(ONCE) ? name.slice(ONCE.length) : null
}

/** The name that a permission is about: of a job its own, and not that of its lock. */
export function permittedName(key: string): string {
  return jobOf(key) ?? nameOf(key)
}

/** A name may contain an unpaired surrogate, which UTF-8 cannot carry. Such names travel as hexadecimal numbers. */
function signed(sign: string, name: string): string {
  return /\p{Surrogate}/u.test(name) ? `${sign}~=${toNumbers(name)}` : `${sign}=${name}`
}

/** How many callers may be inside together; of a group, with the same name. */
export function permitsOf(key: string): number {
  return key.startsWith('#') ? Number.parseInt(key.slice(1), 10) : 1
}

export function isGroup(key: string): boolean {
  return key.startsWith('&')
}

/** The names of a group, each at the place of its number. */
export function namesIn(key: string): readonly string[] {
  return listIn(key)
    .split(',')
    .map((name) => name.replaceAll(/%(.{4})/g, (_, digits: string) => fromNumbers(digits)))
}

/** The names of a group with these numbers. A member may tell of a number that the group does not have. */
export function namesHeld(
  key: string,
  { resources = [] }: { readonly resources?: readonly number[] },
): readonly string[] {
  const names = namesIn(key)
  return resources.flatMap((each) => names[each] ?? [])
}

function listIn(key: string): string {
  const end = key.indexOf('=')
  return key.slice(1, key[end - 1] === '~' ? end - 1 : end)
}

/** How many resources a request chooses from: the names of a group, and one for all other kinds. */
export function resourcesIn(key: string): number {
  return isGroup(key) ? listIn(key).split(',').length : 1
}

/** A request says which names it wants by their numbers, in one message. */
export const MOST_IN_GROUP = 64
/** More callers of one node are seldom inside together. Each seat makes the way of the control token a little longer. */
export const SEATS_OF_GROUP = 8

/**
 * From how many places each node enters a name: one for a lock, one per permit for a semaphore, a few for a group. NaN for a group
 * that cannot be: its key comes from outside.
 */
export function seatsOf(key: string): number {
  if (!isGroup(key)) return permitsOf(key)
  const count = resourcesIn(key)
  return count < 2 || count > MOST_IN_GROUP ? Number.NaN : Math.min(count, SEATS_OF_GROUP)
}

/** The algorithm that a semaphore names. Null if it names none, and for locks. */
export function algorithmIn(key: string): string | null {
  return /^#\d+\/([^=~]+)~?=/.exec(key)?.[1] ?? null
}

export function isLock(key: string): boolean {
  return key.startsWith('=') || key.startsWith('~=')
}

export const KINDS = ['lock', 'semaphore', 'group', 'election'] as const
export type Kind = (typeof KINDS)[number]

export function kindOf(key: string): Kind {
  if (isLock(key)) return 'lock'
  if (isGroup(key)) return 'group'
  return key.startsWith('#') ? 'semaphore' : 'election'
}

/** The name that the user chose. */
export function nameOf(key: string): string {
  const end = key.indexOf('=')
  const name = key.slice(end + 1)
  return key[end - 1] === '~' ? fromNumbers(name) : name
}

/** Four hexadecimal digits for each UTF-16 code unit. */
function toNumbers(text: string): string {
  return Array.from({ length: text.length }, (_, i) => text.charCodeAt(i).toString(16).padStart(4, '0')).join(
    '',
  )
}

function fromNumbers(numbers: string): string {
  return numbers.replaceAll(/.{4}/g, (digits) => String.fromCharCode(Number.parseInt(digits, 16)))
}
