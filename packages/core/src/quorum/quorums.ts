import type { NodeId } from '../algorithm.ts'
import { get } from '../bounds.ts'

/** Which nodes each node must ask. Members come in rising order. */
export interface Quorums {
  /** As it is written on the command line. */
  readonly kind: string
  readonly nodes: number
  of(node: NodeId): readonly NodeId[]
  /** If the kind does not exist for so many nodes: why, and how these were made instead. */
  readonly fallback?: string
  /** Where a node may ask one of several: those of a k-coterie. */
  readonly choice?: QuorumChoice
}

/** Quorums of which a node draws one with every request: any, or of its own, those it belongs to, if there are any. */
export interface QuorumChoice {
  draw(node: NodeId, from: 'own' | 'any', random: (bound: number) => number): readonly NodeId[]
  /** How many others a node asks: the least, the most, and the mean over all nodes and draws. */
  others(from: 'own' | 'any'): { readonly min: number; readonly max: number; readonly mean: number }
  /** As many disjoint quorums as possible, for the nodes that are inside when the world begins. */
  readonly apart: readonly (readonly NodeId[])[]
  /** All quorums, where they were given one by one. */
  readonly lists: readonly (readonly NodeId[])[] | null
}

/**
 * Two nodes whose quorums have no member in common, or null if every two quorums meet. Asking a quorum is safe because
 * every two meet: the common member grants to one of the two (Maekawa 1985).
 */
export function firstDisjointPair(quorums: Quorums): { readonly a: NodeId; readonly b: NodeId } | null {
  const { nodes } = quorums
  const lists = Array.from({ length: nodes }, (_, node) => quorums.of(node))
  // Marked with the node whose quorum it was last seen in, so that nothing is cleared between two nodes.
  const seenBy = new Int32Array(nodes).fill(-1)
  for (let a = 0; a < nodes; a += 1) {
    for (const member of get(lists, a)) seenBy[member] = a
    for (let b = a + 1; b < nodes; b += 1) {
      if (!get(lists, b).some((member) => seenBy[member] === a)) return { a, b }
    }
  }
  return null
}

/**
 * A node that its own quorum leaves out, or null if there is none. Such a quorum is still safe, but costs the node more
 * messages than necessary (Maekawa 1985).
 */
export function firstOutsideOwnQuorum(quorums: Quorums): NodeId | null {
  for (let node = 0; node < quorums.nodes; node += 1) if (!quorums.of(node).includes(node)) return node
  return null
}

/** How many nodes a node asks, itself included. */
export function quorumSizes(quorums: Quorums): Sizes {
  return sizesOver(quorums.nodes, (node) => [quorums.of(node).length])
}

/** The least, the most and the mean. */
export interface Sizes {
  readonly min: number
  readonly max: number
  readonly mean: number
}

/** The mean is over the nodes, and for each over the sizes that it may have. */
export function sizesOver(nodes: number, sizesOf: (node: NodeId) => readonly number[]): Sizes {
  let min = Number.POSITIVE_INFINITY
  let max = 0
  let sum = 0
  for (let node = 0; node < nodes; node += 1) {
    const sizes = sizesOf(node)
    for (const size of sizes) {
      min = Math.min(min, size)
      max = Math.max(max, size)
      sum += size / sizes.length
    }
  }
  return { min, max, mean: sum / nodes }
}
