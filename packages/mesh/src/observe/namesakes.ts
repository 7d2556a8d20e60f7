/**
 * Semaphores and groups that have the same name and differ in their permits, names or algorithm. Each is a thing of its own, so more
 * callers are inside than either allows. Usually a deployment has changed the number in one place and not yet in the other.
 *
 * There may be very many names, and a program may make lists without end. So a tick looks at a bounded number of keys, and a bounded
 * number of namesakes is told.
 */
import { algorithmIn, isGroup, kindOf, nameOf, namesIn, permitsOf } from '../protocol/names.ts'
import { printable } from '../protocol/printable.ts'

/** Whether a key tells a number of permits or a list of names. */
function isSized(key: string): boolean {
  return key.startsWith('#') || isGroup(key)
}

/** How many milliseconds a namesake is told after its last use. */
const REMEMBERED = 60_000
/** How many keys a tick looks at, of those in use and of those that were held. */
const SLICE = 1000
/** How many names are remembered for a minute. */
const MOST_MET = 50_000
/** How many names are told, and in how many ways each is used. */
const MOST_TOLD = 10
const MOST_WAYS = 4
/** How many characters of a name or a list are told. */
const LONGEST = 200

export class Namesakes {
  /** The last key of each kind and name: those met in this minute, and in the one before. */
  #met = new Map<string, string>()
  #metBefore = new Map<string, string>()
  #metSince = Number.NEGATIVE_INFINITY
  /** Of those with several keys: when each of these was last in use here. */
  readonly #several = new Map<string, Map<string, number>>()
  /** What members held when the view began, as far as it was not looked at yet. */
  #held: Iterator<string> | null = null

  /** All that members held when a view began. */
  begun(held: Iterable<string>): void {
    this.#held = held[Symbol.iterator]()
  }

  /**
   * `used`: since the last look, by callers of this node or by messages of others. `active`: those whose state is at work here, among
   * them all that this node holds.
   */
  look(used: Iterable<string>, active: { has(key: string): boolean }, now: number): void {
    if (now - this.#metSince > REMEMBERED || this.#met.size >= MOST_MET) {
      this.#metBefore = this.#met
      this.#met = new Map()
      this.#metSince = now
    }
    let left = SLICE
    for (const key of used) {
      // Most names in use are locks, and to pass them over costs little.
      if (!isSized(key)) continue
      if (left === 0) break
      left -= 1
      this.#meet(key, now)
    }
    for (left = SLICE; this.#held !== null && left > 0; left -= 1) {
      const { done, value } = this.#held.next()
      if (done) this.#held = null
      else if (isSized(value)) this.#meet(value, now)
    }
    for (const [both, ways] of this.#several) {
      for (const [key, at] of ways) {
        if (active.has(key)) ways.set(key, now)
        else if (now - at > REMEMBERED) ways.delete(key)
      }
      if (ways.size < 2) this.#several.delete(both)
    }
  }

  #meet(key: string, now: number): void {
    const both = `${kindOf(key)} ${nameOf(key)}`
    const other = this.#met.get(both) ?? this.#metBefore.get(both) ?? key
    this.#met.set(both, key)
    const ways = this.#several.get(both)
    if (ways === undefined) {
      if (other === key || this.#several.size >= MOST_TOLD) return
      this.#several.set(
        both,
        new Map([
          [other, now],
          [key, now],
        ]),
      )
    } else if (ways.has(key) || ways.size < MOST_WAYS) ways.set(key, now)
  }

  /** One line for each name that is used in several ways. */
  get lines(): readonly string[] {
    return [...this.#several.values()].map((ways) => lineOf([...ways.keys()].toSorted()))
  }
}

function lineOf(keys: readonly string[]): string {
  const [first = ''] = keys
  const name = `${kindOf(first)} "${shown(nameOf(first))}"`
  const others = keys.length < MOST_WAYS ? '' : ', and perhaps in more ways'
  if (isGroup(first)) {
    const lists = keys.map((key) => `[${shown(namesIn(key).join(', '))}]`)
    return `${name} is used with the lists ${lists.join(' and ')}${others}: each is a group of its own, so two callers can hold the same name`
  }
  const most = keys.reduce((sum, key) => sum + permitsOf(key), 0)
  const ways = keys.map((key) => `with ${permitsOf(key)} permits${by(algorithmIn(key))}`)
  return `${name} is used ${ways.join(' and ')}${others}: each is a semaphore of its own, so up to ${most} callers are inside`
}

/** Programs choose these words. */
function shown(words: string): string {
  return printable(words.length > LONGEST ? `${words.slice(0, LONGEST)}…` : words)
}

function by(algorithm: string | null): string {
  return algorithm === null ? '' : ` by ${printable(algorithm)}`
}
