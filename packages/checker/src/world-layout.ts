import type { NodeId, ResourceId } from '@turnwise/core/algorithm'
import { get, increase, intAt, outOfBounds } from '@turnwise/core/bounds'
import { BeyondReach } from './beyond-reach.ts'
import { Gaps } from './gaps.ts'
import type { GivenFences } from './given-fences.ts'
import type { Instance } from './instance.ts'
import type { Local, Status } from './local.ts'
import type { Envelope, Parts } from './parts.ts'

export const WAITING = 1
export const INSIDE = 2
export const CRASHED = 4
/** Beside WAITING or INSIDE: to share. */
export const SHARED = 8
/** Not part of the system: it has not joined yet, or has left. */
export const ABSENT = 16
/** Something happens to it before anything else does. */
export const DUE = 32
/** It was told to leave. */
export const LEAVING = 64
/** Beside WAITING or INSIDE: to update; beside both: to be alone. */
export const UPDATE = 128

/** What ends a run: a clock would pass its bound, or a channel has no room for a message. */
export type Bound = 'clock' | 'room'

/** How long a world may become. */
export const MOST_NUMBERS = 2048

/**
 * How a world lies in a list of numbers: the local state of each node, how much trouble is left, the fences given (where
 * fences are followed), the surroundings (where they change), and the messages under way, grouped by what may not overtake.
 *
 * Worlds are normalised: clocks are shifted so that the smallest value alive is 0. `concrete` worlds keep all numbers
 * as they are, and so do those of an instance with a bound on its clocks; others those of the clock `unshifted`. If a node may yet begin anew, all numbers are kept: its 0 must
 * stay below what others have counted to.
 */
export class Layout {
  readonly parts: Parts
  /** Where the messages begin. */
  readonly header: number
  /** Whether a node may yet begin anew in this world; null where none does. */
  mayBeginAnew: ((world: Int32Array) => boolean) | null = null
  /** Null where distances between clock values are kept as they are. */
  readonly gaps: Gaps | null
  readonly #instance: Instance
  readonly #nodes: number
  readonly #fences: GivenFences | null
  readonly #concrete: boolean
  readonly #unshifted: string | null
  /** What the last `normalised` has shifted, and whether it has left all numbers as they were. */
  readonly #shifts: { readonly domain: number; readonly by: number }[] = []
  #isAsItWas = true
  readonly #flags: number[] = []
  readonly #inChannel: number[]
  readonly #resources: number
  /** By local state, and by resource. */
  readonly #tokensHeld: number[] = []

  constructor(
    instance: Instance,
    parts: Parts,
    {
      fences,
      changing,
      concrete,
      unshifted,
    }: { fences: GivenFences | null; changing: boolean; concrete: boolean; unshifted: string | null },
  ) {
    this.#instance = instance
    this.parts = parts
    this.#nodes = instance.setup.nodes
    this.#resources = instance.setup.resources
    this.#fences = fences
    this.#concrete = concrete
    this.#unshifted = unshifted
    this.header = this.#nodes + (fences === null ? 1 : 2) + (changing ? 1 : 0)
    this.#inChannel = Array.from({ length: this.#nodes ** 2 }, () => 0)
    const { gaps } = instance
    this.gaps = gaps === undefined || concrete ? null : new Gaps(this, this.#nodes, gaps)
  }

  localOf(world: Int32Array, node: NodeId): Local {
    return this.parts.locals[intAt(world, node)] ?? outOfBounds()
  }

  /** How the node stands: a sum of WAITING, INSIDE, CRASHED, SHARED, ABSENT, DUE, LEAVING, UPDATE. */
  flagsOf(world: Int32Array, node: NodeId): number {
    const local = intAt(world, node)
    return this.#flags[local] ?? this.#noteLocal(local)
  }

  /** Tokens of a resource, held and under way, without those that will be discarded. */
  tokensIn(world: Int32Array, size: number, resource: ResourceId): number {
    const { tokens } = this.#instance.algorithm
    if (tokens === undefined) return 0
    let sum = 0
    for (let node = 0; node < this.#nodes; node += 1) {
      this.flagsOf(world, node)
      sum += this.#tokensHeld[intAt(world, node) * this.#resources + resource] ?? outOfBounds()
    }
    for (let i = this.header; i < size; i += 1) {
      const envelope = this.parts.envelopes[intAt(world, i)] ?? outOfBounds()
      const carried = tokens.carried(envelope.message, resource)
      if (carried > 0 && !this.#isVoid(world, envelope)) sum += carried
    }
    return sum
  }

  /** Whether no node will use the token in a message. If the addressee is absent, it may come back to the sender. */
  #isVoid(world: Int32Array, { message, from, to }: Envelope): boolean {
    const { algorithm } = this.#instance
    const { tokens } = algorithm
    if (tokens?.isVoid === undefined) return false
    const isThere = (node: NodeId) => (this.flagsOf(world, node) & (CRASHED | ABSENT)) === 0
    const [reader = null] = [to, ...(algorithm.undelivered === undefined ? [] : [from])].filter(isThere)
    return reader === null || tokens.isVoid(message, this.localOf(world, reader).state, from, reader)
  }

  /** Puts a message behind those of its group; returns the new size. */
  insert(world: Int32Array, size: number, envelope: number): number {
    const { groups } = this.parts
    const group = groups[envelope] ?? outOfBounds()
    if (size === MOST_NUMBERS)
      throw new BeyondReach(`more than ${MOST_NUMBERS} messages are under way: too many to explore`)
    let place = size
    while (place > this.header && (groups[intAt(world, place - 1)] ?? outOfBounds()) > group) {
      world[place] = intAt(world, place - 1)
      place -= 1
    }
    world[place] = envelope
    return size + 1
  }

  /** Drops messages that will never be read. */
  dropMailOf(next: Int32Array, end: number, isDeaf: (node: NodeId) => boolean): number {
    let kept = this.header
    for (let i = this.header; i < end; i += 1) {
      if (isDeaf(get(this.parts.envelopes, intAt(next, i)).to)) continue
      next[kept] = intAt(next, i)
      kept += 1
    }
    return kept
  }

  /** Which bound of the instance the world is beyond; null if none. */
  boundPassed(world: Int32Array, size: number): Bound | null {
    const { clock, room } = this.#instance
    if (clock !== undefined && this.#isClockBeyond(world, size)) return 'clock'
    return room !== undefined && this.#isFuller(world, size, room) ? 'room' : null
  }

  #isClockBeyond(world: Int32Array, size: number): boolean {
    const { parts } = this
    for (let i = 0; i < this.#nodes; i += 1) if (parts.isBeyond('local', intAt(world, i))) return true
    for (let i = this.header; i < size; i += 1) if (parts.isBeyond('envelope', intAt(world, i))) return true
    return false
  }

  /** Whether a channel has more messages than this. */
  #isFuller(world: Int32Array, size: number, room: number): boolean {
    this.#inChannel.fill(0)
    for (let i = this.header; i < size; i += 1) {
      const { from, to } = get(this.parts.envelopes, intAt(world, i))
      const count = increase(this.#inChannel, from * this.#nodes + to)
      if (count > room) return true
    }
    return false
  }

  normalised(world: Int32Array, size: number): number {
    const { parts, header } = this
    this.#shifts.length = 0
    const isShifted = !this.#concrete && this.#instance.clock === undefined
    const count = isShifted ? parts.domains.length : 0
    this.#isAsItWas = this.mayBeginAnew?.(world) === true
    if (this.#isAsItWas) return size
    if (this.gaps !== null) {
      this.gaps.settle(world, size)
      return size
    }
    for (let domain = 0; domain < count; domain += 1) {
      if (parts.domains[domain]?.clock === this.#unshifted) continue
      let least = Number.POSITIVE_INFINITY
      for (let i = 0; i < this.#nodes; i += 1) {
        const value = parts.leastOfLocal[intAt(world, i) * count + domain] ?? outOfBounds()
        if (value < least) least = value
      }
      for (let i = header; i < size; i += 1) {
        const value = parts.leastOfEnvelope[intAt(world, i) * count + domain] ?? outOfBounds()
        if (value < least) least = value
      }
      if (least !== 0 && least !== Number.POSITIVE_INFINITY) this.#shift(world, size, domain, least)
    }
    return size
  }

  /** The number that the last `normalised` has given to a message of the world. */
  renamed(envelope: number): number {
    if (this.#isAsItWas) return envelope
    if (this.gaps !== null) return this.gaps.settled(envelope)
    return this.#shifts.reduce((id, { domain, by }) => this.parts.shiftedEnvelope(id, domain, by), envelope)
  }

  #shift(world: Int32Array, size: number, domain: number, by: number): void {
    const { parts, header } = this
    this.#shifts.push({ domain, by })
    for (let i = 0; i < this.#nodes; i += 1) world[i] = parts.shiftedLocal(intAt(world, i), domain, by)
    // Shifted messages have other numbers, so their groups may stand in another order.
    for (let i = header; i < size; i += 1)
      this.insert(world, i, parts.shiftedEnvelope(intAt(world, i), domain, by))
    if (this.#fences !== null && parts.domains[domain]?.clock === this.#fences.clock) {
      const place = this.#nodes + 1
      world[place] = this.#fences.shifted(intAt(world, place), by)
    }
  }

  #noteLocal(id: number): number {
    const { status, state, mode, churn } = get(this.parts.locals, id)
    const shares = mode === 'shared' ? SHARED : mode === 'update' ? UPDATE : 0
    const isDue = churn !== null && churn.due.length > 0 ? DUE : 0
    const flags = STANDS[status] | shares | isDue | (churn?.isLeaving === true ? LEAVING : 0)
    this.#flags[id] = flags
    const isAway = (flags & (CRASHED | ABSENT)) !== 0
    const { tokens } = this.#instance.algorithm
    for (let resource = 0; resource < this.#resources; resource += 1)
      this.#tokensHeld[id * this.#resources + resource] = isAway ? 0 : (tokens?.held(state, resource) ?? 0)
    return flags
  }
}

const STANDS: Readonly<Record<Status, number>> = {
  idle: 0,
  waiting: WAITING,
  inside: INSIDE,
  upgrading: INSIDE | WAITING,
  'waiting unwanted': 0,
  'inside unwanted': INSIDE,
  'inside no more': 0,
  crashed: CRASHED,
  absent: ABSENT,
}
