import { outOfBounds } from '@turnwise/core/bounds'
import { BeyondReach } from './beyond-reach.ts'
import { Edges, enteredOf, labelOf } from './edges.ts'
import type { Expansion, Work } from './expander.ts'
import type { Instance } from './instance.ts'
import { judgeOf, type WorldJudge } from './judge.ts'
import { isAsked, type PropertyName } from './property.ts'
import { Reduction } from './reduction.ts'
import { StateStore } from './state-store.ts'
import { Vocabulary } from './vocabulary.ts'
import { type Bound, MOST_NUMBERS } from './world-layout.ts'
import { Worlds } from './worlds.ts'

/** A property that failed in a state, or on the step into it. */
export interface Failure {
  readonly property: PropertyName
  readonly state: number
  /** Where the step came from, if it was the step that failed; null if the state itself does. */
  readonly from: number | null
  readonly reason: string
}

/**
 * Breadth-first exploration of all worlds of an instance, stepped in slices. The first failure found is one
 * with a shortest path. It ends when everything was seen, at the first failure, or at the limit.
 *
 * States are expanded here (`run`), or elsewhere by an `Expander` (`handOut`, `takeBack`), which finds steps while this
 * looks up where earlier ones lead. The result is the same to the last number. After `handOut` the search must not
 * `run` slices any more: only one of the two may meet new parts.
 */
export class Search {
  readonly worlds: Worlds
  readonly store = new StateStore()
  /** Where each step leads, to decide the properties of whole runs. Null if it was not wanted. */
  readonly edges: Edges | null
  failure: Failure | null = null
  transitions = 0
  /** The longest shortest path from the first world. */
  depth = 0
  /** The nodes that entered, or saw the end of their election, in some run: one bit per node. */
  enteredNodes = 0
  isOver = false
  /**
   * Why some runs ended early: a handler broke a rule and `rules` is not asked for, or a bound of the instance. What holds
   * in the rest is not proved. Null if none did.
   */
  leftOut: 'rules' | Bound | null = null
  cutShort = false
  readonly followsFences: boolean
  readonly #most: number
  readonly #asksForRules: boolean
  readonly #judge: WorldJudge
  readonly #vocabulary: Vocabulary
  readonly #world = new Int32Array(MOST_NUMBERS)
  readonly #reduction: Reduction | null
  #expanded = 0
  #handedOut = 0
  #levelEnd = 1

  constructor(instance: Instance, options: { mostStates: number; edges: boolean; followFences: boolean }) {
    this.worlds = new Worlds(instance, { followFences: options.followFences, concrete: false })
    this.edges = options.edges ? new Edges() : null
    this.followsFences = options.followFences
    this.#most = options.mostStates
    this.#asksForRules = isAsked(instance, 'rules')
    this.#judge = judgeOf(this.worlds)
    this.#reduction = instance.reduced === undefined ? null : new Reduction(this.worlds)
    this.#vocabulary = new Vocabulary(this.worlds)
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
      for (let i = 0; i < most && !this.#ends(); i += 1) this.#expandNext()
    } catch (error) {
      // A world too large to hold ends the search as a limit does.
      if (!(error instanceof BeyondReach)) throw error
      this.stop()
    }
    return this.#ends()
  }

  /** Whether the search ends before the next state is expanded. */
  #ends(): boolean {
    if (this.failure !== null || this.#expanded === this.store.length) this.isOver = true
    else if (this.store.length >= this.#most) this.stop()
    return this.isOver
  }

  /** Ends the search where it stands. */
  stop(): void {
    if (this.isOver) return
    this.isOver = true
    this.cutShort = true
  }

  /** Up to `most` unexpanded states, for an expander; null if there are none at the moment. */
  handOut(most: number): Work | null {
    const from = Math.max(this.#handedOut, this.#expanded)
    const to = Math.min(from + most, this.store.length)
    if (this.isOver || from === to) return null
    this.#handedOut = to
    return { ...this.store.slice(from, to), words: this.#vocabulary.news() }
  }

  /** Takes the results of the work handed out, piece by piece in the same order; true when the search is over. */
  takeBack(expansion: Expansion): boolean {
    const { words, counts, standstills, isBeyondReach, boundPassed } = expansion
    this.#vocabulary.learn(words)
    this.leftOut ??= boundPassed
    const first = this.#expanded
    const quiet = new Set(standstills)
    const place = { step: 0, byte: 0 }
    for (let i = 0; i < counts.length && !this.#ends(); i += 1) {
      const state = this.#begin()
      this.#takeSteps(state, expansion, place, counts[i] ?? outOfBounds())
      if (!quiet.has(state - first)) continue
      this.store.read(state, this.#world)
      this.#judgeStandstill(state)
    }
    if (isBeyondReach) this.stop()
    return this.#ends()
  }

  #takeSteps(from: number, expansion: Expansion, place: { step: number; byte: number }, count: number): void {
    const { bytes, sizes, labels, broken } = expansion
    const last = place.step + count
    let start = place.byte
    for (let step = place.step; step < last; step += 1) {
      const end = start + (sizes[step] ?? outOfBounds())
      const broke = broken.length === 0 ? undefined : broken.find((found) => found.step === step)
      const begin = start
      start = end
      if (broke !== undefined && this.#skips()) continue
      const to = this.store.addBytes(bytes, begin, end, from)
      const isUnjudged = this.#reach(from, to, labels[step] ?? outOfBounds(), broke?.reason ?? null)
      if (isUnjudged) this.#judgeWorld(to, this.#world, this.store.read(to, this.#world))
    }
    place.step = last
    place.byte = start
  }

  /** The next state in line, about to be expanded. */
  #begin(): number {
    const state = this.#expanded
    if (state === this.#levelEnd) {
      this.depth += 1
      this.#levelEnd = this.store.length
    }
    this.#expanded += 1
    this.edges?.startState()
    return state
  }

  #expandNext(): void {
    const state = this.#begin()
    const size = this.store.read(state, this.#world)
    const visit = (next: Int32Array, nextSize: number) => this.#arrive(state, next, nextSize)
    const node =
      this.#reduction?.nodeFor(this.#world, size, (next, nextSize) => this.#isOpen(next, nextSize)) ?? null
    if (node === null) this.worlds.expand(this.#world, size, visit)
    else this.worlds.expandNode(this.#world, size, node, visit)
    if (!this.worlds.couldProgress) this.#judgeStandstill(state)
  }

  /** Whether a world is still to be expanded. */
  #isOpen(world: Int32Array, size: number): boolean {
    const state = this.store.find(world, size)
    return state === -1 || state >= this.#expanded
  }

  #arrive(from: number, next: Int32Array, size: number): void {
    const { step, layout } = this.worlds
    const bound = layout.boundPassed(next, size)
    if (bound !== null) {
      this.leftOut ??= bound
      return
    }
    const broke = step.outcome === null ? null : step.outcome.broke
    if (broke !== null && this.#skips()) return
    const to = this.store.add(next, size, from)
    const label = labelOf(step.messages, step.entered ? step.node : -1)
    const isUnjudged = this.#reach(from, to, label, broke)
    if (step.staleFence !== null) this.#fail('fences-rise', to, step.staleFence, from)
    if (isUnjudged) this.#judgeWorld(to, next, size)
  }

  /** Whether the run ends before a step in which a handler breaks a rule. */
  #skips(): boolean {
    if (this.#asksForRules) return false
    this.leftOut = 'rules'
    return true
  }

  /** Returns whether the state is new and still to be judged. */
  #reach(from: number, to: number, label: number, broke: string | null): boolean {
    const isUnjudged = this.store.isNew && this.failure === null
    this.transitions += 1
    this.edges?.add(to, label)
    const entered = enteredOf(label)
    if (entered !== -1) this.enteredNodes |= 1 << entered
    if (broke !== null) this.#fail('rules', to, broke, from)
    return isUnjudged
  }

  #judgeWorld(state: number, world: Int32Array, size: number): void {
    const finding = this.#judge.world(world, size)
    if (finding !== null) this.#fail(finding.property, state, finding.reason)
  }

  #judgeStandstill(state: number): void {
    const finding = this.#judge.standstill(this.#world)
    if (finding !== null) this.#fail(finding.property, state, finding.reason)
  }

  #fail(property: PropertyName, state: number, reason: string, from: number | null = null): void {
    if (isAsked(this.worlds.instance, property)) this.failure ??= { property, state, from, reason }
  }
}
