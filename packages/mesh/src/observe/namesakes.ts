/**
 * Semaphores and groups that have the same name and differ in their permits, names or algorithm. Each is a thing of its own, so more
 * callers are inside than either allows. Usually a deployment has changed the number in one place and not yet in the other.
 */
import { algorithmIn, isGroup, kindOf, nameOf, namesIn, permitsOf } from '../protocol/names.ts'

/** Whether a key tells a number of permits or a list of names. */
export function isSized(key: string): boolean {
  return key.startsWith('#') || isGroup(key)
}

/** How many milliseconds one is remembered that nobody uses any more. */
const REMEMBERED = 60_000

export class Namesakes {
  /** By kind and name: when each of the keys was last in use here. */
  readonly #seen = new Map<string, Map<string, number>>()

  /**
   * `used`: since the last look, by callers of this node or by messages of others, and all that members held when a view began.
   * `active`: those whose state is at work here, among them all that this node holds.
   */
  look(used: Iterable<string>, active: { has(key: string): boolean }, now: number): void {
    for (const key of used) {
      if (!isSized(key)) continue
      const both = `${kindOf(key)} ${nameOf(key)}`
      const variants = this.#seen.get(both) ?? new Map<string, number>()
      this.#seen.set(both, variants.set(key, now))
    }
    for (const [both, variants] of this.#seen) {
      for (const [key, at] of variants) {
        if (active.has(key)) variants.set(key, now)
        else if (now - at > REMEMBERED) variants.delete(key)
      }
      if (variants.size === 0) this.#seen.delete(both)
    }
  }

  /** One line for each name that is used in several ways. */
  get lines(): readonly string[] {
    const several = [...this.#seen.values()].filter(({ size }) => size > 1)
    return several.map((variants) => lineOf([...variants.keys()].toSorted()))
  }
}

function lineOf(keys: readonly string[]): string {
  const [first = ''] = keys
  const name = `${kindOf(first)} "${nameOf(first)}"`
  if (isGroup(first)) {
    const lists = keys.map((key) => `[${namesIn(key).join(', ')}]`)
    return `${name} is used with the lists ${lists.join(' and ')}: each is a group of its own, so two callers can hold the same name`
  }
  const most = keys.reduce((sum, key) => sum + permitsOf(key), 0)
  const ways = keys.map((key) => `with ${permitsOf(key)} permits${by(algorithmIn(key))}`)
  return `${name} is used ${ways.join(' and ')}: each is a semaphore of its own, so up to ${most} callers are inside`
}

function by(algorithm: string | null): string {
  return algorithm === null ? '' : ` by ${algorithm}`
}
