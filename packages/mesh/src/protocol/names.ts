/**
 * What a name stands for is part of the name, so that all members agree on it without a word: `#4=pool` is a semaphore
 * with four permits, anything else a lock. The lock manager puts a sign before every name it is given.
 */
export function lockKey(name: string): string {
  return `=${name}`
}

export function semaphoreKey(name: string, permits: number): string {
  return `#${permits}=${name}`
}

/** Elections are locks that whoever wins keeps; their names are their own. */
export function electionKey(name: string): string {
  return `^=${name}`
}

/** How many may be inside together. */
export function permitsOf(key: string): number {
  return key.startsWith('#') ? Number.parseInt(key.slice(1), 10) : 1
}

/** What the user called it. */
export function nameOf(key: string): string {
  return key.slice(key.indexOf('=') + 1)
}
