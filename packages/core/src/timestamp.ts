import type { NodeId } from './algorithm.ts'

/**
 * Lamport's timestamps (1978): a clock value and the node that chose it. Two different requests never carry
 * the same pair, so the pairs are totally ordered, and every node orders them alike.
 */
export interface Timestamp {
  readonly time: number
  readonly node: NodeId
}

export function precedes(a: Timestamp, b: Timestamp): boolean {
  return a.time < b.time || (a.time === b.time && a.node < b.node)
}

export function sameTimestamp(a: Timestamp, b: Timestamp): boolean {
  return a.time === b.time && a.node === b.node
}

/**
 * One number that rises with the timestamp. It is a valid fence only where entries happen in timestamp
 * order: Lamport, Ricart-Agrawala with unbounded numbers.
 */
export function timestampFence(stamp: Timestamp, nodes: number): number {
  return stamp.time * nodes + stamp.node
}
