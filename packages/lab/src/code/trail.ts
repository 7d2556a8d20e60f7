import { type AnyProtocol, HANDLERS } from '@turnwise/core/algorithm'
import { noting } from './code-probes.ts'

/** What ran for one event: stretches in the order in which they first ran, by their numbers among those of all files. */
export type Ways = readonly (readonly number[])[]

/** What ran for some events after those told before. Most events go one of a few ways, so a way is told once. */
export interface TrailPart {
  /** Ways that were not gone before. */
  readonly ways: Ways
  /** For each event, from the first one on, the way that it went by its place among all ways; -1 if no handler ran. */
  readonly wayOf: readonly number[]
}

/**
 * Notes what runs in the handlers of a probed algorithm, event by event. Judges and drawers call functions of it too, such as those that
 * count tokens: they are not noted.
 */
export class Trail {
  readonly #known = new Map<string, number>()
  #ways: (readonly number[])[] = []
  #wayOf: number[] = []
  #event = -1
  /** How many events are told, or taken. */
  #told = 0
  readonly #ran = new Set<number>()

  /** The same algorithm. What its handlers run belongs to the event that began last. */
  following(protocol: AnyProtocol): AnyProtocol {
    const noted = (parts: object) =>
      Object.fromEntries(
        (Object.entries(parts) as [string, unknown][]).map(([name, part]) => [name, this.#noted(part)]),
      )
    const handlers = Object.entries(protocol).filter(([name]) =>
      (HANDLERS as readonly string[]).includes(name),
    )
    return {
      ...protocol,
      ...noted(Object.fromEntries(handlers)),
      receive: noted(protocol.receive),
    } as AnyProtocol
  }

  /** An event begins, whose handler may run now. Events come in their order, and some have none. */
  begin(event: number): void {
    this.#settle()
    this.#event = event
  }

  /** What is known since this was called last. */
  take(): TrailPart {
    this.#settle()
    const part = { ways: this.#ways, wayOf: this.#wayOf }
    this.#told += this.#wayOf.length
    this.#ways = []
    this.#wayOf = []
    return part
  }

  #noted(part: unknown): unknown {
    if (typeof part !== 'function') return part
    return (...given: unknown[]) => noting(this.#ran, (): unknown => part(...given))
  }

  #settle(): void {
    if (this.#event >= 0) {
      while (this.#told + this.#wayOf.length < this.#event) this.#wayOf.push(-1)
      this.#wayOf.push(this.#ran.size === 0 ? -1 : this.#way())
      this.#event = -1
    }
    // What ran before the first event prepares the world.
    this.#ran.clear()
  }

  #way(): number {
    const way = [...this.#ran]
    const key = way.join()
    const known = this.#known.get(key)
    if (known !== undefined) return known
    this.#ways.push(way)
    this.#known.set(key, this.#known.size)
    return this.#known.size - 1
  }
}
