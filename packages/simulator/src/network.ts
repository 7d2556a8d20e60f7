import type { Message, NodeId } from '@turnwise/core/algorithm'
import type { Fault, Link } from '@turnwise/core/faults'
import type { Random } from '@turnwise/core/random'
import { corrupted } from './corruption.ts'
import { drawTicks, type Latency, lawOf, lawsIn } from './latency.ts'

/** The chances of what may happen to a single message. */
interface Hazards {
  readonly drop: readonly MessageFault[]
  readonly duplicate: readonly MessageFault[]
  readonly corrupt: readonly MessageFault[]
  readonly spike: readonly Extract<Fault, { factor: number }>[]
}

type MessageFault = Extract<Fault, { probability: number }>

/** The fate of a message that is sent now. */
export interface Fate {
  /** When each copy arrives; empty when it is lost. */
  arrivals: number[]
  lost: 'drop' | 'cut' | null
  /** What arrives: the message, or its corrupted form. */
  message: Message
}

/**
 * Decides when a message arrives and what happens to it on the way. On fifo channels a message never arrives
 * before one that was sent earlier on the same channel: it waits behind it.
 */
export class Network {
  readonly #nodes: number
  readonly #latency: Latency
  /** Where every delay of a channel is the same, messages cannot overtake and no memory of them is needed. */
  #keepsOrder: boolean
  readonly #isFifo: boolean
  readonly #lastArrival = new Map<number, number>()
  readonly #latencyRandom: Random
  readonly #faultRandom: Random
  readonly #hazards: Hazards | null
  readonly #types: readonly string[]
  readonly #fired: (fault: Fault) => void
  /** The faults that cut each one-way link now. */
  readonly #cuts = new Map<number, readonly Fault[]>()
  /** One-way links that are gone until further notice. */
  readonly #unlinked = new Set<number>()

  constructor(wiring: {
    nodes: number
    latency: Latency
    channels: 'fifo' | 'unordered'
    faults: readonly Fault[]
    types: readonly string[]
    latencyRandom: Random
    faultRandom: Random
    fired: (fault: Fault) => void
  }) {
    const { latency, faults } = wiring
    this.#nodes = wiring.nodes
    this.#latency = latency
    this.#latencyRandom = wiring.latencyRandom
    this.#faultRandom = wiring.faultRandom
    this.#types = wiring.types
    this.#fired = wiring.fired
    this.#isFifo = wiring.channels === 'fifo'
    const perMessage = faults.filter((fault) => 'probability' in fault)
    const hazards: Hazards = {
      drop: perMessage.filter(({ kind }) => kind === 'drop'),
      duplicate: perMessage.filter(({ kind }) => kind === 'duplicate'),
      corrupt: perMessage.filter(({ kind }) => kind === 'corrupt'),
      spike: faults.filter((fault) => fault.kind === 'spike'),
    }
    this.#hazards = Object.values(hazards).some((list) => list.length > 0) ? hazards : null
    const constant = lawsIn(latency).every((law) => law.kind === 'constant')
    this.#keepsOrder = wiring.channels === 'fifo' && !(constant && hazards.spike.length === 0)
  }

  /** True where the fate of a message is its arrival time alone, which `arrival` then tells. */
  get isHarmless(): boolean {
    return this.#hazards === null && this.#cuts.size === 0 && this.#unlinked.size === 0
  }

  arrival(now: number, from: NodeId, to: NodeId): number {
    return this.#queued(from, to, now + this.#delay(from, to))
  }

  /** A hand holds a message back until then. Later messages that may not overtake it wait behind it. */
  holdBack(from: NodeId, to: NodeId, until: number): void {
    this.#behind(this.#nodes * this.#nodes + to, until)
    if (!this.#isFifo) return
    this.#keepsOrder = true
    this.#behind(from * this.#nodes + to, until)
  }

  /** When one listener hears a broadcast on an ordered medium: after all earlier broadcasts of all nodes. */
  mediumArrival(now: number, from: NodeId, to: NodeId): number {
    const delay =
      from === to ? drawTicks(this.#latency.everywhere, this.#latencyRandom) : this.#delay(from, to)
    return this.#behind(this.#nodes * this.#nodes + to, now + delay)
  }

  fate(now: number, from: NodeId, to: NodeId, message: Message): Fate {
    if (this.losesNow(from, to)) return { arrivals: [], lost: 'cut', message }
    if (this.#happens('drop')) return { arrivals: [], lost: 'drop', message }
    const arrivals = [this.#queued(from, to, now + this.#spiked(this.#delay(from, to)))]
    if (this.#happens('duplicate'))
      arrivals.push(this.#queued(from, to, now + this.#spiked(this.#delay(from, to))))
    if (!this.#happens('corrupt')) return { arrivals, lost: null, message }
    return { arrivals, lost: null, message: corrupted(message, this.#types, this.#faultRandom) }
  }

  /** A cut loses messages that are sent or would arrive while it lasts. */
  losesNow(from: NodeId, to: NodeId): boolean {
    if (this.#unlinked.size > 0 && this.#unlinked.has(from * this.#nodes + to)) return true
    if (this.#cuts.size === 0) return false
    const faults = this.#cuts.get(from * this.#nodes + to)
    for (const fault of faults ?? []) this.#fired(fault)
    return faults !== undefined
  }

  /** The channel is gone, both ways: like a cut that lasts until the channel is back. */
  unlink(a: NodeId, b: NodeId): void {
    this.#unlinked.add(a * this.#nodes + b).add(b * this.#nodes + a)
  }

  link(a: NodeId, b: NodeId): void {
    this.#unlinked.delete(a * this.#nodes + b)
    this.#unlinked.delete(b * this.#nodes + a)
  }

  /** True if the link was whole before. */
  cut(fault: Fault, { from, to }: Link): boolean {
    const link = from * this.#nodes + to
    const faults = this.#cuts.get(link) ?? []
    this.#cuts.set(link, [...faults, fault])
    return faults.length === 0
  }

  isCut({ from, to }: Link): boolean {
    return this.#cuts.has(from * this.#nodes + to)
  }

  /** Ends this cut of the link, or all of them. True if the link is whole again, and was not before. */
  heal(fault: Fault | 'all', { from, to }: Link): boolean {
    const link = from * this.#nodes + to
    const before = this.#cuts.get(link)
    if (before === undefined) return false
    const faults = fault === 'all' ? [] : before.filter((other) => other !== fault)
    if (faults.length > 0) this.#cuts.set(link, faults)
    else this.#cuts.delete(link)
    return faults.length === 0
  }

  #delay(from: NodeId, to: NodeId): number {
    return drawTicks(lawOf(this.#latency, from, to, this.#nodes), this.#latencyRandom)
  }

  #queued(from: NodeId, to: NodeId, arrival: number): number {
    return this.#keepsOrder ? this.#behind(from * this.#nodes + to, arrival) : arrival
  }

  #behind(channel: number, arrival: number): number {
    const ordered = Math.max(arrival, this.#lastArrival.get(channel) ?? 0)
    this.#lastArrival.set(channel, ordered)
    return ordered
  }

  #spiked(delay: number): number {
    let result = delay
    for (const fault of this.#hazards?.spike ?? []) {
      if (!this.#faultRandom.chance(fault.probability)) continue
      this.#fired(fault)
      result = Math.max(1, Math.round(result * fault.factor))
    }
    return result
  }

  /** Every fault of the kind draws, whatever the others did, so that one does not shift the draws of the next. */
  #happens(kind: 'drop' | 'duplicate' | 'corrupt'): boolean {
    let happens = false
    for (const fault of this.#hazards?.[kind] ?? []) {
      if (!this.#faultRandom.chance(fault.probability)) continue
      this.#fired(fault)
      happens = true
    }
    return happens
  }
}
