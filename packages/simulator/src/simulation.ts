import type { Ask } from '@turnwise/core/algorithm'
import { randomStream } from '@turnwise/core/random'
import { Callers } from './callers.ts'
import { ASK, Engine, type SimulationConfig, WITHDRAW } from './engine.ts'
import { EXCLUSIVE, SHARED } from './load.ts'
import { isUrgent, priorityDrawer } from './priority-shares.ts'
import { Run } from './run.ts'
import { setDrawer } from './taken-resources.ts'
import { type Driver, type Workload, workloadOf } from './workload.ts'

/** A run in which nodes enter and leave. */
export class Simulation extends Run<SimulationConfig> {
  readonly #callers: Callers
  readonly #workload: Workload

  constructor(config: SimulationConfig) {
    const engine = new Engine(config, config.warmup)
    const callers = new Callers(engine, config)
    super(config, engine, callers)
    this.#callers = callers
    if ((config.priorities ?? []).length > 0 || isUrgent(config.load)) this.jury.cost.followPriorities()
    const { between } = config.latency
    if (between !== undefined) this.jury.cost.followZones(between.zones.of)
    this.#workload = workloadOf(config.load, this.#driver(), config.algorithm.facts.fallsSilent)
    callers.workload = this.#workload
    this.startNodes()
    callers.begin()
    this.#workload.start?.()
  }

  get issued(): number {
    return this.#callers.issued
  }
  get unserved(): number {
    return this.#callers.unserved
  }

  protected override isDone(): boolean {
    const { engine } = this
    const callers = this.#callers
    if (engine.live === 0 && callers.inside === 0) this.#workload.silent?.()
    if (callers.unserved > 0 || callers.inside > 0 || callers.issued < this.config.entries) return false
    return engine.live === 0 || !this.config.algorithm.facts.fallsSilent
  }

  protected override end(): void {
    this.jury.ended(this.engine.now, (node) => this.#callers.isWaiting(node))
  }

  #driver(): Driver {
    const { engine } = this
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
