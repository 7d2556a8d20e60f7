import { type AnyProtocol, isElection, type NodeId } from '@turnwise/core/algorithm'
import { has, packBudgets, spend } from './budgets.ts'
import { GivenFences } from './given-fences.ts'
import type { Instance } from './instance.ts'
import { CRASHED, Layout, MOST_NUMBERS, WAITING } from './layout.ts'
import type { LocalEvent, Outcome } from './local.ts'
import { type Compiled, LocalSteps, type OwnEvent } from './local-steps.ts'
import { Parts } from './parts.ts'

/** One step from a world to the next, as it is told to whoever explores. */
export interface Step {
  /** What happened, where; `lose` and `duplicate` are the network's doing. */
  event: LocalEvent | { readonly is: 'lose' } | { readonly is: 'duplicate' }
  node: NodeId
  /** The message that was received, lost or received twice; -1 if none. */
  envelope: number
  messages: number
  /** Whether what the node asked for has come: it entered, or its election has ended. */
  entered: boolean
  /** What the handler did; null where none was called. */
  outcome: Outcome | null
  /** Why the fence given out is not right after those before it, or null. */
  staleFence: string | null
}

/**
 * The worlds of an instance and the steps between them.
 *
 * With `followFences` the fences given are part of the world; without, fences are erased. `concrete` worlds keep
 * all numbers as they are: a path is told in them.
 */
export class Worlds {
  readonly instance: Instance
  readonly parts: Parts
  readonly layout: Layout
  readonly step: Step
  /** After `expand`: whether anything could happen but a request or trouble. */
  couldProgress = false
  /** During `expand`: whether someone is inside and could leave. */
  #couldLeave = false
  readonly #steps: LocalSteps
  /** What is remembered of the fences given out; null where they are not followed. */
  readonly #fences: GivenFences | null
  readonly #nodes: number
  readonly #someDie: boolean
  readonly #next = new Int32Array(MOST_NUMBERS)

  constructor(instance: Instance, { followFences, concrete }: { followFences: boolean; concrete: boolean }) {
    const { algorithm, setup } = instance
    this.instance = instance
    this.#fences = followFences && !isElection(algorithm) ? new GivenFences({ ...instance, algorithm }) : null
    this.parts = new Parts(instance, new Set(followFences || concrete ? [] : onlyForFences(algorithm)))
    // Where runs are finite, fences are compared as they are given out: a shift would hide one that repeats.
    const asGiven = instance.requests !== null || this.#fences?.areAllKept === true
    this.layout = new Layout(instance, this.parts, {
      fences: this.#fences,
      concrete,
      unshifted: asGiven ? (this.#fences?.clock ?? null) : null,
    })
    this.#steps = new LocalSteps(instance, this.parts)
    this.#nodes = setup.nodes
    this.#someDie = instance.budgets.crashes > 0 || setup.dead.length > 0
    this.step = {
      event: { is: 'request', mode: 'exclusive' },
      node: 0,
      envelope: -1,
      messages: 0,
      entered: false,
      outcome: null,
      staleFence: null,
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
    return this.layout.normalised(world, this.layout.header)
  }

  /** Writes a world of another collection, such as a concrete one, as one of this collection. */
  adopt(other: Worlds, from: Int32Array, size: number, world: Int32Array): number {
    for (let node = 0; node < this.#nodes; node += 1)
      world[node] = this.parts.local(other.layout.localOf(from, node))
    const { header } = this.layout
    world[this.#nodes] = from[this.#nodes]
    const place = this.#nodes + 1
    if (this.#fences !== null && other.#fences !== null)
      world[place] = this.#fences.adopted(other.#fences, from[place])
    let end = header
    for (let i = header; i < size; i += 1) {
      end = this.layout.insert(world, end, this.parts.envelope(other.parts.envelopes[from[i]]))
    }
    return this.layout.normalised(world, end)
  }

  /** Calls `visit` for every world one step away, with `this.step` telling the step. */
  expand(world: Int32Array, size: number, visit: (next: Int32Array, size: number) => void): void {
    this.couldProgress = false
    this.#couldLeave = false
    for (let node = 0; node < this.#nodes; node += 1) {
      for (const own of this.#steps.own(world[node])) {
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
  }

  #expandMessages(world: Int32Array, size: number, visit: (next: Int32Array, size: number) => void): void {
    const { groups } = this.parts
    let lastGroup = -1
    for (let i = this.layout.header; i < size; i += 1) {
      const envelope = world[i]
      const group = groups[envelope]
      if (group === lastGroup) continue
      lastGroup = group
      this.couldProgress = true
      const { to } = this.parts.envelopes[envelope]
      for (const result of this.#steps.received(world[to], envelope)) {
        this.#tell(to, this.#steps.receipt(envelope), envelope, result)
        this.#apply(world, size, to, result, i, world[this.#nodes], visit)
      }
    }
  }

  #expandTimeouts(world: Int32Array, size: number, visit: (next: Int32Array, size: number) => void): void {
    const isBounded = this.instance.timing === 'bounded'
    if (isBounded && this.couldProgress) return
    for (let node = 0; node < this.#nodes; node += 1) {
      for (const own of this.#steps.own(world[node])) {
        if (own.kind !== 'round-trip' && (own.kind !== 'time-out' || (isBounded && this.#couldLeave)))
          continue
        this.couldProgress = true
        this.#take(world, size, node, own, visit)
      }
    }
  }

  #take(
    world: Int32Array,
    size: number,
    node: NodeId,
    own: OwnEvent,
    visit: (next: Int32Array, size: number) => void,
  ): void {
    for (const result of own.results) {
      this.#tell(node, own.event, -1, result)
      this.#apply(world, size, node, result, -1, world[this.#nodes], visit)
    }
  }

  /** Crashes, losses, repetitions, withdrawals and suspicions, as far as the budgets reach. */
  #expandTrouble(world: Int32Array, size: number, visit: (next: Int32Array, size: number) => void): void {
    const left = world[this.#nodes]
    for (let node = 0; node < this.#nodes; node += 1) {
      const flags = this.layout.flagsOf(world, node)
      if ((flags & CRASHED) !== 0) continue
      if (has(left, 'crashes'))
        this.#trouble(world, size, node, { is: 'crash' }, spend(left, 'crashes'), visit)
      if ((flags & WAITING) !== 0 && has(left, 'withdrawals')) {
        this.#trouble(world, size, node, { is: 'withdraw' }, spend(left, 'withdrawals'), visit)
      }
      this.#expandSuspicions(world, size, node, visit)
    }
    let lastGroup = -1
    for (let i = this.layout.header; i < size; i += 1) {
      const envelope = world[i]
      if (this.parts.groups[envelope] === lastGroup) continue
      lastGroup = this.parts.groups[envelope]
      const { to } = this.parts.envelopes[envelope]
      if (has(left, 'drops')) {
        this.#tell(to, { is: 'lose' }, envelope, null)
        this.#apply(world, size, to, null, i, spend(left, 'drops'), visit)
      }
      if (!has(left, 'duplicates')) continue
      for (const result of this.#steps.received(world[to], envelope)) {
        this.#tell(to, { is: 'duplicate' }, envelope, result)
        this.#apply(world, size, to, result, -1, spend(left, 'duplicates'), visit)
      }
    }
  }

  /** A crashed peer may be named at any time; a living one only as often as the budget says. */
  #expandSuspicions(
    world: Int32Array,
    size: number,
    node: NodeId,
    visit: (next: Int32Array, size: number) => void,
  ): void {
    if (this.instance.algorithm.suspect === undefined) return
    const left = world[this.#nodes]
    const { suspected } = this.layout.localOf(world, node)
    for (let peer = 0; peer < this.#nodes; peer += 1) {
      if (peer === node || suspected.includes(peer)) continue
      const isDead = (this.layout.flagsOf(world, peer) & CRASHED) !== 0
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
    visit: (next: Int32Array, size: number) => void,
  ): void {
    for (const result of this.#steps.troubled(world[node], event)) {
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
  }

  /** Puts the next world together: the node's new local state, one message fewer, the new ones in their groups. */
  #apply(
    world: Int32Array,
    size: number,
    node: NodeId,
    result: Compiled | null,
    received: number,
    budget: number,
    visit: (next: Int32Array, size: number) => void,
  ): void {
    const next = this.#next
    const { envelopes } = this.parts
    let end = 0
    for (let i = 0; i < size; i += 1) {
      if (i === received) continue
      next[end] = world[i]
      end += 1
    }
    next[this.#nodes] = budget
    if (result !== null) {
      next[node] = result.local
      for (const envelope of result.envelopes) {
        if (this.#someDie && (this.layout.flagsOf(next, envelopes[envelope].to) & CRASHED) !== 0) continue
        end = this.layout.insert(next, end, envelope)
      }
      if (this.#fences !== null && result.entered) this.#followFence(next, this.#fences, result)
      if (result.outcome.local.status === 'crashed') end = this.layout.dropMailOf(next, end, node)
    }
    visit(next, this.layout.normalised(next, end))
  }

  #followFence(next: Int32Array, fences: GivenFences, { outcome }: Compiled): void {
    const place = this.#nodes + 1
    const { given, stale } = fences.after(next[place], outcome.local, outcome.entered as number)
    this.step.staleFence = stale
    next[place] = given
  }
}

/** The clocks that nothing but fences use: what they say decides nothing. */
function onlyForFences(algorithm: AnyProtocol): string[] {
  if (isElection(algorithm)) return []
  const { clock, scaled, onlyFences } = algorithm.shapes.fence
  return scaled && onlyFences !== true ? [] : [clock]
}
