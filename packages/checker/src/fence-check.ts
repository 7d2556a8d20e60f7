import type { Instance } from './instance.ts'
import { decided, failed, type PropertyResult } from './property.ts'
import { Search } from './search.ts'

/** Fences grow with every entry, so where any number of requests is allowed they are followed over so many. */
const MOST_REQUESTS = 2

/**
 * Fences rise: decided by a search of its own, because the last fence has to be part of the world. It does not
 * depend on the other properties, so it can run in another thread.
 */
export class FenceCheck {
  readonly search: Search
  readonly #bound: string | null

  constructor(instance: Instance, mostStates: number) {
    const requests = instance.requests ?? MOST_REQUESTS
    this.#bound = instance.requests === null ? `checked for ${requests} requests of each node` : null
    this.search = new Search({ ...instance, requests }, { mostStates, edges: false, followFences: true })
  }

  /** Expands up to `most` worlds; true when it is decided. */
  run(most: number): boolean {
    return this.search.run(most)
  }

  /** Worlds in which another property fails end the search before fences are decided. */
  get result(): PropertyResult {
    const { failure, isComplete } = this.search
    if (failure?.property === 'fences-rise')
      return failed('fences-rise', this.search, failure.state, failure.reason)
    return decided('fences-rise', isComplete ? true : null, this.#bound)
  }
}
