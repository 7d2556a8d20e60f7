import { isElection, type NodeId } from '@turnwise/core/algorithm'
import { get, intAt, outOfBounds } from '@turnwise/core/bounds'
import { has, packBudgets, spend } from './budgets.ts'
import { type Change, Changes } from './changes.ts'
import { GivenFences } from './given-fences.ts'
import type { Instance } from './instance.ts'
import type { LocalEvent } from './local.ts'
import { type Compiled, LocalSteps, type OwnEvent } from './local-steps.ts'
import { onlyForFences, Parts } from './parts.ts'
import { Settling } from './settling.ts'
import type { Loss, Step } from './step.ts'
import { canChange } from './surroundings.ts'
import { ABSENT, CRASHED, INSIDE, Layout, MOST_NUMBERS, WAITING } from './world-layout.ts'

type Visit = (next: Int32Array, size: number) => void

/**
 * The worlds of an instance and the steps between them.
 *
 * With `followFences` the fences given are part of the world; without, fences are erased. `concrete` worlds keep
 * all numbers as they are: a path is told in them, with reasons.
 */
export class Worlds {
  readonly instance: Instance
  readonly parts: Parts
  readonly layout: Layout
  /** Null where nothing comes and goes. */
  readonly changes: Changes | null
  readonly step: Step
  /** After `expand`: whether anything other than a request or trouble could happen. */
  couldProgress = false
  /** During `expand`: whether a node is inside and could leave. */
  #couldLeave = false
  readonly #steps: LocalSteps
  /** Null where all messages wait until they are received. */
  readonly settling: Settling | null
  /** What is remembered of the fences given out; null where they are not followed. */
  readonly #fences: GivenFences | null
  readonly #nodes: number
  readonly #someDie: boolean
  readonly #next = new Int32Array(MOST_NUMBERS)
  /** The numbers here of parts of other collections, by their numbers there. */
  readonly #adopted = new WeakMap<Worlds, { readonly locals: number[]; readonly envelopes: number[] }>()
  /** The node whose steps alone are asked for; null for all. */
  #only: NodeId | null = null

  constructor(instance: Instance, { followFences, concrete }: { followFences: boolean; concrete: boolean }) {
    const { algorithm, setup } = instance
    this.instance = instance
    this.#fences = followFences && !isElection(algorithm) ? new GivenFences({ ...instance, algorithm }) : null
    this.parts = new Parts(instance, new Set(followFences || concrete ? [] : onlyForFences(algorithm)))
    // Where runs are finite, fences are compared as they are given out: a shift would hide one that repeats.
    const asGiven = instance.requests !== null || this.#fences?.areAllKept === true
    this.layout = new Layout(instance, this.parts, {
      fences: this.#fences,
      changing: canChange(instance),
      concrete,
      unshifted: asGiven ? (this.#fences?.clock ?? null) : null,
    })
    this.changes = canChange(instance) ? new Changes(instance, this.layout) : null
    const { joins, restarts } = instance.budgets
    if (joins > 0 || restarts > 0)
      this.layout.mayBeginAnew = (world) => this.changes?.mayBeginAnew(world) === true
    this.#steps = new LocalSteps(instance, this.parts, concrete)
    this.settling = instance.settled && !concrete ? new Settling(instance, this.layout, this.#steps) : null
    this.#nodes = setup.nodes
    this.#someDie = instance.budgets.crashes > 0 || setup.dead.length > 0 || this.changes !== null
    this.step = {
      event: { is: 'request', mode: 'exclusive' },
      node: 0,
      envelope: -1,
      messages: 0,
      entered: false,
      outcome: null,
      staleFence: null,
      obstacle: null,
      returns: false,
    }
  }

  /** Writes the first world and returns its size. */
  initial(world: Int32Array): number {
    const { setup, budgets } = this.instance
    for (let node = 0; node < setup.nodes; node += 1) {
      world[node] = this.#steps.first(node)
    }
    world[setup.nodes] = packBudgets(budgets)
    if (this.#fences !== null) world[setup.nodes + 1] = 0
    if (this.changes !== null) world[this.layout.header - 1] = this.changes.table.first()
    return this.#normalised(world, this.layout.header)
  }

  /** Writes a world of another collection, such as a concrete one, as one of this collection. */
  adopt(other: Worlds, from: Int32Array, size: number, world: Int32Array): number {
    const known = this.#adopted.get(other) ?? { locals: [], envelopes: [] }
    this.#adopted.set(other, known)
    for (let node = 0; node < this.#nodes; node += 1)
      world[node] = known.locals[intAt(from, node)] ??= this.parts.local(other.layout.localOf(from, node))
    const { header } = this.layout
    world[this.#nodes] = intAt(from, this.#nodes)
    const place = this.#nodes + 1
    if (this.#fences !== null && other.#fences !== null)
      world[place] = this.#fences.adopted(other.#fences, intAt(from, place))
    if (this.changes !== null && other.changes !== null)
      world[header - 1] = this.changes.table.number(other.changes.table.at(intAt(from, header - 1)))
    let end = header
    for (let i = header; i < size; i += 1) {
      const envelope = intAt(from, i)
      known.envelopes[envelope] ??= this.parts.envelope(get(other.parts.envelopes, envelope))
      end = this.layout.insert(world, end, get(known.envelopes, envelope))
    }
    return this.#normalised(world, end)
  }

  /** Calls `visit` for every world one step away, with `this.step` telling the step. */
  expand(world: Int32Array, size: number, visit: Visit): void {
    const { gaps } = this.layout
    if (gaps === null) this.#expandOne(world, size, visit)
    else gaps.expand(world, size, this.step, visit, (each, arrive) => this.#expandOne(each, size, arrive))
  }

  /** The same for the steps of one node, where nothing but nodes does anything (`Reduction`). */
  expandNode(world: Int32Array, size: number, node: NodeId, visit: Visit): void {
    this.#only = node
    this.#expandOne(world, size, visit)
    this.#only = null
  }

  /** While `expand` visits a world: the number that a message of the expanded world has there. It differs where clocks were shifted. */
  renamed(envelope: number): number {
    const { gaps } = this.layout
    return this.layout.renamed(gaps === null ? envelope : gaps.widened(envelope))
  }

  #expandOne(world: Int32Array, size: number, visit: Visit): void {
    this.couldProgress = false
    this.#couldLeave = false
    const urgent = this.changes === null ? null : this.changes.first(world, size)
    if (urgent !== null) {
      this.couldProgress = true
      return this.#change(world, size, urgent, intAt(world, this.#nodes), visit)
    }
    for (let node = 0; node < this.#nodes; node += 1) {
      if (this.#only !== null && this.#only !== node) continue
      for (const own of this.#steps.own(intAt(world, node))) {
        if (own.kind === 'time-out' || own.kind === 'round-trip') continue
        if (own.kind === 'leave') this.#couldLeave = true
        if (own.kind === 'progress') this.couldProgress = true
        this.#take(world, size, node, own, visit)
      }
    }
    this.#expandMessages(world, size, visit)
    // Trouble comes before time-outs: that a crashed peer can be named is something else that can happen.
    if (world[this.#nodes] !== 0 || this.#someDie) this.#expandTrouble(world, size, visit)
    this.#expandTimeouts(world, size, visit)
    if (this.#couldLeave) this.couldProgress = true
    if (this.changes === null) return
    // After time-outs, which do not wait for a recovery.
    for (const change of this.changes.all(world)) {
      if (change.returns) this.couldProgress = true
      this.#change(world, size, change, intAt(world, this.#nodes), visit)
    }
  }

  #expandMessages(world: Int32Array, size: number, visit: Visit): void {
    const { groups } = this.parts
    let lastGroup = -1
    for (let i = this.layout.header; i < size; i += 1) {
      const envelope = intAt(world, i)
      const group = groups[envelope] ?? outOfBounds()
      if (group === lastGroup) continue
      lastGroup = group
      const { from, to } = this.parts.envelopes[envelope] ?? outOfBounds()
      if (this.#only !== null && this.#only !== to) continue
      this.couldProgress = true
      const obstacle = this.changes === null ? null : this.changes.obstacle(world, from, to)
      if (obstacle !== null) {
        this.#giveBack(world, size, i, obstacle, visit)
        continue
      }
      for (const result of this.#steps.received(intAt(world, to), envelope)) {
        this.#tell(to, this.#steps.receipt(envelope), envelope, result)
        this.#apply(world, size, to, result, i, intAt(world, this.#nodes), visit)
      }
    }
  }

  /** A message that cannot be delivered is lost. If the algorithm has a rule for that, a running sender is told. */
  #giveBack(
    world: Int32Array,
    size: number,
    place: number,
    obstacle: Exclude<Loss, 'drop'>,
    visit: Visit,
  ): void {
    const envelope = intAt(world, place)
    const { from, to } = this.parts.envelopes[envelope] ?? outOfBounds()
    const isAway = (this.layout.flagsOf(world, from) & (CRASHED | ABSENT)) !== 0
    if (isAway || this.instance.algorithm.undelivered === undefined) {
      this.#tell(to, { is: 'lose', why: obstacle }, envelope, null)
      this.#apply(world, size, to, null, place, intAt(world, this.#nodes), visit)
      return
    }
    for (const result of this.#steps.returned(intAt(world, from), envelope)) {
      this.#tell(from, this.#steps.returning(envelope), envelope, result)
      this.step.obstacle = obstacle
      this.#apply(world, size, from, result, place, intAt(world, this.#nodes), visit)
    }
  }

  #expandTimeouts(world: Int32Array, size: number, visit: Visit): void {
    const isBounded = this.instance.timing === 'bounded'
    if (isBounded && this.couldProgress) return
    for (let node = 0; node < this.#nodes; node += 1) {
      if (this.#only !== null && this.#only !== node) continue
      for (const own of this.#steps.own(intAt(world, node))) {
        if (own.kind !== 'round-trip' && (own.kind !== 'time-out' || (isBounded && this.#couldLeave)))
          continue
        this.couldProgress = true
        this.#take(world, size, node, own, visit)
      }
    }
  }

  #take(world: Int32Array, size: number, node: NodeId, own: OwnEvent, visit: Visit): void {
    for (const result of own.results) {
      this.#tell(node, own.event, -1, result)
      this.#apply(world, size, node, result, -1, intAt(world, this.#nodes), visit)
    }
  }

  /** Crashes, losses, repetitions, withdrawals and suspicions, as far as the budgets reach. */
  #expandTrouble(world: Int32Array, size: number, visit: Visit): void {
    const left = intAt(world, this.#nodes)
    for (let node = 0; node < this.#nodes; node += 1) {
      const flags = this.layout.flagsOf(world, node)
      if ((flags & (CRASHED | ABSENT)) !== 0) continue
      if (has(left, 'crashes')) this.#crash(world, size, node, visit)
      if ((flags & WAITING) !== 0 && has(left, 'withdrawals')) {
        const is = (flags & INSIDE) === 0 ? 'withdraw' : 'desist'
        this.#trouble(world, size, node, { is }, spend(left, 'withdrawals'), visit)
      }
      this.#expandSuspicions(world, size, node, visit)
    }
    let lastGroup = -1
    for (let i = this.layout.header; i < size; i += 1) {
      const envelope = intAt(world, i)
      if (this.parts.groups[envelope] === lastGroup) continue
      lastGroup = this.parts.groups[envelope] ?? outOfBounds()
      const { from, to } = this.parts.envelopes[envelope] ?? outOfBounds()
      if (has(left, 'drops')) {
        this.#tell(to, { is: 'lose', why: 'drop' }, envelope, null)
        this.#apply(world, size, to, null, i, spend(left, 'drops'), visit)
      }
      if (!has(left, 'duplicates')) continue
      if (this.changes !== null && this.changes.obstacle(world, from, to) !== null) continue
      for (const result of this.#steps.received(intAt(world, to), envelope)) {
        this.#tell(to, { is: 'duplicate' }, envelope, result)
        this.#apply(world, size, to, result, -1, spend(left, 'duplicates'), visit)
      }
    }
  }

  #crash(world: Int32Array, size: number, node: NodeId, visit: Visit): void {
    const budget = spend(intAt(world, this.#nodes), 'crashes')
    if (this.changes === null)
      this.#trouble(world, size, node, { is: 'crash', memory: 'none' }, budget, visit)
    else this.#change(world, size, this.changes.crash(world, node), budget, visit)
  }

  /**
   * A crashed peer may be named at any time; a living one only as often as the budget says, unless it has crashed and
   * runs again already. If nodes run again, the suspicion of a running node is withdrawn.
   */
  #expandSuspicions(world: Int32Array, size: number, node: NodeId, visit: Visit): void {
    if (this.instance.algorithm.suspect === undefined) return
    const left = intAt(world, this.#nodes)
    const { suspected, churn } = this.layout.localOf(world, node)
    for (let peer = 0; peer < this.#nodes; peer += 1) {
      const flags = this.layout.flagsOf(world, peer)
      if (peer === node || (flags & ABSENT) !== 0) continue
      if (suspected.includes(peer)) {
        if ((flags & CRASHED) !== 0 || this.instance.budgets.restarts === 0) continue
        this.couldProgress = true
        this.#trouble(world, size, node, { is: 'restore', peer }, left, visit)
        continue
      }
      const isDead = (flags & CRASHED) !== 0 || churn?.late.includes(peer) === true
      if (isDead) this.couldProgress = true
      if (isDead || has(left, 'suspicions')) {
        const budget = isDead ? left : spend(left, 'suspicions')
        this.#trouble(world, size, node, { is: 'suspect', peer }, budget, visit)
      }
    }
  }

  #trouble(
    world: Int32Array,
    size: number,
    node: NodeId,
    event: LocalEvent,
    budget: number,
    visit: Visit,
  ): void {
    for (const result of this.#steps.troubled(intAt(world, node), event)) {
      this.#tell(node, event, -1, result)
      this.#apply(world, size, node, result, -1, budget, visit)
    }
  }

  #tell(node: NodeId, event: Step['event'], envelope: number, result: Compiled | null): void {
    const { step } = this
    step.event = event
    step.node = node
    step.envelope = envelope
    step.messages = result?.messages ?? 0
    step.entered = result?.entered ?? false
    step.outcome = result?.outcome ?? null
    step.staleFence = null
    step.obstacle = null
    step.returns = false
  }

  /** A node or channel comes or goes. The nodes concerned will hear of it. */
  #change(world: Int32Array, size: number, change: Change, budget: number, visit: Visit): void {
    const { node, event, surroundings, others } = change
    for (const result of this.#steps.troubled(intAt(world, node), event)) {
      this.#tell(node, event, -1, result)
      this.step.returns = change.returns
      const end = this.#putTogether(world, size, node, result, -1, budget)
      const next = this.#next
      next[this.layout.header - 1] = surroundings
      for (const { node: other, after } of others)
        next[other] = this.parts.local(after(this.layout.localOf(next, other)))
      const kept = this.layout.dropMailOf(next, end, (to) => this.#isDeaf(next, to))
      visit(next, this.layout.normalised(next, kept))
    }
  }

  #isDeaf(world: Int32Array, to: NodeId): boolean {
    if (this.changes !== null) return this.changes.isDeaf(world, to)
    return (this.layout.flagsOf(world, to) & CRASHED) !== 0
  }

  #apply(
    world: Int32Array,
    size: number,
    node: NodeId,
    result: Compiled | null,
    received: number,
    budget: number,
    visit: Visit,
  ): void {
    const end = this.#putTogether(world, size, node, result, received, budget)
    visit(this.#next, this.#normalised(this.#next, end))
  }

  #normalised(world: Int32Array, size: number): number {
    return this.layout.normalised(world, this.settling?.settle(world, size) ?? size)
  }

  /** The next world, not normalised yet: the node's new local state, one message fewer, the new ones in their groups. Returns its size. */
  #putTogether(
    world: Int32Array,
    size: number,
    node: NodeId,
    result: Compiled | null,
    received: number,
    budget: number,
  ): number {
    const next = this.#next
    const { envelopes } = this.parts
    let end = 0
    for (let i = 0; i < size; i += 1) {
      if (i === received) continue
      next[end] = intAt(world, i)
      end += 1
    }
    next[this.#nodes] = budget
    if (result !== null) {
      next[node] = result.local
      for (const envelope of result.envelopes) {
        if (this.#someDie && this.#isDeaf(next, (envelopes[envelope] ?? outOfBounds()).to)) continue
        end = this.layout.insert(next, end, envelope)
      }
      if (this.#fences !== null && result.entered) this.#followFence(next, this.#fences, result)
      if (result.outcome.local.status === 'crashed')
        end = this.layout.dropMailOf(next, end, (to) => this.#isDeaf(next, to))
    }
    return end
  }

  #followFence(next: Int32Array, fences: GivenFences, { outcome }: Compiled): void {
    const place = this.#nodes + 1
    const { given, stale } = fences.after(intAt(next, place), outcome.local, outcome.entered as number)
    this.step.staleFence = stale
    next[place] = given
  }
}
