/**
 * Tree quorums with substitution (Agrawal and El Abbadi 1991): a path from the root to a leaf, in which a failed node
 * is replaced by a path from each of its children to a leaf. A leaf cannot be replaced.
 *
 * Every two of them meet, whichever nodes each side takes for failed. If both have the root, there. If one has it, it
 * goes on in one subtree, and the other has a quorum of every subtree; if neither has it, both have one of every
 * subtree: either way they meet further down. So it goes on any rooted tree: a node with three children is replaced by
 * three paths, and one with a single child by the path from that child. Such a path is a quorum with its parent and
 * without, so no quorum needs the parent, and none chosen here has it.
 */
import type { NodeId } from '../algorithm.ts'
import { get, outOfBounds } from '../bounds.ts'
import type { Topology } from '../topology.ts'

export interface RootedTree {
  readonly nodes: number
  readonly root: NodeId
  /** The root stands for its own. */
  parent(node: NodeId): NodeId
  /** In rising order. */
  children(node: NodeId): readonly NodeId[]
}

/** The nodes in heap order, for any number of them: the children of i are 2i + 1 and 2i + 2. */
export function heapTree(nodes: number): RootedTree {
  return {
    nodes,
    root: 0,
    parent: (node) => (node === 0 ? 0 : Math.floor((node - 1) / 2)),
    children: (node) => [2 * node + 1, 2 * node + 2].filter((child) => child < nodes),
  }
}

/** A graph that is a tree, hung up by one of its nodes. */
export function hungUp(topology: Topology, root: NodeId): RootedTree {
  const towards = topology.towards(root)
  return {
    nodes: topology.nodes,
    root,
    parent: (node) => towards[node] ?? outOfBounds(),
    children: (node) => topology.neighbours(node).filter((next) => next !== towards[node]),
  }
}

/**
 * A quorum without any node of `down`, or null if there is none. Where it can choose, the path goes through the node itself
 * and through those it has `asked` already; else to the child with the least number. Members come in rising order.
 */
export function treeQuorum(
  tree: RootedTree,
  self: NodeId,
  down: readonly NodeId[] = [],
  asked: readonly NodeId[] = [],
): readonly NodeId[] | null {
  const wayTo = new Set<NodeId>()
  for (const wanted of [self, ...asked]) {
    for (let at = wanted; !wayTo.has(at); at = tree.parent(at)) wayTo.add(at)
  }

  function from(node: NodeId): readonly NodeId[] | null {
    const children = tree.children(node)
    if (children.length === 1) return from(get(children, 0))
    if (down.includes(node)) return children.length === 0 ? null : fromEach(children)
    if (children.length === 0) return [node]
    const preferred = children.toSorted((a, b) => Number(wayTo.has(b)) - Number(wayTo.has(a)))
    for (const child of preferred) {
      const rest = from(child)
      if (rest !== null) return [node, ...rest]
    }
    return null
  }

  function fromEach(children: readonly NodeId[]): readonly NodeId[] | null {
    const all: NodeId[] = []
    for (const child of children) {
      const rest = from(child)
      if (rest === null) return null
      all.push(...rest)
    }
    return all
  }

  return from(tree.root)?.toSorted((a, b) => a - b) ?? null
}

/** Whether the granted nodes hold a quorum: all others count as failed. */
export function holdsTreeQuorum(tree: RootedTree, granted: readonly NodeId[]): boolean {
  const holds = (node: NodeId): boolean => {
    const children = tree.children(node)
    if (granted.includes(node)) return children.length === 0 || children.some(holds)
    return children.length > 0 && children.every(holds)
  }
  return holds(tree.root)
}
