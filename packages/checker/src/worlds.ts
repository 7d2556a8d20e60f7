import type { NodeId } from '@turnwise/core/algorithm'
import { BeyondReach } from './beyond-reach.ts'
import type { Budgets, Instance } from './instance.ts'
import type { Local, LocalEvent, Outcome } from './local.ts'
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
  /** Whether the node entered. */
  entered: boolean
  /** What the handler did; null where none was called. */
  outcome: Outcome | null
  /** Why the fence given out is not larger than the last, or null. */
  staleFence: string | null
}

export const WAITING = 1
export const INSIDE = 2
export const CRASHED = 4

/** How long a world may become. */
export const MOST_NUMBERS = 2048

const BUDGETS = ['crashes', 'drops', 'duplicates', 'withdrawals', 'suspicions'] as const
const BUDGET_BITS = 4

/**
 * The worlds of an instance as lists of numbers, and the steps between them. A world is: the local state of
 * each node, how much trouble is left, the last fence (where fences are followed), and the messages under way,
 * grouped by what may not overtake.
 *
 * Worlds are normalised: clocks are shifted so that the smallest value alive is 0. With `followFences` the last
 * fence is part of the world; without, fences are erased. `concrete` worlds keep all numbers as they are: a path
 * is told in them.
 */
export class Worlds {
  readonly instance: Instance
  readonly parts: Parts
  readonly step: Step
  /** After `expand`: whether anything could happen but a request or trouble. */
  couldProgress = false
  readonly #steps: LocalSteps
  readonly #followFences: boolean
  readonly #concrete: boolean
  readonly #unshifted: string | null
  readonly #nodes: number
  /** Where the messages begin. */
  readonly header: number
  readonly #flags: number[] = []
  readonly #tokensHeld: number[] = []
  readonly #next = new Int32Array(MOST_NUMBERS)

  constructor(instance: Instance, { followFences, concrete }: { followFences: boolean; concrete: boolean }) {
    const { algorithm, setup } = instance
    const { clock, scaled } = algorithm.shapes.fence
    this.instance = instance
    this.#followFences = followFences
    this.#concrete = concrete
    // Where runs are finite, fences are compared as they are given out: a shift would hide one that repeats.
    this.#unshifted = followFences && instance.requests !== null ? clock : null
    this.parts = new Parts(instance, new Set(followFences || scaled || concrete ? [] : [clock]))
    this.#steps = new LocalSteps(instance, this.parts)
    this.#nodes = setup.nodes
    this.header = setup.nodes + (followFences ? 2 : 1)
    this.step = {
      event: { is: 'request' },
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
    if (this.#followFences) world[setup.nodes + 1] = 0
    return this.#normalised(world, this.header)
  }

  /** Writes a world of another collection, such as a concrete one, as one of this collection. */
  adopt(other: Worlds, from: Int32Array, size: number, world: Int32Array): number {
    for (let node = 0; node < this.#nodes; node += 1)
      world[node] = this.parts.local(other.localOf(from, node))
    for (let i = this.#nodes; i < this.header; i += 1) world[i] = from[i]
    let end = this.header
    for (let i = this.header; i < size; i += 1) {
      end = this.#insert(world, end, this.parts.envelope(other.parts.envelopes[from[i]]))
    }
    return this.#normalised(world, end)
  }

  localOf(world: Int32Array, node: NodeId): Local {
    return this.parts.locals[world[node]]
  }

  /** How the node stands: a sum of WAITING, INSIDE, CRASHED. */
  flagsOf(world: Int32Array, node: NodeId): number {
    const local = world[node]
    return this.#flags[local] ?? this.#noteLocal(local)
  }

  /** Tokens held and under way. */
  tokensIn(world: Int32Array, size: number): number {
    const { tokens } = this.instance.algorithm
    if (tokens === undefined) return 0
    let sum = 0
    for (let node = 0; node < this.#nodes; node += 1) {
      this.flagsOf(world, node)
      sum += this.#tokensHeld[world[node]]
    }
    for (let i = this.header; i < size; i += 1) sum += tokens.carried(this.parts.envelopes[world[i]].message)
    return sum
  }

  /** Calls `visit` for every world one step away, with `this.step` telling the step. */
  expand(world: Int32Array, size: number, visit: (next: Int32Array, size: number) => void): void {
    this.couldProgress = false
    for (let node = 0; node < this.#nodes; node += 1) {
      for (const own of this.#steps.own(world[node])) {
        if (own.kind === 'time-out') continue
        if (own.kind === 'progress') this.couldProgress = true
        this.#take(world, size, node, own, visit)
      }
    }
    this.#expandMessages(world, size, visit)
    // Trouble comes before time-outs: that a crashed peer can be named is something else that can happen.
    if (world[this.#nodes] !== 0 || this.instance.budgets.crashes > 0) this.#expandTrouble(world, size, visit)
    this.#expandTimeouts(world, size, visit)
  }

  #expandMessages(world: Int32Array, size: number, visit: (next: Int32Array, size: number) => void): void {
    const { groups } = this.parts
    let lastGroup = -1
    for (let i = this.header; i < size; i += 1) {
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
    if (this.instance.timing === 'bounded' && this.couldProgress) return
    for (let node = 0; node < this.#nodes; node += 1) {
      for (const own of this.#steps.own(world[node])) {
        if (own.kind !== 'time-out') continue
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
      const flags = this.flagsOf(world, node)
      if ((flags & CRASHED) !== 0) continue
      if (has(left, 'crashes'))
        this.#trouble(world, size, node, { is: 'crash' }, spend(left, 'crashes'), visit)
      if ((flags & WAITING) !== 0 && has(left, 'withdrawals')) {
        this.#trouble(world, size, node, { is: 'withdraw' }, spend(left, 'withdrawals'), visit)
      }
      this.#expandSuspicions(world, size, node, visit)
    }
    let lastGroup = -1
    for (let i = this.header; i < size; i += 1) {
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
    const { suspected } = this.localOf(world, node)
    for (let peer = 0; peer < this.#nodes; peer += 1) {
      if (peer === node || suspected.includes(peer)) continue
      const isDead = (this.flagsOf(world, peer) & CRASHED) !== 0
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
        if (this.instance.budgets.crashes > 0 && (this.flagsOf(next, envelopes[envelope].to) & CRASHED) !== 0)
          continue
        end = this.#insert(next, end, envelope)
      }
      if (this.#followFences && result.entered && this.instance.setup.entries === 1)
        this.#followFence(next, result)
      if (result.outcome.local.status === 'crashed') end = this.#dropMailOf(next, end, node)
    }
    visit(next, this.#normalised(next, end))
  }

  /** Puts a message behind those of its group; returns the new size. */
  #insert(world: Int32Array, size: number, envelope: number): number {
    const { groups } = this.parts
    const group = groups[envelope]
    if (size === MOST_NUMBERS)
      throw new BeyondReach(`more than ${MOST_NUMBERS} messages are under way: too many to explore`)
    let place = size
    while (place > this.header && groups[world[place - 1]] > group) {
      world[place] = world[place - 1]
      place -= 1
    }
    world[place] = envelope
    return size + 1
  }

  /** The last fence is kept plus one, 0 standing for one below all that are still to come. */
  #followFence(next: Int32Array, { outcome }: Compiled): void {
    const fence = outcome.entered as number
    const place = this.#nodes + 1
    if (fence + 1 <= next[place]) {
      this.step.staleFence = `node ${outcome.local.node} enters with fence ${fence} after fence ${next[place] - 1}`
    }
    next[place] = fence + 1
  }

  /** Nobody reads what is sent to the dead. */
  #dropMailOf(next: Int32Array, end: number, node: NodeId): number {
    let kept = this.header
    for (let i = this.header; i < end; i += 1) {
      if (this.parts.envelopes[next[i]].to === node) continue
      next[kept] = next[i]
      kept += 1
    }
    return kept
  }

  #normalised(world: Int32Array, size: number): number {
    const { parts, header } = this
    const count = this.#concrete ? 0 : parts.domains.length
    for (let domain = 0; domain < count; domain += 1) {
      if (parts.domains[domain].clock === this.#unshifted) continue
      let least = Number.POSITIVE_INFINITY
      for (let i = 0; i < this.#nodes; i += 1) {
        const value = parts.leastOfLocal[world[i] * count + domain]
        if (value < least) least = value
      }
      for (let i = header; i < size; i += 1) {
        const value = parts.leastOfEnvelope[world[i] * count + domain]
        if (value < least) least = value
      }
      if (least !== 0 && least !== Number.POSITIVE_INFINITY) this.#shift(world, size, domain, least)
    }
    return size
  }

  #shift(world: Int32Array, size: number, domain: number, by: number): void {
    const { parts, header } = this
    for (let i = 0; i < this.#nodes; i += 1) world[i] = parts.shiftedLocal(world[i], domain, by)
    // Shifted messages have other numbers, so their groups may stand in another order.
    for (let i = header; i < size; i += 1) this.#insert(world, i, parts.shiftedEnvelope(world[i], domain, by))
    if (this.#followFences) this.#shiftFence(world, domain, by)
  }

  #shiftFence(world: Int32Array, domain: number, by: number): void {
    const { clock, scaled } = this.instance.algorithm.shapes.fence
    if (this.parts.domains[domain].clock !== clock) return
    const place = this.#nodes + 1
    world[place] = Math.max(0, world[place] - by * (scaled ? this.#nodes : 1))
  }

  #noteLocal(id: number): number {
    const { status, state } = this.parts.locals[id]
    const flags =
      status === 'waiting'
        ? WAITING
        : status === 'inside' || status === 'inside unwanted'
          ? INSIDE
          : status === 'crashed'
            ? CRASHED
            : 0
    this.#flags[id] = flags
    this.#tokensHeld[id] = status === 'crashed' ? 0 : (this.instance.algorithm.tokens?.held(state) ?? 0)
    return flags
  }
}

function packBudgets(budgets: Budgets): number {
  return BUDGETS.reduce((packed, name, i) => packed | (budgets[name] << (i * BUDGET_BITS)), 0)
}

function has(packed: number, name: (typeof BUDGETS)[number]): boolean {
  return ((packed >> (BUDGETS.indexOf(name) * BUDGET_BITS)) & 0xf) > 0
}

function spend(packed: number, name: (typeof BUDGETS)[number]): number {
  return packed - (1 << (BUDGETS.indexOf(name) * BUDGET_BITS))
}
