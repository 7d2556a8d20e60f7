import type { AnyAlgorithm, Ask, NodeId } from '@turnwise/core/algorithm'
import { type Random, randomStream } from '@turnwise/core/random'
import { requestOf, wishOf } from '@turnwise/core/resources'
import { askAtFirst } from '@turnwise/core/setup'
import { ASK, type Engine, LEAVE, type SimulationConfig, WITHDRAW } from './engine.ts'
import type { Inhabitants } from './failures.ts'
import { drawTicks } from './latency.ts'
import { EXCLUSIVE } from './load.ts'
import type { Workload } from './workload.ts'

// Where a node's caller stands. An unwanted entry is one whose caller gave up or died: it is released at once.
const IDLE = 0
const WAITING = 1
const INSIDE = 2
const WAITING_UNWANTED = 3
const INSIDE_UNWANTED = 4

/**
 * The callers. One at a time per node asks, waits, stays inside and leaves; others queue behind it. The algorithm sees
 * only their requests and releases.
 */
export class Callers implements Inhabitants {
  issued = 0
  waiting = 0
  /** Callers behind others of their own node. */
  queued = 0
  inside = 0
  readonly #engine: Engine
  readonly #config: SimulationConfig
  readonly #algorithm: AnyAlgorithm
  readonly #stay: Random
  readonly #status: Uint8Array
  readonly #asks: Ask[] = []
  /** Nodes that are leaving or have left. No new caller may enter there. */
  readonly #closed = new Set<NodeId>()
  readonly #queues = new Map<NodeId, { arrived: number; ask: Ask }[]>()
  #workload: Workload = {}

  constructor(engine: Engine, config: SimulationConfig) {
    this.#engine = engine
    this.#config = config
    this.#algorithm = config.algorithm
    this.#stay = randomStream(config.seed, 'inside')
    this.#status = new Uint8Array(engine.setup.nodes)
  }

  set workload(workload: Workload) {
    this.#workload = workload
  }

  /** Puts the nodes inside that are inside when the world begins. */
  begin(): void {
    const { setup, jury, record } = this.#engine
    for (const node of setup.inside) {
      const ask = askAtFirst(setup, node)
      this.#asks[node] = ask
      record?.({ at: 0, is: 'enter', node, ...wishOf(ask), fence: 0 })
      jury.began(node, ask)
      this.#goInside(node)
    }
  }

  isOpen(node: NodeId): boolean {
    return !this.#closed.has(node)
  }

  /** Whether a request of this node is outstanding. */
  isBusy(node: NodeId): boolean {
    return this.#status[node] !== IDLE
  }

  isWaiting(node: NodeId): boolean {
    return this.#status[node] === WAITING
  }

  /** Requests of living nodes that were never granted and not withdrawn. */
  get unserved(): number {
    return this.waiting + this.queued
  }

  happen(kind: number, node: NodeId, id: number, payload: unknown): void {
    if (kind === ASK) this.#ask(node, payload as Ask)
    else if (kind === WITHDRAW) this.withdraw(node)
    else if (id === this.#engine.incarnation[node]) this.leave(node)
  }

  #ask(node: NodeId, ask: Ask): void {
    const { alive, now } = this.#engine
    if (this.issued >= this.#config.entries) return
    if (alive[node] === 0 || this.#closed.has(node)) return this.#workload.skipped?.(node)
    this.issued += 1
    this.#workload.asked?.(node)
    if (this.#status[node] === IDLE) return this.#request(node, ask, now)
    const callers = this.#queues.get(node) ?? []
    callers.push({ arrived: now, ask })
    this.queued += 1
    this.#queues.set(node, callers)
  }

  /** A request by hand: in addition to the load and its number of requests. */
  askByHand(node: NodeId, ask: Ask): void {
    this.#request(node, ask, this.#engine.now)
  }

  isInside(node: NodeId): boolean {
    return this.#status[node] === INSIDE || this.#status[node] === INSIDE_UNWANTED
  }

  #request(node: NodeId, ask: Ask, arrived: number): void {
    const engine = this.#engine
    engine.quiet = 0
    this.#status[node] = WAITING
    this.waiting += 1
    this.#asks[node] = ask
    engine.jury.requested(engine.now, node, arrived, ask.priority)
    engine.record?.({ at: engine.now, is: 'request', node, ...requestOf(ask) })
    engine.call(node, (state, here) => this.#algorithm.request(state, here, ask))
  }

  /** The algorithm has granted the section to this node. */
  entered(node: NodeId, fence: number): void {
    const engine = this.#engine
    const status = this.#status[node]
    const ask = this.#asks[node] ?? EXCLUSIVE
    if (status === WAITING || status === WAITING_UNWANTED) {
      engine.record?.({ at: engine.now, is: 'enter', node, ...wishOf(ask), fence })
    }
    if (status === WAITING_UNWANTED) return this.#returnGrant(node)
    if (status !== WAITING) {
      engine.jury.rules.add(engine.now, [node], `node ${node} enters without having asked`)
      return
    }
    engine.quiet = 0
    this.waiting -= 1
    engine.jury.entered(engine.now, node, ask, fence)
    this.#goInside(node)
  }

  #goInside(node: NodeId): void {
    const engine = this.#engine
    this.#status[node] = INSIDE
    this.inside += 1
    engine.scheduleOwn(engine.now + drawTicks(this.#config.inside, this.#stay), LEAVE, node, null)
  }

  /** No caller wants this entry any more. It is released by an event of its own, never inside the granting handler. */
  #returnGrant(node: NodeId): void {
    this.#status[node] = INSIDE_UNWANTED
    this.inside += 1
    this.#engine.scheduleOwn(this.#engine.now, LEAVE, node, null)
  }

  leave(node: NodeId): void {
    const engine = this.#engine
    engine.quiet = 0
    this.inside -= 1
    engine.record?.({ at: engine.now, is: 'leave', node })
    if (this.#status[node] === INSIDE) engine.jury.left(engine.now, node)
    this.#status[node] = IDLE
    // A caller that waits here, or asks again at once, asks before anything leaves.
    engine.stepsLast(() => {
      engine.call(node, (state, here) => this.#algorithm.release(state, here))
      this.#requestEnded(node)
    })
  }

  #requestEnded(node: NodeId): void {
    const callers = this.#queues.get(node)
    const next = callers?.shift()
    if (callers?.length === 0) this.#queues.delete(node)
    if (next === undefined) return this.#workload.ended?.(node)
    this.queued -= 1
    if (this.#engine.alive[node] === 1) this.#request(node, next.ask, next.arrived)
  }

  withdraw(node: NodeId): void {
    const { alive, record, now, jury } = this.#engine
    if (alive[node] === 0 || this.#status[node] !== WAITING) return
    record?.({ at: now, is: 'withdraw', node })
    this.waiting -= 1
    jury.progress.settled(node)
    this.#giveUp(node)
  }

  /** The caller is gone. The algorithm withdraws the request if it can; otherwise its grant is released. */
  #giveUp(node: NodeId): void {
    const engine = this.#engine
    if (this.#algorithm.withdraw === undefined) {
      this.#status[node] = WAITING_UNWANTED
      return
    }
    this.#status[node] = IDLE
    engine.call(node, (state, here) => this.#algorithm.withdraw?.(state, here))
    this.#requestEnded(node)
  }

  /** The node must leave. A caller that is inside or waits goes on; callers behind it are sent away. */
  close(node: NodeId): void {
    this.#closed.add(node)
    this.#dismissQueue(node)
  }

  /** The node has joined. */
  opened(node: NodeId): void {
    this.#closed.delete(node)
    this.#status[node] = IDLE
    this.#workload.restarted?.(node)
  }

  #dismissQueue(node: NodeId): void {
    this.queued -= this.#queues.get(node)?.length ?? 0
    this.#queues.delete(node)
  }

  /** A crash ends the callers too. */
  crashed(node: NodeId): void {
    const { jury, now } = this.#engine
    const status = this.#status[node]
    if (status === WAITING) {
      this.waiting -= 1
      jury.progress.settled(node)
      this.#status[node] = WAITING_UNWANTED
    }
    if (status === INSIDE || status === INSIDE_UNWANTED) {
      this.inside -= 1
      if (status === INSIDE) jury.left(now, node)
      this.#status[node] = INSIDE_UNWANTED
    }
    this.#dismissQueue(node)
    if (status !== IDLE) this.#workload.ended?.(node)
  }

  /** With memory, an entry the node held is released now, one it waited for when it comes. */
  restarted(node: NodeId, memory: boolean): void {
    if (!memory) this.#status[node] = IDLE
    if (this.#status[node] === INSIDE_UNWANTED) this.#returnGrant(node)
    else if (this.#status[node] === WAITING_UNWANTED) this.#giveUp(node)
    else this.#workload.restarted?.(node)
  }
}
