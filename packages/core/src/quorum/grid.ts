import type { NodeId } from '../algorithm.ts'
import type { Quorums } from './quorums.ts'

/**
 * The nodes in a square, row by row; a node asks its row and its column, about 2 sqrt(n) nodes (Maekawa 1985,
 * for numbers of nodes without a projective plane).
 *
 * Where n is no square the last row is shorter, and all still meet: two nodes of one row share that row. Of
 * two different rows at most one is the short one, so one is full; a full row crosses every column, hence
 * also the column of the node in the other row.
 */
export function grid(nodes: number): Quorums {
  const width = Math.ceil(Math.sqrt(nodes))
  return {
    kind: 'grid',
    nodes,
    of(node) {
      const column = node % width
      const rowStart = node - column
      const rowEnd = Math.min(rowStart + width, nodes)
      const members: NodeId[] = []
      for (let above = column; above < rowStart; above += width) members.push(above)
      for (let beside = rowStart; beside < rowEnd; beside += 1) members.push(beside)
      for (let below = node + width; below < nodes; below += width) members.push(below)
      return members
    },
  }
}
