import type { NodeId } from '@turnwise/core/algorithm'
import type { Fault } from '@turnwise/core/faults'
import type { Callers } from './callers.ts'
import { type Engine, FAULT_BEGINS, FAULT_ENDS, RESTORE, SUSPECT, ticks } from './engine.ts'
import type { Transmission } from './transmission.ts'

/** After a crash or a restart, how many units of time until the others' failure detectors say so. */
const DETECTION = 5

/** Faults that begin and end at a given time: crashes, restarts, pauses, cuts. */
export class Failures {
  readonly #engine: Engine
  readonly #transmission: Transmission
  readonly #callers: Callers
  /** What happens to paused nodes is kept until they go on. */
  readonly #backlogs = new Map<NodeId, (() => void)[]>()

  constructor(engine: Engine, transmission: Transmission, callers: Callers) {
    this.#engine = engine
    this.#transmission = transmission
    this.#callers = callers
    for (const fault of engine.config.faults) {
      if ('at' in fault) engine.queue.push(ticks(fault.at), FAULT_BEGINS, 0, 0, 0, fault)
      if ('until' in fault) engine.queue.push(ticks(fault.until), FAULT_ENDS, 0, 0, 0, fault)
    }
    engine.stop = (node) => this.#crash(node)
  }

  isPaused(node: NodeId): boolean {
    return this.#backlogs.size > 0 && this.#backlogs.has(node)
  }

  /** The event happens when the paused node goes on. */
  postpone(node: NodeId, happen: () => void): void {
    this.#backlogs.get(node)?.push(happen)
  }

  begin(fault: Fault): void {
    const { alive, firedFaults, record, now } = this.#engine
    switch (fault.kind) {
      case 'crash':
        if (alive[fault.node] === 0) return
        firedFaults.add(fault)
        return this.#crash(fault.node)
      case 'restart':
        if (alive[fault.node] === 1) return
        firedFaults.add(fault)
        return this.#restart(fault.node, fault.memory)
      case 'pause':
        if (alive[fault.node] === 0 || this.#backlogs.has(fault.node)) return
        firedFaults.add(fault)
        this.#backlogs.set(fault.node, [])
        record?.({ at: now, is: 'pause', node: fault.node })
        return
      case 'cut':
      case 'split':
        for (const link of fault.links) {
          this.#transmission.network.cut(fault, link)
          record?.({ at: now, is: 'cut', ...link })
        }
    }
  }

  end(fault: Fault): void {
    const { firedFaults, record, now } = this.#engine
    if (fault.kind === 'pause' && firedFaults.has(fault)) {
      const backlog = this.#backlogs.get(fault.node) ?? []
      this.#backlogs.delete(fault.node)
      record?.({ at: now, is: 'resume', node: fault.node })
      for (const happen of backlog) happen()
    }
    if (fault.kind === 'cut' || fault.kind === 'split') {
      for (const link of fault.links) {
        this.#transmission.network.heal(link)
        record?.({ at: now, is: 'heal', ...link })
      }
    }
  }

  #crash(node: NodeId): void {
    const engine = this.#engine
    engine.record?.({ at: engine.now, is: 'crash', node })
    engine.alive[node] = 0
    engine.incarnation[node] += 1
    engine.live -= this.#transmission.timers.cancelAll(node)
    this.#callers.crashed(node)
    this.#tellDetectors(SUSPECT, node)
  }

  /** With memory the node goes on where it stopped; without, its state is that of a new node. */
  #restart(node: NodeId, memory: boolean): void {
    const engine = this.#engine
    engine.record?.({ at: engine.now, is: 'restart', node, memory })
    engine.alive[node] = 1
    if (!memory) engine.states[node] = engine.algorithm.init(node, engine.setup)
    if (engine.algorithm.restart !== undefined) {
      engine.call(node, (state, here) => engine.algorithm.restart?.(state, here, memory))
    }
    this.#callers.restarted(node, memory)
    this.#tellDetectors(RESTORE, node)
  }

  #tellDetectors(kind: typeof SUSPECT | typeof RESTORE, peer: NodeId): void {
    const { algorithm, setup, now } = this.#engine
    if (algorithm[kind === SUSPECT ? 'suspect' : 'restore'] === undefined) return
    for (let node = 0; node < setup.nodes; node += 1) {
      if (node !== peer) this.#engine.schedule(now + ticks(DETECTION), kind, node, peer, 0, null)
    }
  }
}
