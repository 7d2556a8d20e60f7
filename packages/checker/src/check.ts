import type { NodeId } from '@turnwise/core/algorithm'
import { TICKS_PER_UNIT, type TraceEvent } from '@turnwise/core/trace/trace'
import { cannotEnter, Explored } from './explored.ts'
import { type Extremes, extremesOf } from './extremes.ts'
import type { Instance } from './instance.ts'
import { statesTo, traceOf } from './path.ts'
import { Search } from './search.ts'
import { starvation } from './starvation.ts'

export type PropertyName =
  | 'exclusion'
  | 'one-token'
  | 'no-deadlock'
  | 'rules'
  | 'can-enter'
  | 'no-starvation'
  | 'fences-rise'
  | 'sometimes-enters'
  | 'sometimes-all-enter'
  | 'sometimes-compete'

/** What was found out about a property. */
export interface PropertyResult {
  readonly name: PropertyName
  /** Null if the search ended before it could be decided. */
  readonly holds: boolean | null
  /** Why it fails, or how far it was checked. */
  readonly reason: string | null
  /** A shortest run that shows the failure. */
  readonly trace: readonly TraceEvent[] | null
  /** Where in the trace a part begins that repeats for ever. */
  readonly repeatsFrom: number | null
}

export interface CheckResult {
  /** Every state of the instance was visited. */
  readonly complete: boolean
  readonly states: number
  readonly transitions: number
  readonly depth: number
  /** Bytes per state, for the states and the steps between them. */
  readonly bytesPerState: number
  readonly properties: readonly PropertyResult[]
  readonly extremes: Extremes | null
}

export interface CheckLimits {
  readonly mostStates: number
}

/** Fences grow with every entry, so they are followed over so many requests of each node where any number is asked for. */
const FENCE_REQUESTS = 2

/**
 * Explores an instance and decides every property, in slices. First all worlds with fences erased, then what
 * the whole graph shows, then the worlds once more with the last fence in them.
 */
export class Check {
  readonly instance: Instance
  readonly search: Search
  #fences: Search | null = null
  readonly #limits: CheckLimits
  #result: CheckResult | null = null

  constructor(instance: Instance, limits: CheckLimits) {
    this.instance = instance
    this.#limits = limits
    this.search = new Search(instance, { mostStates: limits.mostStates, edges: true, followFences: false })
  }

  /** States found so far. */
  get states(): number {
    return this.search.states + (this.#fences?.states ?? 0)
  }

  get result(): CheckResult | null {
    return this.#result
  }

  /** Expands up to `most` worlds; true when the result is there. */
  run(most: number): boolean {
    if (this.#result !== null) return true
    if (!this.search.run(most)) return false
    if (this.search.isComplete) {
      this.#fences ??= this.#startFences()
      if (!this.#fences.run(most)) return false
    }
    this.#result = this.#conclude()
    return true
  }

  #startFences(): Search {
    const requests = this.instance.requests ?? FENCE_REQUESTS
    const options = { mostStates: this.#limits.mostStates, edges: false, followFences: true }
    return new Search({ ...this.instance, requests }, options)
  }

  #conclude(): CheckResult {
    const { search } = this
    const explored = search.isComplete ? new Explored(search) : null
    return {
      complete: search.isComplete,
      states: search.states,
      transitions: search.transitions,
      depth: search.depth,
      bytesPerState: (search.store.memory + (search.edges?.memory ?? 0)) / search.states,
      properties: [
        ...this.#safety(),
        ...(explored === null ? this.#undecided(['can-enter', 'no-starvation']) : this.#liveness(explored)),
        this.#fencesRise(),
        ...this.#sometimes(),
      ],
      extremes: explored === null ? null : extremesOf(explored),
    }
  }

  #safety(): PropertyResult[] {
    const { tokens } = this.instance.algorithm
    const names: PropertyName[] = [
      'exclusion',
      ...(tokens === undefined ? [] : ['one-token' as const]),
      'no-deadlock',
      'rules',
    ]
    const { failure } = this.search
    return names.map((name) => {
      if (failure?.property === name) return this.#failed(name, this.search, failure.state, failure.reason)
      return { ...BLANK, name, holds: this.search.isComplete ? true : null }
    })
  }

  #liveness(explored: Explored): PropertyResult[] {
    const stuck = cannotEnter(explored)
    const lasso = starvation(explored)
    return [
      stuck === null
        ? { ...BLANK, name: 'can-enter', holds: true }
        : this.#failed(
            'can-enter',
            this.search,
            stuck.state,
            `node ${stuck.node} waits and can never enter again`,
          ),
      lasso === null
        ? { ...BLANK, name: 'no-starvation', holds: true }
        : this.#starved(lasso.node, lasso.state, lasso.loop),
    ]
  }

  #fencesRise(): PropertyResult {
    const fences = this.#fences
    if (fences === null) return { ...BLANK, name: 'fences-rise', holds: null }
    if (fences.failure?.property === 'fences-rise') {
      return this.#failed('fences-rise', fences, fences.failure.state, fences.failure.reason)
    }
    const bound =
      this.instance.requests === null ? `checked for ${FENCE_REQUESTS} requests of each node` : null
    return { ...BLANK, name: 'fences-rise', holds: fences.isComplete ? true : null, reason: bound }
  }

  /** That something can happen at all: an algorithm that never lets anyone in would pass the rest. */
  #sometimes(): PropertyResult[] {
    const { search } = this
    const { nodes } = this.instance.setup
    const decided = (name: PropertyName, seen: boolean, reason: string): PropertyResult => ({
      ...BLANK,
      name,
      holds: seen ? true : search.isComplete ? false : null,
      reason: seen || !search.isComplete ? null : reason,
    })
    const all = 2 ** nodes - 1
    const results = [
      decided('sometimes-enters', search.enteredNodes !== 0, 'no run lets anyone in'),
      decided('sometimes-all-enter', search.enteredNodes === all, 'some node is let in by no run'),
    ]
    if (nodes > 1)
      results.push(decided('sometimes-compete', search.competed, 'no two nodes ever wait together'))
    return results
  }

  #failed(name: PropertyName, search: Search, state: number, reason: string): PropertyResult {
    const trace = traceOf(search, statesTo(search, state))
    return {
      name,
      holds: false,
      reason,
      trace: [...trace, violation(trace, name, reason)],
      repeatsFrom: null,
    }
  }

  #starved(node: NodeId, state: number, loop: readonly number[]): PropertyResult {
    const stem = statesTo(this.search, state)
    const trace = traceOf(this.search, [...stem, ...loop])
    const repeatsAt = stem.length * TICKS_PER_UNIT
    return {
      name: 'no-starvation',
      holds: false,
      reason: `node ${node} waits while the rest repeats for ever`,
      trace,
      repeatsFrom: trace.findIndex(({ at }) => at >= repeatsAt),
    }
  }

  #undecided(names: readonly PropertyName[]): PropertyResult[] {
    return names.map((name) => ({ ...BLANK, name, holds: null }))
  }
}

const BLANK = { reason: null, trace: null, repeatsFrom: null }

function violation(trace: readonly TraceEvent[], judge: string, text: string): TraceEvent {
  return { at: trace.at(-1)?.at ?? 0, is: 'violation', judge, nodes: [], text }
}
