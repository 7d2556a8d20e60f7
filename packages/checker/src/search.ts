import { BeyondReach } from './beyond-reach.ts'
import { Edges } from './edges.ts'
import type { Instance } from './instance.ts'
import { judgeOf, type WorldJudge } from './judge.ts'
import { MOST_NUMBERS } from './layout.ts'
import { StateStore } from './state-store.ts'
import { Worlds } from './worlds.ts'

/** A property that failed in a state, or on the step into it. */
export interface Failure {
  readonly property: string
  readonly state: number
  /** Where the step came from, if it was the step that failed; null if the state itself does. */
  readonly from: number | null
  readonly reason: string
}

/**
 * Breadth-first exploration of all worlds of an instance, stepped in slices. The first failure found is one
 * with a shortest path. It ends when everything was seen, at the first failure, or at the limit.
 */
export class Search {
  readonly worlds: Worlds
  readonly store = new StateStore()
  /** Where each step leads: what the properties over whole runs are decided on. Null if it was not asked for. */
  readonly edges: Edges | null
  failure: Failure | null = null
  transitions = 0
  /** The longest shortest path from the first world. */
  depth = 0
  /** Who entered, or saw the end of an election it called, in some run: one bit per node. */
  enteredNodes = 0
  isOver = false
  cutShort = false
  readonly followsFences: boolean
  readonly #most: number
  readonly #judge: WorldJudge
  readonly #world = new Int32Array(MOST_NUMBERS)
  #expanded = 0
  #levelEnd = 1

  constructor(instance: Instance, options: { mostStates: number; edges: boolean; followFences: boolean }) {
    this.worlds = new Worlds(instance, { followFences: options.followFences, concrete: false })
    this.edges = options.edges ? new Edges() : null
    this.followsFences = options.followFences
    this.#most = options.mostStates
    this.#judge = judgeOf(this.worlds)
    const size = this.worlds.initial(this.#world)
    this.store.add(this.#world, size, 0)
    this.#judgeWorld(0, this.#world, size)
  }

  /** In some run two waited at once. */
  get competed(): boolean {
    return this.#judge.competed
  }

  get mostInside(): number {
    return this.#judge.mostInside
  }

  get states(): number {
    return this.store.length
  }

  get isComplete(): boolean {
    return this.isOver && !this.cutShort && this.failure === null
  }

  /** Expands up to `most` worlds; true when the search is over. */
  run(most: number): boolean {
    try {
      this.#expandUpTo(most)
    } catch (error) {
      // A world too large to hold ends the search as a limit does.
      if (!(error instanceof BeyondReach)) throw error
      this.stop()
    }
    return this.isOver
  }

  #expandUpTo(most: number): void {
    for (let i = 0; i < most && !this.isOver; i += 1) {
      if (this.failure !== null || this.#expanded === this.store.length) this.isOver = true
      else if (this.store.length >= this.#most) this.stop()
      else this.#expandNext()
    }
  }

  /** Ends the search where it stands. */
  stop(): void {
    if (this.isOver) return
    this.isOver = true
    this.cutShort = true
  }

  #expandNext(): void {
    const state = this.#expanded
    if (state === this.#levelEnd) {
      this.depth += 1
      this.#levelEnd = this.store.length
    }
    this.#expanded += 1
    const size = this.store.read(state, this.#world)
    this.edges?.startState()
    this.worlds.expand(this.#world, size, (next, nextSize) => this.#reach(state, next, nextSize))
    if (!this.worlds.couldProgress) this.#judgeStandstill(state)
  }

  #reach(from: number, next: Int32Array, size: number): void {
    const { step } = this.worlds
    this.transitions += 1
    const to = this.store.add(next, size, from)
    this.edges?.add(to, step.messages, step.entered ? step.node : -1)
    if (step.entered) this.enteredNodes |= 1 << step.node
    if (this.failure !== null) return
    if (step.outcome !== null && step.outcome.broke !== null)
      this.#fail('rules', to, step.outcome.broke, from)
    if (step.staleFence !== null) this.#fail('fences-rise', to, step.staleFence, from)
    if (this.store.isNew) this.#judgeWorld(to, next, size)
  }

  #judgeWorld(state: number, world: Int32Array, size: number): void {
    const finding = this.#judge.world(world, size)
    if (finding !== null) this.#fail(finding.property, state, finding.reason)
  }

  #judgeStandstill(state: number): void {
    const finding = this.#judge.standstill(this.#world)
    if (finding !== null) this.#fail(finding.property, state, finding.reason)
  }

  #fail(property: string, state: number, reason: string, from: number | null = null): void {
    this.failure ??= { property, state, from, reason }
  }
}
