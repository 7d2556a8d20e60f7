import type { AnyElection, NodeId } from '@turnwise/core/algorithm'
import { TICKS_PER_UNIT } from '@turnwise/core/trace/trace'
import { ASK, Engine, ticks, type WorldConfig } from './engine.ts'
import type { Inhabitants } from './failures.ts'
import { Run } from './run.ts'

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
 * Elections in virtual time. A run is over when nothing is under way and no fault is still to come, so that a coordinator
 * that crashes after its election is replaced.
 */
export class ElectionSimulation extends Run<ElectionConfig> {
  constructor(config: ElectionConfig) {
    const engine = new Engine(config)
    super(config, engine, new Electors(engine, config.algorithm))
    this.startNodes()
    for (const { node, at } of config.calls) engine.queue.push(ticks(at), ASK, node, 0, 0, null)
  }

  /** The coordinator of all living nodes, or null. */
  get elected(): NodeId | null {
    return this.jury.election.unanimous(this.config.setup.nodes)
  }

  protected override end(): void {
    this.jury.election.ended(this.engine.now, this.config.setup.nodes, TICKS_PER_UNIT)
  }
}

/** The nodes that call elections, and hear who is elected. */
class Electors implements Inhabitants {
  readonly #engine: Engine
  readonly #algorithm: AnyElection

  constructor(engine: Engine, algorithm: AnyElection) {
    this.#engine = engine
    this.#algorithm = algorithm
  }

  happen(_kind: number, node: NodeId): void {
    this.elect(node)
  }

  /** A living node calls no second election while its first is open. */
  elect(node: NodeId): void {
    const engine = this.#engine
    if (engine.alive[node] === 0 || engine.jury.election.isOpen(node)) return
    engine.quiet = 0
    engine.record?.({ at: engine.now, is: 'elect', node })
    engine.jury.election.called(engine.now, node)
    engine.call(node, (state, here) => this.#algorithm.elect(state, here))
  }

  entered(node: NodeId): void {
    this.#engine.jury.rules.add(this.#engine.now, [node], `node ${node} enters in an election`)
  }

  elected(node: NodeId, coordinator: NodeId): void {
    const engine = this.#engine
    // A result that repeats itself is nothing new: a run that only does that goes on for ever.
    if (engine.jury.election.isOpen(node)) engine.quiet = 0
    engine.jury.election.elected(engine.now, node, coordinator)
  }

  crashed(node: NodeId): void {
    this.#engine.jury.election.crashed(node)
  }

  restarted(node: NodeId): void {
    this.#engine.jury.election.restarted(node)
  }

  /** A node that has left counts like a dead one, and a node that joins like one that runs again. */
  close(node: NodeId): void {
    this.crashed(node)
  }

  opened(node: NodeId): void {
    this.restarted(node)
  }

  isBusy(): boolean {
    return false
  }
}
