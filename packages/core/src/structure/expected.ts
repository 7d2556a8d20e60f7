/** What a structure costs on average, when some nodes enter more often than others. */
import type { NodeId } from '../algorithm.ts'
import { get } from '../bounds.ts'
import type { Structure } from './structure.ts'
import { metrics, syncDelay } from './structure-cost.ts'

export interface Workload {
  /** How often each node enters, in proportion to the others. */
  readonly demand: readonly number[]
  /** The probability that a node is up when it is asked. */
  readonly available: number
}

export interface Expected {
  /** Messages per entry when nobody competes, and at most. */
  readonly messages: { readonly least: number; readonly most: number }
  /** Messages one after another between an exit and the entry of another node that waits already. */
  readonly delay: number
  /** The probability that all whom an entering node asks are up. */
  readonly availability: number
  /** The largest share of entries for which one node is asked by others. */
  readonly load: number
}

export function expected(structure: Structure, { demand, available }: Workload): Expected {
  const { nodes, request } = structure
  const shares = sharesOf(demand)
  const { perNode } = metrics(structure)
  const asked = request.map((members, node) => members.filter((other) => other !== node))
  const over = (value: (node: NodeId) => number) =>
    shares.reduce((sum, share, node) => sum + share * value(node), 0)
  const askedFor = Array.from({ length: nodes }, (_, arbiter) =>
    over((node) => (get(asked, node).includes(arbiter) ? 1 : 0)),
  )
  return {
    messages: {
      least: over((node) => get(perNode, node).messages.least),
      most: over((node) => get(perNode, node).messages.most),
    },
    delay: expectedDelay(structure, shares),
    availability: over((node) => available ** get(asked, node).length),
    load: Math.max(...askedFor),
  }
}

/** The next to enter is drawn by demand among the others than the one that leaves. */
function expectedDelay(structure: Structure, shares: readonly number[]): number {
  let delay = 0
  let weight = 0
  shares.forEach((next, node) => {
    shares.forEach((last, left) => {
      if (node === left) return
      weight += next * last
      delay += next * last * syncDelay(structure, node, left)
    })
  })
  return weight === 0 ? 0 : delay / weight
}

export function sharesOf(demand: readonly number[]): number[] {
  const sum = demand.reduce((a, b) => a + b, 0)
  return demand.map((weight) => weight / sum)
}
