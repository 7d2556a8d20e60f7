import {
  type AnyAlgorithm,
  type AnyProtocol,
  type Here,
  ImpossibleError,
  type Message,
  type NodeId,
  receiver,
} from '@turnwise/core/algorithm'
import { intAt } from '@turnwise/core/bounds'
import type { Fault } from '@turnwise/core/faults'
import type { Setup } from '@turnwise/core/setup'
import { TICKS_PER_UNIT, type TraceEvent } from '@turnwise/core/trace/trace'
import { EventQueue } from './event-queue.ts'
import { Jury } from './jury.ts'
import type { Latency, Law } from './latency.ts'
import type { Load } from './load.ts'
import { absentAtFirst } from './membership-faults.ts'
import type { PriorityShare } from './priority-shares.ts'

/** The common part of all runs, with or without elections. */
export interface WorldConfig {
  readonly algorithm: AnyProtocol
  readonly setup: Setup
  readonly seed: number
  readonly latency: Latency
  readonly channels: 'fifo' | 'unordered'
  readonly faults: readonly Fault[]
  /** Told of everything that happens, in order. */
  readonly record?: (event: TraceEvent) => void
}

export interface SimulationConfig extends WorldConfig {
  readonly algorithm: AnyAlgorithm
  /** How many requests are issued in all. */
  readonly entries: number
  /** How many entries at the beginning are not counted. */
  readonly warmup: number
  readonly load: Load
  /** The share of requests that ask to share; a script says it line by line. */
  readonly readers?: number
  /** The shares of requests that have a priority; a script says it line by line. */
  readonly priorities?: readonly PriorityShare[]
  /** How many resources each request takes, drawn at random; null where there is one lock, or a script says it. */
  readonly take?: number | null
  /** How long a node stays inside. */
  readonly inside: Law
}

/** A run that never falls silent is stopped after so many events without a result. */
const PATIENCE = 1_000_000

// Kinds of pending events. Those up to LEAVE mean that something is still under way.
export const DELIVER = 0
export const TIMER = 1
export const PROCEED = 2
export const NOTICE = 3
export const SUSPECT = 4
export const RESTORE = 5
export const LINKED = 6
export const UNLINKED = 7
export const LEAVE = 8
export const ASK = 9
export const WITHDRAW = 10
export const FAULT_BEGINS = 11
export const FAULT_ENDS = 12

/** What the parts of a run share: time, pending events, the nodes' states, the judges, the recorder. */
export class Engine {
  readonly config: WorldConfig
  readonly algorithm: AnyProtocol
  readonly setup: Setup
  readonly queue = new EventQueue()
  readonly jury: Jury
  readonly record: ((event: TraceEvent) => void) | null
  readonly firedFaults = new Set<Fault>()
  readonly #states: (object | undefined)[]
  readonly alive: Uint8Array
  /** Who is part of the system, crashed or not. */
  readonly present: Uint8Array
  /** If a node may have to leave: how many events at each node, or messages from it, are pending, without timers. */
  pending: Map<NodeId, number> | null = null
  /** How often each node has crashed: what it scheduled before is void. */
  readonly incarnation: Int32Array
  now = 0
  /** Calls of handlers. */
  events = 0
  /** Pending events that mean that something is under way. */
  live = 0
  /** Events since the last request, entry or exit, or the last call or result of an election. */
  quiet = 0
  /** Called for a node whose handler broke a rule. */
  stop: (node: NodeId) => void = () => {}
  #here: (Here & { self: NodeId }) | null = null
  #heldSteps: { node: NodeId; step: string }[] | null = null

  constructor(config: WorldConfig, warmup = 0) {
    const { algorithm } = config
    const absent = absentAtFirst(config.faults)
    const setup = absent.length === 0 ? config.setup : { ...config.setup, absent }
    this.config = config
    this.algorithm = algorithm
    this.setup = setup
    this.record = config.record ?? null
    this.jury = new Jury(algorithm, setup, this.record, warmup)
    this.alive = new Uint8Array(setup.nodes).fill(1)
    for (const node of setup.absent) this.alive[node] = 0
    this.present = this.alive.slice()
    this.incarnation = new Int32Array(setup.nodes)
    this.#states = Array.from({ length: setup.nodes })
    // If the setup does not suit the rules, they say so now and not within the run. No node starts before all have a state.
    const first = algorithm.start === undefined ? 1 : setup.nodes
    for (let node = 0; node < first; node += 1) this.begin(node)
  }

  /** The state of a node. It is made when the node first does something: most of a million nodes never do. */
  stateOf(node: NodeId): object {
    const state = this.#states[node]
    return state ?? this.begin(node)
  }

  /** Gives a node the state in which it begins. */
  begin(node: NodeId): object {
    const state = this.algorithm.init(node, this.setup)
    this.#states[node] = state
    return state
  }

  /** So many events had no result that none will. */
  get isHopeless(): boolean {
    return this.quiet > PATIENCE && this.quiet > 50 * this.setup.nodes
  }

  /** Where handlers stand; set once, by the part that sends. */
  set here(here: Here & { self: NodeId }) {
    this.#here = here
  }

  /** Schedules an event that means that something is under way. */
  schedule(at: number, kind: number, node: NodeId, other: number, id: number, payload: unknown): void {
    this.live += 1
    if (this.pending !== null) this.#await(1, kind, node, other)
    this.queue.push(at, kind, node, other, id, payload)
  }

  /** What was scheduled happens now. */
  happens(kind: number, node: NodeId, other: number): void {
    this.live -= 1
    if (this.pending !== null) this.#await(-1, kind, node, other)
  }

  /** A cancelled timer stays in the queue, so timers are counted where they run. */
  #await(change: 1 | -1, kind: number, node: NodeId, other: number): void {
    const { pending } = this
    if (pending === null || kind === TIMER) return
    for (const party of kind === DELIVER ? [node, other] : [node]) {
      pending.set(party, (pending.get(party) ?? 0) + change)
    }
  }

  /** Schedules an event that a crash of the node makes void. */
  scheduleOwn(at: number, kind: typeof LEAVE | typeof PROCEED, node: NodeId, payload: unknown): void {
    this.schedule(at, kind, node, 0, intAt(this.incarnation, node), payload)
  }

  /** Schedules a step of a node at once. */
  proceed(node: NodeId, step: string): void {
    if (this.#heldSteps === null) this.scheduleOwn(this.now, PROCEED, node, step)
    else this.#heldSteps.push({ node, step })
  }

  /** The steps that this schedules come after everything else that it does (promise 9 of a host). */
  stepsLast(work: () => void): void {
    const held: { node: NodeId; step: string }[] = []
    this.#heldSteps = held
    work()
    this.#heldSteps = null
    for (const { node, step } of held) this.proceed(node, step)
  }

  /** Calls one handler of a node. */
  call(node: NodeId, handler: (state: object, here: Here) => void): void {
    const here = this.#here as Here & { self: NodeId }
    this.events += 1
    this.quiet += 1
    here.self = node
    try {
      handler(this.stateOf(node), here)
    } catch (error) {
      this.#broke(node, error)
    }
  }

  /** Calls the handler of a message: what a run does most, so it makes no closure. */
  receive(node: NodeId, from: NodeId, message: Message): void {
    const here = this.#here as Here & { self: NodeId }
    this.events += 1
    this.quiet += 1
    here.self = node
    try {
      receiver(this.algorithm, message.type)(this.stateOf(node), here, message, from)
    } catch (error) {
      this.#broke(node, error)
    }
  }

  /** A handler met a case that its paper excludes. With corrupted messages any failure counts as that. */
  #broke(node: NodeId, error: unknown): void {
    const expected =
      error instanceof ImpossibleError || this.config.faults.some(({ kind }) => kind === 'corrupt')
    if (!expected || !(error instanceof Error)) throw error
    this.jury.rules.add(this.now, [node], `node ${node} stops: ${error.message}`)
    this.stop(node)
  }
}

export function ticks(units: number): number {
  return Math.round(units * TICKS_PER_UNIT)
}
