import type { NodeId } from '@turnwise/core/algorithm'
import { BeyondReach } from './beyond-reach.ts'
import { Edges } from './edges.ts'
import type { Instance } from './instance.ts'
import { StateStore } from './state-store.ts'
import { INSIDE, MOST_NUMBERS, WAITING, Worlds } from './worlds.ts'

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
  /** What was seen: who entered, two waiting at once, how many inside together. */
  enteredNodes = 0
  competed = false
  mostInside = 0
  isOver = false
  cutShort = false
  readonly followsFences: boolean
  readonly #most: number
  readonly #world = new Int32Array(MOST_NUMBERS)
  #expanded = 0
  #levelEnd = 1

  constructor(instance: Instance, options: { mostStates: number; edges: boolean; followFences: boolean }) {
    this.worlds = new Worlds(instance, { followFences: options.followFences, concrete: false })
    this.edges = options.edges ? new Edges() : null
    this.followsFences = options.followFences
    this.#most = options.mostStates
    const size = this.worlds.initial(this.#world)
    this.store.add(this.#world, size, 0)
    this.#judge(0, this.#world, size)
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
    if (this.store.isNew) this.#judge(to, next, size)
  }

  #judge(state: number, world: Int32Array, size: number): void {
    const { setup } = this.worlds.instance
    let inside = 0
    let waiting = 0
    for (let node = 0; node < setup.nodes; node += 1) {
      const flags = this.worlds.flagsOf(world, node)
      if ((flags & INSIDE) !== 0) inside += 1
      if ((flags & WAITING) !== 0) waiting += 1
    }
    if (waiting > 1) this.competed = true
    if (inside > this.mostInside) this.mostInside = inside
    if (inside > setup.entries) {
      this.#fail('exclusion', state, `nodes ${this.#nodesWith(world, INSIDE).join(', ')} are inside together`)
    }
    const tokens = this.worlds.tokensIn(world, size)
    if (tokens > setup.entries) this.#fail('one-token', state, `there are ${tokens} tokens`)
  }

  /** Nothing can happen by itself any more: then nobody may be waiting. */
  #judgeStandstill(state: number): void {
    const waiting = this.#nodesWith(this.#world, WAITING)
    if (waiting.length === 0) return
    const who = waiting.length === 1 ? `node ${waiting[0]} waits` : `nodes ${waiting.join(', ')} wait`
    this.#fail('no-deadlock', state, `${who}, and nothing can happen but new requests`)
  }

  #nodesWith(world: Int32Array, flag: number): NodeId[] {
    const { nodes } = this.worlds.instance.setup
    return Array.from({ length: nodes }, (_, node) => node).filter(
      (node) => (this.worlds.flagsOf(world, node) & flag) !== 0,
    )
  }

  #fail(property: string, state: number, reason: string, from: number | null = null): void {
    this.failure ??= { property, state, from, reason }
  }
}
