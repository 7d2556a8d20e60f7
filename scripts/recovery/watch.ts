import { algorithmNamed } from '@turnwise/algorithms/catalogue'
import type { AnyAlgorithm, Message, NodeId } from '@turnwise/core/algorithm'
import type { TraceEvent } from '@turnwise/core/trace/trace'
import { type RunWishes, simulationConfig } from '@turnwise/simulator/configuration'
import { Simulation } from '@turnwise/simulator/simulation'

interface Letter {
  readonly from: NodeId
  readonly to: NodeId
  readonly message: Message
}

export interface Sent {
  readonly at: number
  readonly from: NodeId
  readonly message: Message
}

/** A run that is watched event by event: who is inside, who waits, what is under way, and how many tokens there are. */
export class Watch {
  readonly simulation: Simulation
  readonly nodes: number
  readonly sent: Sent[] = []
  readonly inside = new Set<NodeId>()
  readonly waiting = new Set<NodeId>()
  readonly down = new Set<NodeId>()
  now = 0
  mostTokens = 0
  readonly #underWay = new Map<number, Letter>()
  /** Some settings take away the rule by which tokens are counted, since void ones cannot be told: then these are known. */
  readonly #asked: AnyAlgorithm
  #someFailed = false
  readonly #onCrash: (node: NodeId, watch: Watch) => void

  /** `onCrash` looks at the world as it is just before. */
  constructor(
    algorithm: string,
    wishes: RunWishes,
    onCrash: (node: NodeId, watch: Watch) => void = () => {},
  ) {
    this.#asked = algorithmNamed(algorithm)
    this.#onCrash = onCrash
    const config = simulationConfig(this.#asked, wishes)
    this.nodes = config.setup.nodes
    this.simulation = new Simulation({ ...config, record: (event) => this.#heard(event) })
  }

  /** One event; false when the run is over. */
  step(): boolean {
    if (this.simulation.step(1)) return false
    this.mostTokens = Math.max(this.mostTokens, this.tokens)
    return true
  }

  /** So many events at most: nobody recovers as late as that. */
  runToEnd(): this {
    for (let events = 0; events < 50_000 && this.step(); events += 1);
    return this
  }

  get tokens(): number {
    return this.holders.length + this.receivers.length
  }

  /** Who has a token. */
  get holders(): NodeId[] {
    const { tokens } = this.#asked
    return this.#living.filter((node) => (tokens?.held(this.simulation.stateOf(node)) ?? 0) > 0)
  }

  /** To whom a token is under way that will be accepted there. */
  get receivers(): NodeId[] {
    // As long as nobody has failed none is void.
    const tokens =
      this.simulation.config.algorithm.tokens ?? (this.#someFailed ? undefined : this.#asked.tokens)
    if (tokens === undefined) return []
    return [...this.#underWay.values()].flatMap(({ from, to, message }) => {
      if (tokens.carried(message) === 0 || this.down.has(to)) return []
      return tokens.isVoid?.(message, this.simulation.stateOf(to), from, to) === true ? [] : [to]
    })
  }

  get #living(): NodeId[] {
    return Array.from({ length: this.nodes }, (_, node) => node).filter((node) => !this.down.has(node))
  }

  #heard(event: TraceEvent): void {
    this.now = event.at
    switch (event.is) {
      case 'send':
        this.sent.push({ at: event.at, from: event.from, message: event.message })
        if (event.to !== null)
          this.#underWay.set(event.id, { from: event.from, to: event.to, message: event.message })
        break
      case 'receive':
      case 'lose':
        this.#underWay.delete(event.id)
        break
      case 'request':
        this.waiting.add(event.node)
        break
      case 'enter':
        this.waiting.delete(event.node)
        this.inside.add(event.node)
        break
      case 'leave':
        this.inside.delete(event.node)
        break
      case 'crash':
        this.#onCrash(event.node, this)
        this.#someFailed = true
        this.down.add(event.node)
        this.waiting.delete(event.node)
        this.inside.delete(event.node)
        break
      case 'restart':
        this.down.delete(event.node)
    }
  }
}
