import type { Ask, Message, NodeId } from '@turnwise/core/algorithm'
import type { Fault } from '@turnwise/core/faults'
import { randomStream } from '@turnwise/core/random'
import { Callers } from './callers.ts'
import {
  ASK,
  DELIVER,
  Engine,
  FAULT_BEGINS,
  LEAVE,
  LINKED,
  NOTICE,
  PROCEED,
  RESTORE,
  type SimulationConfig,
  SUSPECT,
  TIMER,
  UNLINKED,
  WITHDRAW,
} from './engine.ts'
import { Failures } from './failures.ts'
import type { Jury } from './jury.ts'
import { Membership } from './membership.ts'
import { Transmission } from './transmission.ts'
import { type Driver, type Workload, workloadOf } from './workload.ts'

/** A run that never falls silent is given up after so many events without a request, an entry or an exit. */
const PATIENCE = 1_000_000

/**
 * One run: a pure function of its configuration. It is stepped in slices by whoever has a clock, a progress
 * bar or a thread.
 */
export class Simulation {
  isOver = false
  /** The run was stopped because nothing came of all its events. */
  gaveUp = false
  readonly #engine: Engine
  readonly #callers: Callers
  readonly #transmission: Transmission
  readonly #membership: Membership
  readonly #failures: Failures
  readonly #workload: Workload

  constructor(config: SimulationConfig) {
    this.#engine = new Engine(config)
    this.#callers = new Callers(this.#engine)
    this.#transmission = new Transmission(this.#engine, (node, fence) => this.#callers.entered(node, fence))
    this.#membership = new Membership(this.#engine, this.#transmission, this.#callers)
    this.#failures = new Failures(this.#engine, this.#transmission, this.#callers, this.#membership)
    this.#workload = workloadOf(config.load, this.#driver(), config.algorithm.facts.fallsSilent)
    this.#callers.workload = this.#workload
    this.#startNodes()
    this.#callers.begin()
    this.#workload.start?.()
  }

  get config(): SimulationConfig {
    return this.#engine.config
  }
  get jury(): Jury {
    return this.#engine.jury
  }
  /** Calls of handlers. */
  get events(): number {
    return this.#engine.events
  }
  get issued(): number {
    return this.#callers.issued
  }
  get unserved(): number {
    return this.#callers.unserved
  }
  get firedFaults(): ReadonlySet<Fault> {
    return this.#engine.firedFaults
  }

  /** The state of a node, for those who look on. */
  stateOf(node: NodeId): object {
    return this.#engine.states[node]
  }

  /** Handles up to `most` pending events; true when the run is over. */
  step(most: number): boolean {
    const engine = this.#engine
    for (let handled = 0; handled < most && !this.isOver; handled += 1) {
      if (engine.live === 0 && this.#callers.inside === 0) this.#workload.silent?.()
      if (this.#isDone() || !engine.queue.pop()) this.#end()
      else {
        this.#handle()
        if (this.#membership.isUnsettled) this.#membership.settle((node) => this.#failures.isPaused(node))
      }
    }
    return this.isOver
  }

  runToEnd(): this {
    while (!this.step(1_000_000));
    return this
  }

  #startNodes(): void {
    const { algorithm, setup } = this.#engine
    if (algorithm.start === undefined) return
    for (let node = 0; node < setup.nodes; node += 1) {
      if (setup.absent.includes(node)) continue
      this.#engine.call(node, (state, here) => algorithm.start?.(state, here))
    }
  }

  #isDone(): boolean {
    const engine = this.#engine
    const callers = this.#callers
    if (engine.quiet > PATIENCE && engine.quiet > 50 * engine.setup.nodes) {
      this.gaveUp = true
      return true
    }
    if (callers.unserved > 0 || callers.inside > 0 || callers.issued < engine.config.entries) return false
    return engine.live === 0 || !engine.algorithm.facts.fallsSilent
  }

  #end(): void {
    this.isOver = true
    this.jury.ended(this.#engine.now, (node) => this.#callers.isWaiting(node))
  }

  #handle(): void {
    const { kind, node, other, id, payload, time } = this.#engine.queue
    this.#engine.now = time
    if (kind >= FAULT_BEGINS) {
      if (kind === FAULT_BEGINS) this.#failures.begin(payload as Fault)
      else this.#failures.end(payload as Fault)
      return
    }
    if (this.#failures.isPaused(node)) {
      this.#failures.postpone(node, () => this.#dispatch(kind, node, other, id, payload))
    } else this.#dispatch(kind, node, other, id, payload)
  }

  #dispatch(kind: number, node: NodeId, other: number, id: number, payload: unknown): void {
    const engine = this.#engine
    if (kind === TIMER && !this.#transmission.timers.expire(node, payload as string, id)) return
    if (kind <= LEAVE) engine.happens(kind, node, other)
    switch (kind) {
      case DELIVER:
        return this.#transmission.deliver(node, other, id, payload as Message)
      case ASK:
        return this.#callers.ask(node, payload as Ask)
      case WITHDRAW:
        return this.#callers.withdraw(node)
      case LEAVE:
        if (id === engine.incarnation[node]) this.#callers.leave(node)
        return
      case LINKED:
      case UNLINKED:
        return this.#membership.hear(kind, node, other)
      default:
        if (engine.alive[node] === 1) this.#dispatchRare(kind, node, other, id, payload)
    }
  }

  #dispatchRare(kind: number, node: NodeId, other: number, id: number, payload: unknown): void {
    const { algorithm, record, now: at, incarnation } = this.#engine
    switch (kind) {
      case TIMER:
        record?.({ at, is: 'timeout', node, timer: payload as string })
        return this.#engine.call(node, (state, here) => algorithm.timeout?.(state, here, payload as string))
      case PROCEED:
        if (id !== incarnation[node]) return
        record?.({ at, is: 'proceed', node, step: payload as string })
        return this.#engine.call(node, (state, here) => algorithm.proceed?.(state, here, payload as string))
      case NOTICE:
        record?.({ at, is: 'undelivered', id, node })
        return this.#engine.call(node, (state, here) =>
          algorithm.undelivered?.(state, here, other, payload as Message),
        )
      case SUSPECT:
        record?.({ at, is: 'suspect', node, peer: other })
        return this.#engine.call(node, (state, here) => algorithm.suspect?.(state, here, other))
      case RESTORE:
        record?.({ at, is: 'restore', node, peer: other })
        return this.#engine.call(node, (state, here) => algorithm.restore?.(state, here, other))
    }
  }

  #driver(): Driver {
    const engine = this.#engine
    return {
      get now() {
        return engine.now
      },
      nodes: engine.setup.nodes,
      entries: engine.config.entries,
      random: randomStream(engine.config.seed, 'load'),
      isAlive: (node) => engine.alive[node] === 1 && this.#callers.isOpen(node),
      ask: (at, node, ask) => engine.queue.push(at, ASK, node, 0, 0, ask),
      withdraw: (at, node) => engine.queue.push(at, WITHDRAW, node, 0, 0, null),
    }
  }
}
