import type { NodeId } from '@turnwise/core/algorithm'
import type { Topology } from '@turnwise/core/topology'

/** The current channels: those of the setup's graph, with later additions and removals. */
export class Channels {
  readonly #initial: Topology
  readonly #added = new Map<NodeId, Set<NodeId>>()
  readonly #removed = new Map<NodeId, Set<NodeId>>()

  constructor(initial: Topology) {
    this.#initial = initial
  }

  linked(a: NodeId, b: NodeId): boolean {
    if (this.#initial.linked(a, b)) return this.#removed.get(a)?.has(b) !== true
    return this.#added.get(a)?.has(b) === true
  }

  /** In rising order. */
  neighbours(node: NodeId): NodeId[] {
    const initial = this.#initial.neighbours(node).filter((peer) => this.linked(node, peer))
    return [...initial, ...(this.#added.get(node) ?? [])].toSorted((a, b) => a - b)
  }

  /** False if there is one already. */
  link(a: NodeId, b: NodeId): boolean {
    if (this.linked(a, b)) return false
    if (this.#initial.linked(a, b)) exclude(this.#removed, a, b)
    else include(this.#added, a, b)
    return true
  }

  /** False if there is none. */
  unlink(a: NodeId, b: NodeId): boolean {
    if (!this.linked(a, b)) return false
    if (this.#initial.linked(a, b)) include(this.#removed, a, b)
    else exclude(this.#added, a, b)
    return true
  }
}

function include(pairs: Map<NodeId, Set<NodeId>>, a: NodeId, b: NodeId): void {
  for (const [one, other] of [
    [a, b],
    [b, a],
  ] as const) {
    const peers = pairs.get(one) ?? new Set()
    pairs.set(one, peers.add(other))
  }
}

function exclude(pairs: Map<NodeId, Set<NodeId>>, a: NodeId, b: NodeId): void {
  pairs.get(a)?.delete(b)
  pairs.get(b)?.delete(a)
}
