import type { NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { InvalidInput, wholeNumber } from '@turnwise/core/invalid-input'
import { type Structure, structureOf } from '@turnwise/core/structure/structure'
import { nodesOf, structureFromText, structureText } from '@turnwise/core/structure/structure-from-text'
import type { Query } from '../../shell/address.ts'

/** With more nodes the arcs cannot be told apart. */
export const MOST_EDITED_NODES = 12
const DEFAULT_NODES = 4
export const DEFAULT_STRUCTURE = 'figure-2'

/** The structure that an address asks for. */
export function readStructure(query: Query): Structure {
  const text = query['structure'] ?? DEFAULT_STRUCTURE
  const wished = query['nodes']
  const nodes =
    wished === undefined
      ? (nodesOf(text) ?? DEFAULT_NODES)
      : wholeNumber(wished, 'a number of nodes', 1, MOST_EDITED_NODES)
  if (nodes > MOST_EDITED_NODES) {
    throw new InvalidInput(`structure: has ${nodes} nodes, and at most ${MOST_EDITED_NODES} can be edited`)
  }
  return structureFromText(text, nodes)
}

/** The address of a structure that was edited: its sets, spelled out. */
export function writeStructure(structure: Structure): Query {
  return { structure: structureText(structure) }
}

/** What one node has to do with another. */
export type Relation = 'none' | 'asks' | 'asks and tells' | 'tells'

/** In the order in which a click goes through them: `tells` alone is what condition a forbids, and comes last. */
export const RELATIONS: readonly Relation[] = ['none', 'asks', 'asks and tells', 'tells']

export function relationOf({ inform, request }: Structure, from: NodeId, to: NodeId): Relation {
  const tells = get(inform, from).includes(to)
  const asks = get(request, from).includes(to)
  if (asks) return tells ? 'asks and tells' : 'asks'
  return tells ? 'tells' : 'none'
}

export function withRelation(structure: Structure, from: NodeId, to: NodeId, relation: Relation): Structure {
  const change = (sets: Structure['inform'], belongs: boolean) =>
    sets.map((members, node) => {
      if (node !== from) return members
      const others = members.filter((member) => member !== to)
      return belongs ? [...others, to] : others
    })
  const tells = relation === 'tells' || relation === 'asks and tells'
  const asks = relation === 'asks' || relation === 'asks and tells'
  return structureOf(change(structure.inform, tells), change(structure.request, asks))
}

export function nextRelation(relation: Relation): Relation {
  return get(RELATIONS, (RELATIONS.indexOf(relation) + 1) % RELATIONS.length)
}

/** One node more, which tells and asks only itself, or one less, removed from all sets. */
export function resized({ inform, request }: Structure, nodes: number): Structure {
  const fit = (sets: Structure['inform']) =>
    Array.from({ length: nodes }, (_, node) => (sets[node] ?? [node]).filter((member) => member < nodes))
  return structureOf(fit(inform), fit(request))
}
