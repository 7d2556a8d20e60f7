import type { NodeId } from '../algorithm.ts'
import { type Quorums, type Sizes, sizesOver } from './quorums.ts'

/**
 * A quorum agreement (Q, Q^-1): two families of sets in which every set of the one meets every set of the other
 * (Velazquez 1993, section 4, after Mizuno, Neilsen and Rao 1991). For all i and j, what node i tells its request set
 * R_i and node j its acquired set A_j meets in some node. Two request sets need not meet, so they can be smaller than
 * quorums. Members come in rising order.
 */
export interface QuorumAgreement {
  readonly kind: string
  readonly nodes: number
  /** R_i: the nodes that node i asks. */
  request(node: NodeId): readonly NodeId[]
  /** A_j: the nodes that node j tells that it has the token. */
  acquired(node: NodeId): readonly NodeId[]
}

/**
 * The agreement that belongs to some quorums. Those of a grid, a row and a column each, can be split into two
 * families, and with them most of the cost; all others serve as both, since every two of them meet.
 */
export function agreementFrom(quorums: Quorums): QuorumAgreement {
  if (quorums.kind === 'grid') return columnsAndRows(quorums.nodes)
  const { kind, nodes } = quorums
  return { kind, nodes, request: (node) => quorums.of(node), acquired: (node) => quorums.of(node) }
}

/**
 * The nodes row by row, about twice as many rows as columns; a node asks its column and tells its row. An entry
 * that costs |R| + 2(|A| - 1) messages is cheapest in these proportions: 2 sqrt(2n) - 2 where n is twice a square
 * (the modified grid of Velazquez 1993, section 4). Where the last row is shorter it is filled up from the row
 * above it, so that each row has one node in every column and each R meets each A in exactly one node.
 */
export function columnsAndRows(nodes: number): QuorumAgreement {
  const width = Math.ceil(Math.sqrt(nodes / 2))
  return {
    kind: 'grid',
    nodes,
    request(node) {
      const column: NodeId[] = []
      for (let member = node % width; member < nodes; member += width) column.push(member)
      return column
    },
    acquired(node) {
      const start = Math.min(node - (node % width), nodes - width)
      return Array.from({ length: width }, (_, step) => start + step)
    },
  }
}

/** Ask all nodes and tell only yourself, as Suzuki and Kasami 1985 do. */
export function broadcast(nodes: number): QuorumAgreement {
  return {
    kind: 'broadcast',
    nodes,
    request: () => [...Array(nodes).keys()],
    acquired: (node) => [node],
  }
}

/**
 * A node that may ask and a holder it may miss, or null if every request set meets every acquired set. That R_i
 * meets A_i, as the survey writes the condition, is not enough: the holder is seldom the node that asks.
 */
export function firstMissedHolder(
  agreement: QuorumAgreement,
): { readonly asks: NodeId; readonly holds: NodeId } | null {
  const { nodes } = agreement
  const told = Array.from({ length: nodes }, (_, node) => agreement.acquired(node))
  // Marked with the node whose request set it was last seen in, so that nothing is cleared between two nodes.
  const askedBy = new Int32Array(nodes).fill(-1)
  for (let asks = 0; asks < nodes; asks += 1) {
    for (const member of agreement.request(asks)) askedBy[member] = asks
    const holds = told.findIndex((members) => !members.some((member) => askedBy[member] === asks))
    if (holds !== -1) return { asks, holds }
  }
  return null
}

/** How many other nodes are asked and told: the least, the most and the mean. */
export function agreementSizes(agreement: QuorumAgreement): {
  readonly request: Sizes
  readonly acquired: Sizes
} {
  return {
    request: othersIn((node) => agreement.request(node), agreement.nodes),
    acquired: othersIn((node) => agreement.acquired(node), agreement.nodes),
  }
}

function othersIn(setOf: (node: NodeId) => readonly NodeId[], nodes: number): Sizes {
  return sizesOver(nodes, (node) => [setOf(node).filter((member) => member !== node).length])
}
