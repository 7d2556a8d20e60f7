import type { NodeId } from './algorithm.ts'

/** Nodes that are near each other: zones of consecutive numbers, numbered from 0, their sizes as equal as can be. */
export interface Zones {
  readonly count: number
  /** The zone of a node. */
  readonly of: (node: NodeId) => number
  /** The node of a zone with the smallest number. */
  readonly first: (zone: number) => NodeId
  readonly size: (zone: number) => number
}

/** So many zones, or one for each node where there are fewer nodes. */
export function evenZones(nodes: number, wished: number): Zones {
  const count = Math.min(wished, nodes)
  const first = (zone: number) => Math.ceil((zone * nodes) / count)
  return {
    count,
    of: (node) => Math.floor((node * count) / nodes),
    first,
    size: (zone) => first(zone + 1) - first(zone),
  }
}
