import type { NodeId } from '@turnwise/core/algorithm'
import type { Fault } from '@turnwise/core/faults'
import { Dispatcher } from './dispatcher.ts'
import type { Engine, WorldConfig } from './engine.ts'
import { Failures, type Inhabitants } from './failures.ts'
import { Hands } from './hands.ts'
import type { Jury } from './jury.ts'
import { Membership } from './membership.ts'
import { Transmission } from './transmission.ts'

/**
 * One run: a pure function of its configuration. The caller, which has a clock, a progress bar or a thread, steps it in
 * slices.
 */
export abstract class Run<Config extends WorldConfig> {
  isOver = false
  /** The run was stopped because its events had no result. */
  gaveUp = false
  readonly config: Config
  /** For hands that act between two events of the run. */
  readonly hands: Hands
  protected readonly engine: Engine
  readonly #dispatcher: Dispatcher

  constructor(config: Config, engine: Engine, inhabitants: Inhabitants) {
    this.config = config
    this.engine = engine
    const transmission = new Transmission(engine, inhabitants)
    const membership = new Membership(engine, transmission, inhabitants)
    const failures = new Failures(engine, transmission, inhabitants, membership)
    const dispatcher = new Dispatcher(engine, { transmission, failures, membership, inhabitants })
    this.#dispatcher = dispatcher
    this.hands = new Hands({ engine, transmission, failures, dispatcher, inhabitants })
  }

  get jury(): Jury {
    return this.engine.jury
  }
  /** Calls of handlers. */
  get events(): number {
    return this.engine.events
  }
  get firedFaults(): ReadonlySet<Fault> {
    return this.engine.firedFaults
  }

  /** The state of a node, to look at. */
  stateOf(node: NodeId): object {
    return this.engine.stateOf(node)
  }

  /** Handles up to `most` pending events; true when the run is over. */
  step(most: number): boolean {
    const { engine } = this
    for (let handled = 0; handled < most && !this.isOver; handled += 1) {
      this.gaveUp = engine.isHopeless
      if (this.gaveUp || this.isDone() || !engine.queue.pop()) {
        this.isOver = true
        this.end()
      } else this.#dispatcher.handle()
    }
    return this.isOver
  }

  runToEnd(): this {
    while (!this.step(1_000_000));
    return this
  }

  protected startNodes(): void {
    this.#dispatcher.startNodes()
  }

  /** Whether nothing more is to come, although events may be pending. */
  protected isDone(): boolean {
    return false
  }

  /** The judges hear that the run is over. */
  protected abstract end(): void
}
