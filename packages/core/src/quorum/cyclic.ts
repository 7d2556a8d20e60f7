import type { Quorums } from './quorums.ts'

/**
 * Quorums that are turns of one another on the circle of node numbers: node i asks i + d for every d of
 * `differences` (rising, beginning with 0, so that i asks itself). Those of i and j meet if and only if j - i
 * is the difference of two members, so all meet if every number below n is such a difference. All nodes then
 * work equally much: each is asked by as many nodes as it asks.
 */
export function cyclic(kind: string, nodes: number, differences: readonly number[]): Quorums {
  return {
    kind,
    nodes,
    of(node) {
      // What the turn carries past the end comes to the front: so the members rise without a sort.
      const wrapped = differences.filter((d) => node + d >= nodes).map((d) => node + d - nodes)
      const ahead = differences.filter((d) => node + d < nodes).map((d) => node + d)
      return [...wrapped, ...ahead]
    },
  }
}
