import type { NodeId } from '@turnwise/core/algorithm'
import { intAt } from '@turnwise/core/bounds'
import type { Fault, Link } from '@turnwise/core/faults'
import { type Engine, FAULT_BEGINS, FAULT_ENDS, RESTORE, SUSPECT, ticks } from './engine.ts'
import type { Membership } from './membership.ts'
import type { Transmission } from './transmission.ts'

/** After a crash or a restart, how many units of time until the others' failure detectors say so. */
const DETECTION = 5

/** What happens to a paused node is kept until it goes on. */
interface Pause {
  /** The faults that keep it paused. */
  readonly faults: Set<Fault>
  readonly backlog: (() => void)[]
}

/** The callers at the nodes: what they do, and what it means to them that their node stops, runs again, leaves or joins. */
export interface Inhabitants {
  /** What was scheduled for a caller is due: it asks, gives up or leaves. */
  happen(kind: number, node: NodeId, id: number, payload: unknown): void
  /** In an election: the node calls one. */
  elect?(node: NodeId): void
  /** A handler grants the critical section. */
  entered(node: NodeId, fence: number): void
  /** A handler names a coordinator. */
  elected?(node: NodeId, coordinator: NodeId): void
  crashed(node: NodeId): void
  restarted(node: NodeId, memory: boolean): void
  /** The node must leave: no new caller may enter. */
  close(node: NodeId): void
  opened(node: NodeId): void
  /** Whether a caller at the node still has a request outstanding. */
  isBusy(node: NodeId): boolean
}

/** Faults that begin and end at a given time: crashes, restarts, pauses, cuts; see `Membership` for the others. */
export class Failures {
  readonly #engine: Engine
  readonly #transmission: Transmission
  readonly #inhabitants: Inhabitants
  readonly #membership: Membership
  readonly #pauses = new Map<NodeId, Pause>()

  constructor(engine: Engine, transmission: Transmission, inhabitants: Inhabitants, membership: Membership) {
    this.#engine = engine
    this.#transmission = transmission
    this.#inhabitants = inhabitants
    this.#membership = membership
    // If one fault begins as another ends, the beginning comes first, so that nothing slips through in between.
    for (const fault of engine.config.faults) {
      if ('at' in fault) engine.queue.push(ticks(fault.at), FAULT_BEGINS, 0, 0, 0, fault)
    }
    for (const fault of engine.config.faults) {
      if ('until' in fault) engine.queue.push(ticks(fault.until), FAULT_ENDS, 0, 0, 0, fault)
    }
    engine.stop = (node) => this.#crash(node)
    for (const node of engine.setup.dead) this.#beginDead(node)
  }

  /** That is known already: the failure detectors tell it before anything else happens. */
  #beginDead(node: NodeId): void {
    const engine = this.#engine
    engine.record?.({ at: 0, is: 'crash', node })
    engine.alive[node] = 0
    this.#inhabitants.crashed(node)
    this.#tellDetectors(SUSPECT, node, 0)
  }

  isPaused(node: NodeId): boolean {
    return this.#pauses.size > 0 && this.#pauses.has(node)
  }

  /** The event happens when the paused node goes on. */
  postpone(node: NodeId, happen: () => void): void {
    this.#pauses.get(node)?.backlog.push(happen)
  }

  begin(fault: Fault): void {
    const { alive, present, firedFaults, record, now } = this.#engine
    switch (fault.kind) {
      case 'crash':
        if (alive[fault.node] === 0) return
        firedFaults.add(fault)
        return this.#crash(fault.node)
      case 'restart':
        if (alive[fault.node] === 1 || present[fault.node] === 0) return
        firedFaults.add(fault)
        return this.#restart(fault.node, fault.memory)
      case 'pause':
        if (alive[fault.node] === 0) return
        firedFaults.add(fault)
        return this.#pause(fault.node, fault)
      case 'cut':
      case 'split':
        for (const link of fault.links) {
          if (this.#transmission.network.cut(fault, link)) record?.({ at: now, is: 'cut', ...link })
        }
        return
      case 'add':
      case 'remove':
      case 'link':
      case 'unlink':
        return this.#membership.begin(fault)
    }
  }

  end(fault: Fault): void {
    if (fault.kind === 'pause' && this.#pauses.get(fault.node)?.faults.delete(fault) === true)
      this.#goOnUnlessPaused(fault.node)
    if (fault.kind === 'cut' || fault.kind === 'split') for (const link of fault.links) this.heal(link, fault)
  }

  /** Ends one cut of a link; without a fault, all of them. */
  heal(link: Link, fault: Fault | 'all' = 'all'): void {
    const { record, now } = this.#engine
    if (this.#transmission.network.heal(fault, link)) record?.({ at: now, is: 'heal', ...link })
  }

  /** The node goes on, whatever it was that paused it. */
  resume(node: NodeId): void {
    this.#pauses.get(node)?.faults.clear()
    this.#goOnUnlessPaused(node)
  }

  #pause(node: NodeId, fault: Fault): void {
    const { record, now } = this.#engine
    const pause = this.#pauses.get(node)
    if (pause !== undefined) return void pause.faults.add(fault)
    this.#pauses.set(node, { faults: new Set([fault]), backlog: [] })
    record?.({ at: now, is: 'pause', node })
  }

  /** The node goes on when the last of its pauses has ended. */
  #goOnUnlessPaused(node: NodeId): void {
    const { record, now } = this.#engine
    const pause = this.#pauses.get(node)
    if (pause === undefined || pause.faults.size > 0) return
    this.#pauses.delete(node)
    record?.({ at: now, is: 'resume', node })
    for (const happen of pause.backlog) happen()
  }

  #crash(node: NodeId): void {
    const engine = this.#engine
    engine.record?.({ at: engine.now, is: 'crash', node })
    engine.alive[node] = 0
    engine.incarnation[node] = intAt(engine.incarnation, node) + 1
    engine.live -= this.#transmission.timers.cancelAll(node)
    this.#inhabitants.crashed(node)
    // A crash ends a pause, and the events kept for the node are lost.
    const pause = this.#pauses.get(node)
    this.#pauses.delete(node)
    for (const happen of pause?.backlog ?? []) happen()
    this.#membership.crashed(node)
    this.#tellDetectors(SUSPECT, node, DETECTION)
  }

  /** With memory the node goes on where it stopped; without, its state is that of a new node. */
  #restart(node: NodeId, memory: boolean): void {
    const engine = this.#engine
    engine.record?.({ at: engine.now, is: 'restart', node, memory })
    engine.alive[node] = 1
    if (!memory) engine.begin(node)
    if (engine.algorithm.restart !== undefined) {
      engine.call(node, (state, here) => engine.algorithm.restart?.(state, here, memory))
    }
    this.#membership.restarted(node)
    this.#inhabitants.restarted(node, memory)
    this.#tellDetectors(RESTORE, node, DETECTION)
  }

  #tellDetectors(kind: typeof SUSPECT | typeof RESTORE, peer: NodeId, after: number): void {
    const { algorithm, setup, now } = this.#engine
    if (algorithm[kind === SUSPECT ? 'suspect' : 'restore'] === undefined) return
    for (let node = 0; node < setup.nodes; node += 1) {
      if (node !== peer) this.#engine.schedule(now + ticks(after), kind, node, peer, 0, null)
    }
  }
}
