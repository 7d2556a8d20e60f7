/**
 * What a name stands for is part of the name, so that all members agree on it without a word: `#4=pool` is a semaphore
 * with four permits, `#4/raymond-k=pool` one that the named algorithm serves, anything else a lock. The lock manager puts
 * a sign before every name it is given.
 */

/** Half of a pair is a legal name, and would not survive the way through UTF-8: such names travel as numbers. */
export function lockKey(name: string): string {
  return !/\p{Surrogate}/u.test(name) ? `=${name}` : `u=${codeUnits(name).join(' ')}`
}

export function semaphoreKey(name: string, permits: number, algorithm: string | null): string {
  return `#${permits}${algorithm === null ? '' : `/${algorithm}`}=${name}`
}

/** Elections are locks that whoever wins keeps; their names are their own. */
export function electionKey(name: string): string {
  return `^=${name}`
}

/** How many may be inside together. */
export function permitsOf(key: string): number {
  return key.startsWith('#') ? Number.parseInt(key.slice(1), 10) : 1
}

/** The algorithm that a semaphore names; null if it leaves that open, and for locks. */
export function algorithmIn(key: string): string | null {
  return /^#\d+\/([^=]+)=/.exec(key)?.[1] ?? null
}

export function isLock(key: string): boolean {
  return key.startsWith('=') || key.startsWith('u=')
}

/** What the user called it. */
export function nameOf(key: string): string {
  const name = key.slice(key.indexOf('=') + 1)
  return key.startsWith('u=') ? String.fromCharCode(...name.split(' ').map(Number)) : name
}

function codeUnits(text: string): number[] {
  return Array.from({ length: text.length }, (_, i) => text.charCodeAt(i))
}
