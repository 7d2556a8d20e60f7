import type { NodeId } from '../algorithm.ts'
import type { Quorums } from './quorums.ts'

/**
 * A path from the root of a binary tree to a leaf, about log2(n) nodes (Agrawal-El Abbadi 1991). The tree is
 * in heap order: the children of i are 2i + 1 and 2i + 2. All paths share the root, so all quorums meet.
 *
 * The paper lets a node take any path; here it takes one through itself, and from itself on the leftmost.
 * These are the quorums while all nodes work: the paper's answer to a failed node, which replaces it by a
 * path from each of its children, is chosen with every request and belongs to the algorithm. A path that
 * ended above a leaf would not do: past a failed root it could miss such a substitute.
 */
export function tree(nodes: number): Quorums {
  return {
    kind: 'tree',
    nodes,
    of(node) {
      const members: NodeId[] = []
      for (let at = node; at > 0; at = Math.floor((at - 1) / 2)) members.push(at)
      members.push(0)
      members.reverse()
      for (let at = 2 * node + 1; at < nodes; at = 2 * at + 1) members.push(at)
      return members
    },
  }
}
