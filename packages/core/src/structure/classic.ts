/** The structures that Sanders 1987 draws, for any number of nodes where the figure has a rule. */
import type { NodeId } from '../algorithm.ts'
import { InvalidInput } from '../invalid-input.ts'
import type { Quorums } from '../quorum/quorums.ts'
import { type Structure, structureOf } from './structure.ts'

/** Figure 1a: everyone tells and asks one node, which decides alone. Only that node keeps its own state. */
export function central(nodes: number, coordinator: NodeId = 0): Structure {
  return structureOf(each(nodes, () => [coordinator]))
}

/** Figure 1b: everyone asks everyone and tells only itself (Ricart and Agrawala 1981). */
export function everyone(nodes: number): Structure {
  return structureOf(
    each(nodes, (node) => [node]),
    each(nodes, () => [...Array(nodes).keys()]),
  )
}

/** Figure 1c: whom a node asks it also tells, and every two such sets meet (Maekawa 1985). */
export function fromQuorums(quorums: Quorums): Structure {
  return structureOf(each(quorums.nodes, (node) => quorums.of(node)))
}

/**
 * Figure 2: nodes 0 and 1 ask only each other and enter for 2 messages; the rest tell and ask both of them.
 * With three nodes it is Figure 4.
 */
export function favoured(nodes: number): Structure {
  if (nodes < 2) throw new InvalidInput(`two favoured nodes among ${nodes}: there must be 2 nodes or more`)
  return structureOf(
    each(nodes, (node) => (node < 2 ? [node] : [0, 1, node])),
    each(nodes, (node) => (node < 2 ? [0, 1] : [0, 1, node])),
  )
}

/**
 * Figure 3a, which is not safe (case 4b of the proof): 1 learns of 0 through 2 only, 0 of 1 from 1 itself. The
 * paper's i, j, k are 0, 1, 2. Node 2, of which the figure says nothing, asks and tells all.
 */
export const FIGURE_3A: Structure = structureOf(
  [[0, 2], [1], [0, 1, 2]],
  [
    [0, 1, 2],
    [1, 2],
    [0, 1, 2],
  ],
)

/** Figure 3b, not safe either (case 4c): 0 and 1 learn of each other through 2 and 3 only; i, j, k, m are 0 to 3. */
export const FIGURE_3B: Structure = structureOf(
  [
    [0, 2],
    [1, 3],
    [0, 1, 2, 3],
    [0, 1, 2, 3],
  ],
  [
    [0, 2, 3],
    [1, 2, 3],
    [0, 1, 2, 3],
    [0, 1, 2, 3],
  ],
)

function each(nodes: number, setOf: (node: NodeId) => readonly NodeId[]): (readonly NodeId[])[] {
  return Array.from({ length: nodes }, (_, node) => setOf(node))
}
