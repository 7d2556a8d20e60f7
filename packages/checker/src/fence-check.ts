import { isElection } from '@turnwise/core/algorithm'
import { keepsAllFences } from './given-fences.ts'
import type { Instance } from './instance.ts'
import { decided, failed, isAsked, type PropertyResult, undecidedInStates } from './property.ts'
import { Search } from './search.ts'

/** Elections give out none. */
export function asksForFences(instance: Instance): boolean {
  return !isElection(instance.algorithm) && isAsked(instance, 'fences-rise')
}

/**
 * Fences rise: decided by a search of its own, because the last fence has to be part of the world. It does not
 * depend on the other properties, so it can run in another thread.
 *
 * With the fences there are more worlds, sometimes without end: where arbiters remember the fences they heard of, one
 * that is never asked falls behind for ever. So a search that grows too large is tried again with fewer requests; that
 * result is reported, but proves nothing for more requests. If fences only tell entries apart, runs of any length would
 * have to remember them all. If there are several resources, a node may wait with an early number for one of them while others go
 * on for ever. A zone that is not asked falls behind, too. There even the first attempt has a bound. It also has one where distances of
 * clock values are bounded (`Gaps`): fences are compared as they are given out.
 */
export class FenceCheck {
  readonly #instance: Instance
  readonly #mostStates: number
  /** Numbers of requests still to be tried, fewer and fewer. */
  readonly #attempts: (number | null)[]
  #search: Search

  constructor(instance: Instance, mostStates: number) {
    const { requests, gaps, ...rest } = instance
    this.#instance = { requests, ...rest }
    this.#mostStates = mostStates
    this.#attempts =
      requests === null ? [2, 1] : Array.from({ length: requests - 1 }, (_, i) => requests - 1 - i)
    const { algorithm, setup } = instance
    const fallsBehind = gaps !== undefined || setup.resources > 1 || algorithm.facts.zones === true
    const hasNoEnd = requests === null && (keepsAllFences(instance) || fallsBehind)
    this.#search = this.#searchFor(hasNoEnd ? (this.#attempts.shift() ?? null) : requests)
  }

  /** States found by the attempt at hand. */
  get states(): number {
    return this.#search.states
  }

  /** Expands up to `most` worlds; true when it is decided. */
  run(most: number): boolean {
    if (!this.#search.run(most)) return false
    if (!this.#search.cutShort || this.#attempts.length === 0) return true
    this.#search = this.#searchFor(this.#attempts.shift() ?? null)
    return false
  }

  get result(): PropertyResult {
    const { failure, isComplete, worlds } = this.#search
    if (failure?.property === 'fences-rise')
      return failed('fences-rise', this.#search, failure.state, failure.reason)
    // A world in which another property fails ends the search before fences are decided.
    if (!isComplete || this.#search.leftOut !== null) return undecidedInStates('fences-rise', this.#search)
    const { requests } = worlds.instance
    if (requests === this.#instance.requests) return decided('fences-rise', true)
    const bound = requests === 1 ? '1 request' : `${requests} requests`
    return decided('fences-rise', null, `holds for ${bound} of each node; the search for more grew too large`)
  }

  /** The last attempt may use all there is; those before it leave room for it. */
  #searchFor(requests: number | null): Search {
    const mostStates = this.#attempts.length === 0 ? this.#mostStates : Math.ceil(this.#mostStates / 2)
    return new Search({ ...this.#instance, requests }, { mostStates, edges: false, followFences: true })
  }
}
