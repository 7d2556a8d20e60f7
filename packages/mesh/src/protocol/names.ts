/**
 * What a name stands for is part of the name, so that all members agree on it without a word: `#4=pool` is a semaphore
 * with four permits, `#4/raymond-k=pool` one that the named algorithm serves, anything else a lock. The lock manager puts
 * a sign before every name it is given.
 */

export function lockKey(name: string): string {
  return signed('', name)
}

export function semaphoreKey(name: string, permits: number, algorithm: string | null): string {
  return signed(`#${permits}${algorithm === null ? '' : `/${algorithm}`}`, name)
}

/** Elections are locks that whoever wins keeps; their names are their own. */
export function electionKey(name: string): string {
  return signed('^', name)
}

/** The lock under which a job runs once for each fire time. No caller can ask for it: names that begin with "-" are reserved. */
export function onceKey(name: string): string {
  return lockKey(`-once/${name}`)
}

/** Half of a pair is legal in a name, and would not survive the way through UTF-8: such names travel as numbers. */
function signed(sign: string, name: string): string {
  return /\p{Surrogate}/u.test(name) ? `${sign}~=${toNumbers(name)}` : `${sign}=${name}`
}

/** How many may be inside together. */
export function permitsOf(key: string): number {
  return key.startsWith('#') ? Number.parseInt(key.slice(1), 10) : 1
}

/** The algorithm that a semaphore names; null if it leaves that open, and for locks. */
export function algorithmIn(key: string): string | null {
  return /^#\d+\/([^=~]+)~?=/.exec(key)?.[1] ?? null
}

export function isLock(key: string): boolean {
  return key.startsWith('=') || key.startsWith('~=')
}

export function kindOf(key: string): 'lock' | 'semaphore' | 'election' {
  if (isLock(key)) return 'lock'
  return key.startsWith('#') ? 'semaphore' : 'election'
}

/** What the user called it. */
export function nameOf(key: string): string {
  const end = key.indexOf('=')
  const name = key.slice(end + 1)
  return key[end - 1] === '~' ? fromNumbers(name) : name
}

/** Four digits for each unit. */
function toNumbers(text: string): string {
  return Array.from({ length: text.length }, (_, i) => text.charCodeAt(i).toString(16).padStart(4, '0')).join(
    '',
  )
}

function fromNumbers(numbers: string): string {
  return numbers.replaceAll(/.{4}/g, (digits) => String.fromCharCode(Number.parseInt(digits, 16)))
}
