import type { NodeId } from '../algorithm.ts'
import { get } from '../bounds.ts'
import { InvalidInput } from '../invalid-input.ts'

/**
 * Voting: every node has some votes, and nodes that have more than half of all votes together are a quorum
 * (Gifford 1979; with one vote each, the majority of Thomas 1979). Two such sets would have more votes than
 * there are if they shared no node.
 */
export interface Votes {
  readonly of: readonly number[]
  /** The least that is more than half. */
  readonly needed: number
}

/** Why so many nodes cannot vote with the given votes, or null. */
export function whyNoVotes(nodes: number, given: readonly number[]): string | null {
  if (given.length > nodes) return `votes for ${given.length} nodes were given, but there are only ${nodes}`
  const hasVote = given.length < nodes || given.some((votes) => votes > 0)
  return hasVote ? null : 'no node has a vote: at least one must'
}

/** One vote for each node that `given` does not name. */
export function assignVotes(nodes: number, given: readonly number[]): Votes {
  const complaint = whyNoVotes(nodes, given)
  if (complaint !== null) throw new InvalidInput(complaint)
  const of = Array.from({ length: nodes }, (_, node) => given[node] ?? 1)
  const total = of.reduce((sum, votes) => sum + votes, 0)
  // Half of an even total is not enough, however it is rounded: the other half is as strong.
  return { of, needed: Math.floor(total / 2) + 1 }
}

export function votesOf(votes: Votes, members: readonly NodeId[]): number {
  return members.reduce((sum, member) => sum + get(votes.of, member), 0)
}

/**
 * A quorum without any node of `down`, or null if the others have too few votes. It takes the node itself, then those
 * it has `asked` already, then the nodes with the most votes; among equals those that come next on the circle of
 * numbers, so that no node is asked more often than its equals. Members come in rising order.
 */
export function votingQuorum(
  votes: Votes,
  self: NodeId,
  down: readonly NodeId[] = [],
  asked: readonly NodeId[] = [],
): readonly NodeId[] | null {
  const nodes = votes.of.length
  const ahead = (node: NodeId) => (node - self + nodes) % nodes
  const rank = (node: NodeId) => (node === self ? 0 : asked.includes(node) ? 1 : 2)
  const willing = [...votes.of.keys()]
    .filter((node) => !down.includes(node) && get(votes.of, node) > 0)
    .toSorted((a, b) => rank(a) - rank(b) || get(votes.of, b) - get(votes.of, a) || ahead(a) - ahead(b))
  const members: NodeId[] = []
  let sum = 0
  for (const node of willing) {
    if (sum >= votes.needed) break
    members.push(node)
    sum += get(votes.of, node)
  }
  if (sum < votes.needed) return null
  // The first to come may turn out not to be needed once those with more votes are in.
  const needed = members.filter((node) => {
    if (sum - get(votes.of, node) < votes.needed) return true
    sum -= get(votes.of, node)
    return false
  })
  return needed.toSorted((a, b) => a - b)
}
