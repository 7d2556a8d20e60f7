import type { AnyElection, NodeId } from '@turnwise/core/algorithm'
import type { Fault } from '@turnwise/core/faults'
import { TICKS_PER_UNIT } from '@turnwise/core/trace/trace'
import { Dispatcher } from './dispatcher.ts'
import { ASK, Engine, ticks, type WorldConfig } from './engine.ts'
import { Failures, type Inhabitants } from './failures.ts'
import { Hands } from './hands.ts'
import type { Jury } from './jury.ts'
import { Membership } from './membership.ts'
import { type Listener, Transmission } from './transmission.ts'

/** Who calls an election, and when, in units of time. */
export interface Call {
  readonly node: NodeId
  readonly at: number
}

export interface ElectionConfig extends WorldConfig {
  readonly algorithm: AnyElection
  readonly calls: readonly Call[]
}

/**
 * Elections in virtual time: a pure function of its configuration, like a `Simulation`. It is over when nothing is
 * under way and no fault is still to come, so that a coordinator that crashes after its election is replaced.
 */
export class ElectionSimulation {
  isOver = false
  /** The run was stopped because its events had no result. */
  gaveUp = false
  readonly config: ElectionConfig
  /** For hands that act between two events of the run. */
  readonly hands: Hands
  readonly #engine: Engine
  readonly #dispatcher: Dispatcher

  constructor(config: ElectionConfig) {
    this.config = config
    const engine = new Engine(config)
    this.#engine = engine
    const transmission = new Transmission(engine, this.#listener())
    const inhabitants = this.#inhabitants()
    const membership = new Membership(engine, transmission, inhabitants)
    const failures = new Failures(engine, transmission, inhabitants, membership)
    this.#dispatcher = new Dispatcher(engine, { transmission, failures, membership }, (_kind, node) =>
      this.#call(node),
    )
    this.hands = new Hands({
      engine,
      transmission,
      failures,
      dispatcher: this.#dispatcher,
      inhabitants: { elect: (node) => this.#call(node) },
    })
    this.#dispatcher.startNodes()
    for (const { node, at } of config.calls) engine.queue.push(ticks(at), ASK, node, 0, 0, null)
  }

  get jury(): Jury {
    return this.#engine.jury
  }
  /** Calls of handlers. */
  get events(): number {
    return this.#engine.events
  }
  get firedFaults(): ReadonlySet<Fault> {
    return this.#engine.firedFaults
  }
  /** The coordinator of all living nodes, or null. */
  get elected(): NodeId | null {
    return this.jury.election.unanimous(this.config.setup.nodes)
  }

  /** The state of a node, to look at. */
  stateOf(node: NodeId): object {
    return this.#engine.stateOf(node)
  }

  /** Handles up to `most` pending events; true when the run is over. */
  step(most: number): boolean {
    for (let handled = 0; handled < most && !this.isOver; handled += 1) {
      this.gaveUp = this.#engine.isHopeless
      if (this.gaveUp || !this.#engine.queue.pop()) this.#end()
      else this.#dispatcher.handle()
    }
    return this.isOver
  }

  runToEnd(): this {
    while (!this.step(1_000_000));
    return this
  }

  #end(): void {
    this.isOver = true
    this.jury.election.ended(this.#engine.now, this.config.setup.nodes, TICKS_PER_UNIT)
  }

  /** A living node calls no second election while its first is open. */
  #call(node: NodeId): void {
    const engine = this.#engine
    if (engine.alive[node] === 0 || this.jury.election.isOpen(node)) return
    engine.quiet = 0
    engine.record?.({ at: engine.now, is: 'elect', node })
    this.jury.election.called(engine.now, node)
    engine.call(node, (state, here) => this.config.algorithm.elect(state, here))
  }

  #listener(): Listener {
    return {
      entered: (node) => this.jury.rules.add(this.#engine.now, [node], `node ${node} enters in an election`),
      elected: (node, coordinator) => {
        // A result that repeats itself is nothing new: a run that only does that goes on for ever.
        if (this.jury.election.isOpen(node)) this.#engine.quiet = 0
        this.jury.election.elected(this.#engine.now, node, coordinator)
      },
    }
  }

  #inhabitants(): Inhabitants {
    const { election } = this.jury
    return {
      crashed: (node) => election.crashed(node),
      restarted: (node) => election.restarted(node),
      // A node that has left counts like a dead one, and a node that joins like one that runs again.
      close: (node) => election.crashed(node),
      opened: (node) => election.restarted(node),
      isBusy: () => false,
    }
  }
}
