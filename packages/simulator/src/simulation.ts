import type { Ask, NodeId } from '@turnwise/core/algorithm'
import type { Fault } from '@turnwise/core/faults'
import { randomStream } from '@turnwise/core/random'
import { Callers } from './callers.ts'
import { Dispatcher } from './dispatcher.ts'
import { ASK, Engine, type SimulationConfig, WITHDRAW } from './engine.ts'
import { Failures } from './failures.ts'
import { Hands } from './hands.ts'
import type { Jury } from './jury.ts'
import { EXCLUSIVE, SHARED } from './load.ts'
import { Membership } from './membership.ts'
import { isUrgent, priorityDrawer } from './priorities.ts'
import { setDrawer } from './resources.ts'
import { Transmission } from './transmission.ts'
import { type Driver, type Workload, workloadOf } from './workload.ts'

/**
 * One run: a pure function of its configuration. The caller, which has a clock, a progress bar or a thread, steps it in
 * slices.
 */
export class Simulation {
  isOver = false
  /** The run was stopped because its events had no result. */
  gaveUp = false
  readonly config: SimulationConfig
  /** For hands that act between two events of the run. */
  readonly hands: Hands
  readonly #engine: Engine
  readonly #callers: Callers
  readonly #dispatcher: Dispatcher
  readonly #workload: Workload

  constructor(config: SimulationConfig) {
    this.config = config
    this.#engine = new Engine(config, config.warmup)
    this.#callers = new Callers(this.#engine, config)
    const transmission = new Transmission(this.#engine, this.#callers)
    const membership = new Membership(this.#engine, transmission, this.#callers)
    const failures = new Failures(this.#engine, transmission, this.#callers, membership)
    this.#dispatcher = new Dispatcher(
      this.#engine,
      { transmission, failures, membership },
      (kind, node, id, payload) => this.#happen(kind, node, id, payload),
    )
    this.hands = new Hands({
      engine: this.#engine,
      transmission,
      failures,
      dispatcher: this.#dispatcher,
      inhabitants: this.#callers,
    })
    if ((config.priorities ?? []).length > 0 || isUrgent(config.load)) this.jury.cost.followPriorities()
    const { between } = config.latency
    if (between !== undefined) this.jury.cost.followZones(between.zones.of)
    this.#workload = workloadOf(config.load, this.#driver(), config.algorithm.facts.fallsSilent)
    this.#callers.workload = this.#workload
    this.#dispatcher.startNodes()
    this.#callers.begin()
    this.#workload.start?.()
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

  /** The state of a node, to look at. */
  stateOf(node: NodeId): object {
    return this.#engine.stateOf(node)
  }

  /** Handles up to `most` pending events; true when the run is over. */
  step(most: number): boolean {
    const engine = this.#engine
    for (let handled = 0; handled < most && !this.isOver; handled += 1) {
      if (engine.live === 0 && this.#callers.inside === 0) this.#workload.silent?.()
      if (this.#isDone() || !engine.queue.pop()) this.#end()
      else this.#dispatcher.handle()
    }
    return this.isOver
  }

  runToEnd(): this {
    while (!this.step(1_000_000));
    return this
  }

  #isDone(): boolean {
    const engine = this.#engine
    const callers = this.#callers
    if (engine.isHopeless) {
      this.gaveUp = true
      return true
    }
    if (callers.unserved > 0 || callers.inside > 0 || callers.issued < this.config.entries) return false
    return engine.live === 0 || !this.config.algorithm.facts.fallsSilent
  }

  #end(): void {
    this.isOver = true
    this.jury.ended(this.#engine.now, (node) => this.#callers.isWaiting(node))
  }

  /** The callers, which ask, give up or leave. */
  #happen(kind: number, node: NodeId, id: number, payload: unknown): void {
    if (kind === ASK) this.#callers.ask(node, payload as Ask)
    else if (kind === WITHDRAW) this.#callers.withdraw(node)
    else if (id === this.#engine.incarnation[node]) this.#callers.leave(node)
  }

  #driver(): Driver {
    const engine = this.#engine
    const drawn = askDrawer(this.config)
    return {
      get now() {
        return engine.now
      },
      nodes: engine.setup.nodes,
      entries: this.config.entries,
      random: randomStream(engine.config.seed, 'load'),
      isAlive: (node) => engine.alive[node] === 1 && this.#callers.isOpen(node),
      ask: (at, node, ask = drawn()) => engine.queue.push(at, ASK, node, 0, 0, ask),
      withdraw: (at, node) => engine.queue.push(at, WITHDRAW, node, 0, 0, null),
    }
  }
}

/** The default request of a caller: exclusive and ordinary, except for the given shares, and for the resources that it takes. */
function askDrawer(config: SimulationConfig): () => Ask {
  const { seed, setup, take = null } = config
  const ask = modeDrawer(config)
  if (take === null) return ask
  const resources = setDrawer(randomStream(seed, 'resources'), take, setup.resources)
  return () => ({ ...ask(), resources: resources() })
}

function modeDrawer({ seed, readers = 0, priorities = [] }: SimulationConfig): () => Ask {
  const random = randomStream(seed, 'readers')
  const mode = () => (readers > 0 && random.fraction() < readers ? SHARED : EXCLUSIVE)
  if (priorities.length === 0) return mode
  const priority = priorityDrawer(priorities, randomStream(seed, 'priorities'))
  return () => ({ ...mode(), priority: priority() })
}
