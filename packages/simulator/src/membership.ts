import type { NodeId } from '@turnwise/core/algorithm'
import { intAt } from '@turnwise/core/bounds'
import { Channels } from './channels.ts'
import { type Engine, LINKED, UNLINKED } from './engine.ts'
import type { Inhabitants } from './failures.ts'
import type { MembershipFault } from './membership-faults.ts'
import type { Transmission } from './transmission.ts'

/**
 * Nodes and channels that come and go while the system runs. This keeps the promises of the contract about them: a node
 * that joins hears `join`, then both ends of each of its channels hear `linked`. A node that must leave takes no more
 * requests, has its turn if it waits for one, hears `leave`, and is gone when nothing of it is under way. A crash in
 * between ends it for good.
 */
export class Membership {
  readonly #engine: Engine
  readonly #transmission: Transmission
  readonly #inhabitants: Inhabitants
  readonly #channels: Channels
  /** The nodes that must leave, and whether each has been told. */
  readonly #leaving = new Map<NodeId, 'after its turn' | 'told'>()
  /** What a crashed node will hear about its channels when it runs again. */
  readonly #missed = new Map<NodeId, { kind: typeof LINKED | typeof UNLINKED; peer: NodeId }[]>()

  constructor(engine: Engine, transmission: Transmission, inhabitants: Inhabitants) {
    this.#engine = engine
    this.#transmission = transmission
    this.#inhabitants = inhabitants
    this.#channels = new Channels(engine.setup.topology)
    if (engine.config.faults.some(({ kind }) => kind === 'remove')) engine.pending = new Map()
  }

  begin(fault: MembershipFault): void {
    if (this.#change(fault)) this.#engine.firedFaults.add(fault)
  }

  /** False if there is nothing to change: the node is there already, the channel is gone. */
  #change(fault: MembershipFault): boolean {
    const { present, alive } = this.#engine
    switch (fault.kind) {
      case 'add':
        if (present[fault.node] === 1) return false
        this.#add(fault.node, fault.sponsor)
        return true
      case 'remove':
        if (alive[fault.node] === 0 || this.#leaving.has(fault.node)) return false
        this.#leaving.set(fault.node, 'after its turn')
        this.#inhabitants.close(fault.node)
        return true
      case 'link':
        return this.#channels.link(...fault.ends) && this.#changed(LINKED, fault.ends)
      case 'unlink':
        return this.#channels.unlink(...fault.ends) && this.#changed(UNLINKED, fault.ends)
    }
  }

  #add(node: NodeId, sponsor: NodeId | null): void {
    const engine = this.#engine
    engine.present[node] = 1
    engine.alive[node] = 1
    engine.begin(node)
    engine.record?.({ at: engine.now, is: 'join', node, sponsor })
    engine.call(node, (state, here) => engine.algorithm.join?.(state, here, sponsor))
    for (const peer of this.#channels.neighbours(node)) this.#tellEnds(LINKED, [node, peer])
    this.#inhabitants.opened(node)
  }

  #changed(kind: typeof LINKED | typeof UNLINKED, ends: readonly [NodeId, NodeId]): true {
    if (kind === UNLINKED) this.#transmission.network.unlink(...ends)
    else this.#transmission.network.link(...ends)
    this.#tellEnds(kind, ends)
    return true
  }

  /** Both ends are told, if both are present. An absent node has no channels. */
  #tellEnds(kind: typeof LINKED | typeof UNLINKED, [a, b]: readonly [NodeId, NodeId]): void {
    if (this.#engine.present[a] === 0 || this.#engine.present[b] === 0) return
    this.#tell(kind, a, b)
    this.#tell(kind, b, a)
  }

  #tell(kind: typeof LINKED | typeof UNLINKED, node: NodeId, peer: NodeId): void {
    const { algorithm, present, now } = this.#engine
    if (present[node] === 0 || algorithm[kind === LINKED ? 'linked' : 'unlinked'] === undefined) return
    this.#engine.schedule(now, kind, node, peer, 0, null)
  }

  /** The event that `#tell` scheduled. */
  hear(kind: typeof LINKED | typeof UNLINKED, node: NodeId, peer: NodeId): void {
    const { algorithm, alive, present, record, now: at } = this.#engine
    if (present[node] === 0) return
    if (alive[node] === 0) {
      this.#missed.set(node, [...(this.#missed.get(node) ?? []), { kind, peer }])
      return
    }
    record?.({ at, is: kind === LINKED ? 'linked' : 'unlinked', node, peer })
    this.#engine.call(node, (state, here) => {
      if (kind === LINKED) algorithm.linked?.(state, here, peer)
      else algorithm.unlinked?.(state, here, peer)
    })
  }

  /** A node that runs again hears what it missed. */
  restarted(node: NodeId): void {
    for (const { kind, peer } of this.#missed.get(node) ?? []) this.#tell(kind, node, peer)
    this.#missed.delete(node)
  }

  /** A node that crashes while it leaves does not come back. */
  crashed(node: NodeId): void {
    if (this.#leaving.has(node)) this.#gone(node)
  }

  /** Whether somebody is leaving. */
  get isUnsettled(): boolean {
    return this.#leaving.size > 0
  }

  /** Called after every event while a node is leaving. */
  settle(isPaused: (node: NodeId) => boolean): void {
    const { algorithm, pending, record, now: at } = this.#engine
    for (const [node, stage] of this.#leaving) {
      if (this.#inhabitants.isBusy(node) || isPaused(node)) continue
      if (stage === 'after its turn') {
        this.#leaving.set(node, 'told')
        record?.({ at, is: 'depart', node })
        this.#engine.call(node, (state, here) => algorithm.leave?.(state, here))
      }
      const left = (pending?.get(node) ?? 0) + this.#transmission.timers.count(node)
      if (left === 0) this.#gone(node)
    }
  }

  #gone(node: NodeId): void {
    const engine = this.#engine
    this.#leaving.delete(node)
    engine.record?.({ at: engine.now, is: 'gone', node })
    engine.present[node] = 0
    engine.alive[node] = 0
    engine.incarnation[node] = intAt(engine.incarnation, node) + 1
    this.#missed.delete(node)
    for (const peer of this.#channels.neighbours(node)) this.#tell(UNLINKED, peer, node)
  }
}
