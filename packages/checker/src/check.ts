import { isElection } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { TICKS_PER_UNIT } from '@turnwise/core/trace/trace'
import { cannotEnter, Explored } from './explored.ts'
import { type Extremes, extremesOf, messagesPerTurn, type Range } from './extremes.ts'
import type { Instance } from './instance.ts'
import { statesTo, traceOf } from './path.ts'
import {
  decided,
  failed,
  isAsked,
  openWithGaps,
  type PropertyName,
  type PropertyResult,
  undecided,
  undecidedInStates,
} from './property.ts'
import { Search } from './search.ts'
import { requireSound } from './settling-flaw.ts'
import { type Lasso, starvation, stepName } from './starvation.ts'

/** The result of exploring an instance. `FenceCheck` decides whether fences rise. */
export interface CheckResult {
  /** Every state of the instance was visited. */
  readonly complete: boolean
  /** How many different worlds. */
  readonly states: number
  /** Steps from one to another. */
  readonly transitions: number
  /** The longest shortest way from the first world. */
  readonly depth: number
  /** For the states and the steps between them. */
  readonly bytesPerState: number
  /** What was decided, each with its reason. */
  readonly properties: readonly PropertyResult[]
  /** Exact bounds of messages per entry and of overtaking. Null for elections, and if not every state was visited. */
  readonly extremes: Extremes | null
  /** For elections: all messages of the elections called in runs from rest to rest. */
  readonly messagesPerElection: Range
}

/**
 * Explores an instance in slices and decides every property except fences, which are erased here: first the properties
 * of single states, then those of the whole graph.
 */
export class Check {
  readonly search: Search
  readonly #instance: Instance
  #result: CheckResult | null = null

  constructor(instance: Instance, mostStates: number) {
    this.#instance = instance
    this.search = new Search(instance, {
      mostStates,
      edges: instance.reduced === undefined,
      followFences: false,
    })
  }

  /** Expands up to `most` worlds; true when everything was seen, something failed, or the limit was reached. */
  run(most: number): boolean {
    return this.search.run(most)
  }

  /** Ends the search where it stands. */
  stop(): void {
    this.search.stop()
  }

  /** Asked for when the search is over; the analysis of a large graph takes a while. */
  get result(): CheckResult {
    if (this.#result !== null) return this.#result
    const result = this.#conclude()
    if (result.complete && this.#instance.settled === true) requireSound(this.search, result.properties)
    this.#result = result
    return result
  }

  #conclude(): CheckResult {
    const { search } = this
    const isExplored = search.isComplete && search.leftOut === null
    const explored = isExplored && search.edges !== null ? new Explored(search) : null
    const isExact = explored !== null && !this.#hasGaps
    return {
      complete: search.isComplete,
      states: search.states,
      transitions: search.transitions,
      depth: search.depth,
      bytesPerState: (search.store.memory + (search.edges?.memory ?? 0)) / search.states,
      properties: [...this.#safety(isExplored), ...this.#liveness(explored), ...this.#sometimes()]
        .filter(({ name }) => isAsked(this.#instance, name))
        // That something happens is shown by a run, which with gaps may not exist: a search without them shows it.
        .filter(({ name, holds }) => !this.#hasGaps || holds !== true || !name.startsWith('sometimes')),
      extremes: isExact && !this.#holdsElections ? extremesOf(explored) : null,
      messagesPerElection: isExact && this.#holdsElections ? messagesPerTurn(explored) : null,
    }
  }

  #safety(isExplored: boolean): PropertyResult[] {
    const { failure } = this.search
    return this.#stateProperties().map((name) =>
      failure?.property === name
        ? failed(name, this.search, failure.state, failure.reason)
        : isExplored
          ? decided(name, true)
          : undecidedInStates(name, this.search),
    )
  }

  #stateProperties(): PropertyName[] {
    const { algorithm } = this.#instance
    if (isElection(algorithm)) return ['one-coordinator', 'agreement', 'highest', 'no-deadlock', 'rules']
    return [
      'exclusion',
      ...(algorithm.tokens === undefined ? [] : ['one-token' as const]),
      'no-deadlock',
      'rules',
    ]
  }

  #liveness(explored: Explored | null): PropertyResult[] {
    const [can, always] = this.#holdsElections
      ? (['can-end', 'always-ends'] as const)
      : (['can-enter', 'no-starvation'] as const)
    if (explored === null) return [undecided(can, this.search), undecided(always, this.search)]
    const lasso = starvation(explored)
    if (this.#hasGaps) {
      // A way to enter may be one of the runs that do not exist. But where no fair run starves a node, some run lets it in.
      return [can, always].map((name) => (lasso === null ? decided(name, true) : openWithGaps(name)))
    }
    const stuck = cannotEnter(explored)
    return [
      stuck === null
        ? decided(can, true)
        : failed(
            can,
            this.search,
            stuck.state,
            `node ${stuck.node} waits and can never ${this.#holdsElections ? 'hear a result' : 'enter again'}`,
          ),
      lasso === null ? decided(always, true) : this.#starved(always, lasso),
    ]
  }

  get #hasGaps(): boolean {
    return this.#instance.gaps !== undefined
  }

  get #holdsElections(): boolean {
    return isElection(this.#instance.algorithm)
  }

  #starved(name: PropertyName, { node, state, loop }: Lasso): PropertyResult {
    const stem = statesTo(this.search, state)
    const states = [...stem, ...loop.map(({ to }) => to)]
    const trace = traceOf(
      this.search,
      states,
      (step, to) => to < stem.length || get(loop, to - stem.length).name === stepName(step),
      true,
    )
    const toLoop = traceOf(this.search, stem, undefined, true)
    const repeatsAt = (toLoop.at(-1)?.at ?? 0) + TICKS_PER_UNIT
    return {
      name,
      holds: false,
      reason: `node ${node} waits while the rest repeats for ever`,
      trace,
      repeatsFrom: trace.findIndex(({ at }) => at >= repeatsAt),
    }
  }

  /** Whether anything can happen at all: an algorithm that never lets a node in would pass the rest. */
  #sometimes(): PropertyResult[] {
    const { enteredNodes, competed, mostInside, isComplete, leftOut } = this.search
    const { nodes, entries } = this.#instance.setup
    const seen = (name: PropertyName, wasSeen: boolean, reason: string): PropertyResult => {
      if (wasSeen || !isComplete || leftOut !== null) return decided(name, wasSeen ? true : null)
      return { name, holds: false, reason, trace: null, repeatsFrom: null }
    }
    const compete = seen('sometimes-compete', competed, 'no two nodes ever wait together')
    if (this.#holdsElections) {
      const elects = seen('sometimes-elects', enteredNodes !== 0, 'no run has a result')
      // Of two living nodes the highest may have its result in the step in which it calls.
      return nodes - this.#instance.setup.dead.length > 2 ? [elects, compete] : [elects]
    }
    const results = [
      seen('sometimes-enters', enteredNodes !== 0, 'no run lets anyone in'),
      seen('sometimes-all-enter', enteredNodes === 2 ** nodes - 1, 'some node is let in by no run'),
    ]
    // With a place for every node, none need ever wait.
    if (nodes > entries) results.push(compete)
    if (entries > 1)
      results.push(seen('sometimes-full', mostInside >= entries, `no run has ${entries} inside together`))
    if (someAreDisjoint(this.#instance))
      results.push(
        seen('sometimes-together', mostInside > 1, 'no run has two inside with different resources'),
      )
    return results
  }
}

/** Whether two nodes can ask for resources of which none is the same. */
function someAreDisjoint({ sets = [] }: Instance): boolean {
  return sets.some((mine, node) =>
    sets
      .slice(node + 1)
      .flat()
      .some((theirs) => mine.some((set) => !set.some((resource) => theirs.includes(resource)))),
  )
}
