/**
 * Quorum systems as a whole: not the quorum of one node, but all sets that are quorums. Load, resilience, availability
 * and domination are properties of these.
 */
import type { NodeId } from '../algorithm.ts'
import { get, increase } from '../bounds.ts'
import { grid } from './grid.ts'
import { projective } from './projective.ts'
import type { Quorums } from './quorums.ts'
import { heapTree, holdsTreeQuorum, type RootedTree } from './rooted-tree.ts'
import { assignVotes, type Votes } from './votes.ts'

export interface QuorumFamily {
  readonly kind: string
  readonly nodes: number
  /** Whether the nodes that are up include a quorum. */
  readonly isMet: (up: readonly boolean[]) => boolean
  /** Every quorum once, members rising; null where they have more than `MOST_LISTED` members in all. */
  readonly quorums: readonly (readonly NodeId[])[] | null
  /** The probability that some quorum is up, if each node is up with the same probability; if a closed form is known. */
  readonly availability?: (up: number) => number
  /** The most failures that always leave a quorum, -1 if there is no quorum at all; where a closed form is known. */
  readonly resilience?: number
  /** The load of Naor and Wool 1998 (see `loadOf`); where a closed form is known. */
  readonly load?: number
  /** If the kind does not exist for so many nodes: why, and how these were made instead. */
  readonly fallback?: string
}

const MOST_LISTED = 200_000

/** The sets that have more than half of the votes. */
export function votingFamily(kind: string, nodes: number, given: readonly number[]): QuorumFamily {
  return familyOfVotes(kind, nodes, assignVotes(nodes, given))
}

/** All sets of so many nodes. */
export function thresholdFamily(nodes: number, needed: number): QuorumFamily {
  return familyOfVotes('threshold', nodes, { of: Array.from({ length: nodes }, () => 1), needed })
}

function familyOfVotes(kind: string, nodes: number, votes: Votes): QuorumFamily {
  return {
    kind,
    nodes,
    isMet: (up) => votes.of.reduce((sum, own, node) => sum + (up[node] ? own : 0), 0) >= votes.needed,
    quorums: listVotingQuorums(votes),
    availability: (up) => chanceOfVotes(votes, up),
    resilience: votesLostBeforeDefeat(votes),
    // With equal votes all sets of one size are quorums, and no node is in more of them than another.
    ...(votes.of.every((own) => own === 1) ? { load: votes.needed / nodes } : {}),
  }
}

/** The tree in heap order with all substitutes for failed nodes. */
export function treeFamily(nodes: number, tree: RootedTree = heapTree(nodes)): QuorumFamily {
  return {
    kind: 'tree',
    nodes,
    isMet: (up) =>
      holdsTreeQuorum(
        tree,
        [...up.keys()].filter((node) => up[node]),
      ),
    quorums: listTreeQuorums(tree, tree.root),
    availability: (up) => chanceOfPath(tree, tree.root, up),
    resilience: fewestToBlock(tree, tree.root) - 1,
    load: loadOfPaths(tree, tree.root),
  }
}

/**
 * A row and a column each. Say there are r full rows of w nodes, and s nodes in the short one. Failures that leave no
 * quorum and spare a full row hit all w columns. If they spare none they hit the short row too, r + 1 rows in all, or
 * else each of its s columns, for which max(r, s) nodes in the full rows do. As s < w and w - 2 <= r <= w, neither w
 * nor r + 1 is less than that.
 */
export function gridFamily(nodes: number): QuorumFamily {
  const width = Math.ceil(Math.sqrt(nodes))
  const fullRows = Math.floor(nodes / width)
  const short = nodes % width
  return { ...listedFamily(grid(nodes)), resilience: Math.max(fullRows, short) - 1 }
}

/** Lines. What meets all lines of a plane has at least as many points as a line, q + 1; folded ones may need less. */
export function projectiveFamily(nodes: number): QuorumFamily {
  const lines = projective(nodes)
  if (lines.fallback !== undefined) return listedFamily(lines)
  return { ...listedFamily(lines), resilience: lines.of(0).length - 1 }
}

/** The sets that the nodes ask, and no others. */
export function listedFamily(given: Quorums): QuorumFamily {
  const { kind, nodes } = given
  const sets = new Map<string, readonly NodeId[]>()
  for (let node = 0; node < nodes; node += 1) sets.set(given.of(node).join(), given.of(node))
  const quorums = [...sets.values()]
  return {
    kind,
    nodes,
    quorums,
    isMet: (up) => quorums.some((quorum) => quorum.every((node) => up[node])),
    ...(given.fallback === undefined ? {} : { fallback: given.fallback }),
  }
}

function listVotingQuorums({ of, needed }: Votes): (readonly NodeId[])[] | null {
  // Largest votes first: the node that completes a quorum has the fewest votes in it, so the quorum needs every member.
  const ranked = [...of.keys()]
    .filter((node) => get(of, node) > 0)
    .toSorted((a, b) => get(of, b) - get(of, a))
  const left = ranked.map((node) => get(of, node))
  for (let i = left.length - 2; i >= 0; i -= 1) increase(left, i, get(left, i + 1))
  const found: NodeId[][] = []
  let listed = 0
  const choose = (from: number, members: NodeId[], sum: number): void => {
    if (sum >= needed) {
      listed += members.length
      return void found.push(members.toSorted((a, b) => a - b))
    }
    for (let i = from; i < ranked.length && listed <= MOST_LISTED; i += 1) {
      if (sum + get(left, i) < needed) return
      choose(i + 1, [...members, get(ranked, i)], sum + get(of, get(ranked, i)))
    }
  }
  choose(0, [], 0)
  return listed > MOST_LISTED ? null : found
}

/** How likely each number of votes is up, one node after the other. */
function chanceOfVotes({ of, needed }: Votes, up: number): number {
  let chances = [1]
  for (const own of of) {
    const next = Array.from({ length: chances.length + own }, () => 0)
    chances.forEach((chance, votes) => {
      increase(next, votes, chance * (1 - up))
      increase(next, votes + own, chance * up)
    })
    chances = next
  }
  return chances.slice(needed).reduce((sum, chance) => sum + chance, 0)
}

/** The strongest fail first. */
function votesLostBeforeDefeat({ of, needed }: Votes): number {
  let left = of.reduce((sum, own) => sum + own, 0)
  const strongest = of.toSorted((a, b) => b - a)
  return strongest.findIndex((own) => {
    left -= own
    return left < needed
  })
}

/** A node with a path from one child, or a path from each child; an only child speaks for its parent. */
function listTreeQuorums(tree: RootedTree, node: NodeId): (readonly NodeId[])[] | null {
  const children = tree.children(node)
  if (children.length === 0) return [[node]]
  const below = children.map((child) => listTreeQuorums(tree, child))
  if (!below.every((list) => list !== null)) return null
  if (below.length === 1) return get(below, 0)
  const many = below.reduce((product, list) => product * list.length, 1)
  const longest = below.reduce((sum, list) => sum + get(list, list.length - 1).length, 0)
  if (many * longest > MOST_LISTED) return null
  const through = below.flat().map((path) => [node, ...path])
  const around = below.reduce<(readonly NodeId[])[]>(
    (sets, list) => sets.flatMap((set) => list.map((path) => [...set, ...path])),
    [[]],
  )
  return [...through, ...around].map((set) => set.toSorted((a, b) => a - b))
}

function chanceOfPath(tree: RootedTree, node: NodeId, up: number): number {
  const below = tree.children(node).map((child) => chanceOfPath(tree, child, up))
  if (below.length === 0) return up
  const all = below.reduce((product, chance) => product * chance, 1)
  const none = below.reduce((product, chance) => product * (1 - chance), 1)
  return up * (1 - none) + (1 - up) * all
}

/** With the node itself one child's paths must be blocked, without it the paths of all. */
function fewestToBlock(tree: RootedTree, node: NodeId): number {
  const below = tree.children(node).map((child) => fewestToBlock(tree, child))
  if (below.length === 0) return 1
  return Math.min(
    1 + Math.min(...below),
    below.reduce((sum, blocked) => sum + blocked, 0),
  )
}

/**
 * The node is chosen with probability t and then one of its k children; else all children are. A child whose
 * paths have load L is busy L times as often as it is chosen, and all are as busy as the node if
 * t = k / (k - 1 + the sum of 1/L). In a complete binary tree of height h that is 2 / (h + 2).
 */
function loadOfPaths(tree: RootedTree, node: NodeId): number {
  const below = tree.children(node).map((child) => loadOfPaths(tree, child))
  if (below.length === 0) return 1
  return below.length / (below.length - 1 + below.reduce((sum, load) => sum + 1 / load, 0))
}
