import { cyclic } from './cyclic.ts'
import type { Quorums } from './quorums.ts'

/**
 * More than half of the nodes, so that any two quorums overlap (Thomas 1979). Which majority is free; a node
 * asks itself and those after it on the circle of numbers, so that no node is asked more often than another.
 */
export function majority(nodes: number): Quorums {
  const size = Math.floor(nodes / 2) + 1
  return cyclic('majority', nodes, [...Array(size).keys()])
}
