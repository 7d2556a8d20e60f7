import type { NodeId } from '../algorithm.ts'
import { get } from '../bounds.ts'
import { InvalidInput, invalid } from '../invalid-input.ts'
import { grid } from './grid.ts'
import { disjointMajorities, hasKMajority, kMajority, kSingleton } from './k-coterie.ts'
import { majority } from './majority.ts'
import { planeOrder, projective } from './projective.ts'
import type { Quorums } from './quorums.ts'
import { tree } from './tree.ts'

export const QUORUM_FORMS = 'majority, grid, projective, tree, k-majority, k-singleton, disjoint'

/**
 * Reads quorums as they are written on the command line. The caller reads files. The last three forms are k-coteries, k
 * being the number of `entries`.
 */
export function quorumsFrom(text: string, nodes: number, entries = 1): Quorums {
  switch (text) {
    case 'majority':
      return majority(nodes)
    case 'grid':
      return grid(nodes)
    case 'projective':
      return projective(nodes)
    case 'tree':
      return tree(nodes)
    case 'k-majority':
      return kMajority(nodes, entries)
    case 'k-singleton':
      return kSingleton(nodes, entries)
    case 'disjoint':
      return disjointMajorities(nodes, entries)
    default:
      throw invalid(text, `one of ${QUORUM_FORMS}`)
  }
}

/**
 * Small quorums that burden the nodes about alike (Maekawa 1985): a plane, else a grid. Below four nodes a
 * grid is no smaller than a majority. A tree would be smaller still, but every node asks its root.
 */
export function defaultQuorums(nodes: number): Quorums {
  if (nodes < 4) return majority(nodes)
  return planeOrder(nodes) === null ? grid(nodes) : projective(nodes)
}

/** The same for k entries: all burden the nodes alike, and k-majorities leave the most to choose from. */
export function defaultKCoterie(nodes: number, entries: number): Quorums {
  return hasKMajority(nodes, entries) ? kMajority(nodes, entries) : disjointMajorities(nodes, entries)
}

/**
 * Quorums given one by one, for node 0 first. They need not meet: a user may want to see such quorums fail, and
 * `firstDisjointPair` finds them.
 */
export function quorumsFromLists(lists: readonly (readonly NodeId[])[], kind = 'file'): Quorums {
  if (lists.length === 0) throw new InvalidInput('no quorums given: there must be one for each node')
  const sorted = lists.map((list, node) => checked(list, node, lists.length))
  return { kind, nodes: lists.length, of: (node) => get(sorted, node) }
}

function checked(list: readonly NodeId[], node: NodeId, nodes: number): readonly NodeId[] {
  if (list.length === 0) throw new InvalidInput(`the quorum of node ${node} is empty: it must name a node`)
  const seen = new Set<NodeId>()
  for (const member of list) {
    if (!(Number.isInteger(member) && member >= 0 && member < nodes)) {
      throw new InvalidInput(`the quorum of node ${node}: ${member} is not a node from 0 to ${nodes - 1}`)
    }
    if (seen.has(member)) throw new InvalidInput(`the quorum of node ${node} names node ${member} twice`)
    seen.add(member)
  }
  return [...seen].toSorted((a, b) => a - b)
}
