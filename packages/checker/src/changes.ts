import type { NodeId } from '@turnwise/core/algorithm'
import { get, intAt } from '@turnwise/core/bounds'
import { away, withDue, withLate } from './churn.ts'
import type { Instance } from './instance.ts'
import type { Local, LocalEvent } from './local.ts'
import { memoryAfterCrash, type Surroundings, SurroundingsTable } from './surroundings.ts'
import { ABSENT, CRASHED, DUE, INSIDE, type Layout, LEAVING, WAITING } from './world-layout.ts'

const AWAY = CRASHED | ABSENT

/** A node or channel comes or goes: what happens at which node, and what the others hear. */
export interface Change {
  readonly node: NodeId
  readonly event: LocalEvent
  /** The number of the surroundings afterwards. */
  readonly surroundings: number
  readonly others: readonly { readonly node: NodeId; readonly after: (local: Local) => Local }[]
  /** Whether something comes back that was there before. As long as it can, it will. */
  readonly returns: boolean
}

/**
 * Nodes and channels that come and go, as the contract has it and the simulator does it: a node runs again, joins or
 * leaves, a channel fails or recovers. Those concerned hear of it before anything else happens. Channels come and go
 * between nodes that are there, at least one of which runs.
 */
export class Changes {
  readonly table: SurroundingsTable
  readonly #instance: Instance
  readonly #layout: Layout
  readonly #place: number
  readonly #nodes: readonly NodeId[]
  readonly #hasDetector: boolean

  constructor(instance: Instance, layout: Layout) {
    const { algorithm, setup } = instance
    this.table = new SurroundingsTable(instance)
    this.#instance = instance
    this.#layout = layout
    this.#place = layout.header - 1
    this.#nodes = Array.from({ length: setup.nodes }, (_, node) => node)
    this.#hasDetector = algorithm.suspect !== undefined || algorithm.restore !== undefined
  }

  /** What must happen before anything else: a due event, or the end of a departure; null if nothing. */
  first(world: Int32Array, size: number): Change | null {
    for (const node of this.#nodes) {
      const flags = this.#layout.flagsOf(world, node)
      if ((flags & (DUE | LEAVING)) === 0 || (flags & AWAY) !== 0) continue
      const [event] = this.#layout.localOf(world, node).churn?.due ?? []
      if (event !== undefined) return this.#change(world, node, event, [])
      if (this.#isBusy(world, size, node)) continue
      return this.#change(world, node, { is: 'gone' }, this.#unlinkedFrom(world, node))
    }
    return null
  }

  /** A node that was told to leave stays until nothing of it is under way. */
  #isBusy(world: Int32Array, size: number, node: NodeId): boolean {
    const { timers, steps } = this.#layout.localOf(world, node)
    if (timers.length > 0 || steps.length > 0) return true
    for (let i = this.#layout.header; i < size; i += 1) {
      const { from, to } = get(this.#layout.parts.envelopes, intAt(world, i))
      if (from === node || to === node) return true
    }
    return false
  }

  /** What may change, as far as the budgets reach. */
  *all(world: Int32Array): Generator<Change, void> {
    const { left } = this.#at(world)
    for (const node of this.#nodes) {
      const flags = this.#layout.flagsOf(world, node)
      if ((flags & CRASHED) !== 0 && left.restarts > 0) yield* this.#restarts(world, node)
      if ((flags & ABSENT) !== 0 && left.joins > 0) yield* this.#joins(world, node)
      const isIdle = (flags & (AWAY | WAITING | INSIDE | LEAVING)) === 0
      const isUnasked = isIdle && this.#layout.localOf(world, node).status === 'idle'
      if (isUnasked && left.leaves > 0 && this.#leavesSomeone(world, node)) {
        const surroundings = this.table.spend(intAt(world, this.#place), 'leaves')
        yield { ...this.#change(world, node, { is: 'depart' }, []), surroundings }
      }
    }
    if (left.links > 0 || left.unlinks > 0) yield* this.#relinks(world, left)
  }

  crash(world: Int32Array, node: NodeId): Change {
    const memory = memoryAfterCrash(this.#instance, this.#at(world).left.restarts)
    const isLeaving = (this.#layout.flagsOf(world, node) & LEAVING) !== 0
    return this.#change(
      world,
      node,
      { is: 'crash', memory },
      isLeaving ? this.#unlinkedFrom(world, node) : [],
    )
  }

  /** Why a message cannot be delivered now; null if it can. */
  obstacle(world: Int32Array, from: NodeId, to: NodeId): 'crash' | 'absent' | 'cut' | null {
    const flags = this.#layout.flagsOf(world, to)
    if ((flags & CRASHED) !== 0) return 'crash'
    if ((flags & ABSENT) !== 0) return 'absent'
    return this.table.isCut(intAt(world, this.#place), from, to) ? 'cut' : null
  }

  /** Whether it makes a difference that a message to this node is under way: it may yet be read, or come back. */
  isDeaf(world: Int32Array, to: NodeId): boolean {
    if (this.#instance.algorithm.undelivered !== undefined) return false
    const flags = this.#layout.flagsOf(world, to)
    const { left } = this.#at(world)
    if ((flags & CRASHED) !== 0) return left.restarts === 0
    return (flags & ABSENT) !== 0 && left.joins === 0
  }

  /** Whether a node may still join, or run again without its memory. */
  mayBeginAnew(world: Int32Array): boolean {
    const { left } = this.#at(world)
    const { memory = 'kept' } = this.#instance
    return left.joins > 0 || (left.restarts > 0 && memory !== 'kept')
  }

  #at(world: Int32Array): Surroundings {
    return this.table.at(intAt(world, this.#place))
  }

  #change(world: Int32Array, node: NodeId, event: LocalEvent, others: Change['others']): Change {
    return { node, event, surroundings: intAt(world, this.#place), others, returns: false }
  }

  *#restarts(world: Int32Array, node: NodeId): Generator<Change, void> {
    const { memory = 'kept' } = this.#instance
    const surroundings = this.table.spend(intAt(world, this.#place), 'restarts')
    const detectors = this.#hasDetector ? this.#nodes : []
    const told = detectors
      .filter((other) => other !== node && !this.#isAway(world, other))
      .map((other) => ({ node: other, after: (local: Local) => withLate(local, node) }))
    // After the last restart the other dead are dead for good.
    const lost = this.#at(world).left.restarts > 1 ? [] : this.#nodes
    const dead = lost
      .filter((other) => other !== node && (this.#layout.flagsOf(world, other) & CRASHED) !== 0)
      .map((other) => ({ node: other, after: () => away(other, 'crashed', 0) }))
    const others = [...told, ...dead]
    for (const remembers of [true, false]) {
      if (memory === (remembers ? 'lost' : 'kept')) continue
      const change = this.#change(world, node, { is: 'restart', memory: remembers }, others)
      yield { ...change, surroundings, returns: true }
    }
  }

  *#joins(world: Int32Array, node: NodeId): Generator<Change, void> {
    const surroundings = this.table.spend(intAt(world, this.#place), 'joins')
    const ends = this.#neighbours(world, node).flatMap((peer) => [
      [node, peer] as const,
      [peer, node] as const,
    ])
    const others =
      this.#instance.algorithm.linked === undefined
        ? []
        : ends.map(([end, peer]) => ({
            node: end,
            after: (local: Local) => withDue(local, { is: 'linked', peer }),
          }))
    const sponsors = this.#nodes.filter((other) => !this.#isAway(world, other))
    for (const sponsor of [null, ...sponsors]) {
      yield { ...this.#change(world, node, { is: 'join', sponsor }, others), surroundings }
    }
  }

  *#relinks(world: Int32Array, left: Surroundings['left']): Generator<Change, void> {
    const { topology } = this.#instance.setup
    for (const a of this.#nodes) {
      for (const b of this.#nodes.slice(a + 1)) {
        const first = [a, b].find((end) => !this.#isAway(world, end))
        if (first === undefined || [a, b].some((end) => this.#isAbsent(world, end))) continue
        const isLinked = this.table.isLinked(intAt(world, this.#place), a, b)
        if (left[isLinked ? 'unlinks' : 'links'] === 0) continue
        const second = first === a ? b : a
        const is = isLinked ? 'unlinked' : 'linked'
        const others = [{ node: second, after: (local: Local) => withDue(local, { is, peer: first }) }]
        yield {
          ...this.#change(world, first, { is, peer: second }, others),
          surroundings: this.table.relinked(intAt(world, this.#place), a, b),
          returns: !isLinked && topology.linked(a, b),
        }
      }
    }
  }

  /** The neighbours of a node that is gone hear that they have no channel to it. */
  #unlinkedFrom(world: Int32Array, node: NodeId): Change['others'] {
    if (this.#instance.algorithm.unlinked === undefined) return []
    return this.#neighbours(world, node).map((peer) => ({
      node: peer,
      after: (local: Local) => withDue(local, { is: 'unlinked', peer: node }),
    }))
  }

  /** The present nodes, crashed or not. */
  #neighbours(world: Int32Array, node: NodeId): NodeId[] {
    return this.#nodes.filter(
      (peer) =>
        peer !== node &&
        !this.#isAbsent(world, peer) &&
        this.table.isLinked(intAt(world, this.#place), node, peer),
    )
  }

  /** A system needs a member to go on. */
  #leavesSomeone(world: Int32Array, node: NodeId): boolean {
    return this.#nodes.some(
      (other) => other !== node && (this.#layout.flagsOf(world, other) & (AWAY | LEAVING)) === 0,
    )
  }

  #isAway(world: Int32Array, node: NodeId): boolean {
    return (this.#layout.flagsOf(world, node) & AWAY) !== 0
  }

  #isAbsent(world: Int32Array, node: NodeId): boolean {
    return (this.#layout.flagsOf(world, node) & ABSENT) !== 0
  }
}
