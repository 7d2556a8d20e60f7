import { InvalidInput, invalid, wholeNumber } from '../invalid-input.ts'
import { defaultQuorums } from '../quorum/quorum-from-text.ts'
import { central, everyone, FIGURE_3A, FIGURE_3B, favoured, fromQuorums } from './classic.ts'
import { type NamedStructure, type Structure, structureFrom } from './structure.ts'

export const STRUCTURE_FORMS =
  'central[:NODE], ricart-agrawala, maekawa, figure-2, figure-3a, figure-3b, INFORM:REQUEST (such as 0/0.1:0/0.1)'

const SPELLED_OUT = /^[\d./]*:[\d./]*$/
const NAMED = /^(central(:.*)?|ricart-agrawala|maekawa|figure-2|figure-3a|figure-3b)$/

/** Whether this is a structure, not the name of a file. */
export function isStructureText(text: string): boolean {
  return SPELLED_OUT.test(text) || NAMED.test(text)
}

/** For how many nodes a structure is spelled out or drawn as a figure; null where it is for any number. */
export function nodesOf(text: string): number | null {
  if (SPELLED_OUT.test(text)) return spelledOut(text).nodes
  // Figure 2 has a rule for more, and is drawn with four.
  return { 'figure-2': 4, 'figure-3a': FIGURE_3A.nodes, 'figure-3b': FIGURE_3B.nodes }[text] ?? null
}

/** Reads a structure as it is written on the command line. The caller reads files. */
export function structureFromText(text: string, nodes: number): NamedStructure {
  const structure = SPELLED_OUT.test(text) ? spelledOut(text) : named(text, nodes)
  if (structure.nodes !== nodes) {
    throw new InvalidInput(`"${text}" is for ${structure.nodes} nodes, not for ${nodes}`)
  }
  return { kind: text, ...structure }
}

function named(text: string, nodes: number): Structure {
  const [, coordinator] = /^central:(.*)$/.exec(text) ?? []
  if (coordinator !== undefined) {
    return central(nodes, wholeNumber(coordinator, 'a node that coordinates', 0, nodes - 1))
  }
  switch (text) {
    case 'central':
      return central(nodes)
    case 'ricart-agrawala':
      return everyone(nodes)
    case 'maekawa':
      return fromQuorums(defaultQuorums(nodes))
    case 'figure-2':
      return favoured(nodes)
    case 'figure-3a':
      return FIGURE_3A
    case 'figure-3b':
      return FIGURE_3B
    default:
      throw invalid(text, `one of ${STRUCTURE_FORMS}`)
  }
}

/** The inform sets, a colon, the request sets: sets divided by `/`, members by `.`, as in `0/1:0.1/0.1`. */
function spelledOut(text: string): Structure {
  const [inform = [], request = []] = text
    .split(':')
    .map((sets) => sets.split('/').map((members) => (members === '' ? [] : members.split('.').map(Number))))
  return structureFrom({ nodes: inform.length, inform, request })
}

/** The way back: what `structureFromText` reads. */
export function structureText({ inform, request }: Structure): string {
  return [inform, request].map((sets) => sets.map((members) => members.join('.')).join('/')).join(':')
}
