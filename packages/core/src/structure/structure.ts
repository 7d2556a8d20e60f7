import type { NodeId } from '../algorithm.ts'
import { get } from '../bounds.ts'
import { InvalidInput } from '../invalid-input.ts'

/**
 * The information structure of a mutual exclusion algorithm (Sanders 1987, section 2): which nodes a node tells that it
 * waits, is inside or has left, and which nodes it asks before it enters. Members come in rising order, once each.
 */
export interface Structure {
  readonly nodes: number
  /** I_i: the nodes that node i tells. */
  readonly inform: readonly (readonly NodeId[])[]
  /** R_i: the nodes that node i asks for permission. */
  readonly request: readonly (readonly NodeId[])[]
}

/** A structure under the name by which it was asked for. */
export interface NamedStructure extends Structure {
  readonly kind: string
}

/** S_i: the nodes that tell i, that is, j is in S_i if i is in I_j. */
export function statusSets({ nodes, inform }: Structure): readonly (readonly NodeId[])[] {
  const status = Array.from({ length: nodes }, (): NodeId[] => [])
  inform.forEach((told, teller) => {
    for (const node of told) get(status, node).push(teller)
  })
  return status
}

/** Sorts every set and drops repetitions, for structures that are computed. */
export function structureOf(inform: readonly (readonly NodeId[])[], request = inform): Structure {
  return { nodes: inform.length, inform: inform.map(ascending), request: request.map(ascending) }
}

function ascending(members: readonly NodeId[]): readonly NodeId[] {
  return [...new Set(members)].toSorted((a, b) => a - b)
}

const FIELDS = ['nodes', 'inform', 'request'] as const

/**
 * Reads `{ "nodes": n, "inform": [[...], ...], "request": [[...], ...] }`, one set for each node, from what a file
 * held. A complaint begins with the field it is about.
 */
export function structureFrom(content: unknown): Structure {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new InvalidInput(`${shown(content)} is not an object with the fields ${FIELDS.join(', ')}`)
  }
  for (const field of FIELDS)
    if (!Object.hasOwn(content, field)) throw new InvalidInput(`${field}: is missing`)
  for (const field of Object.keys(content)) {
    if (!FIELDS.some((known) => known === field)) {
      throw new InvalidInput(`${field}: is not a field of a structure, which has ${FIELDS.join(', ')}`)
    }
  }
  const { nodes, inform, request } = content as Record<(typeof FIELDS)[number], unknown>
  if (typeof nodes !== 'number' || !Number.isSafeInteger(nodes) || nodes < 1) {
    throw new InvalidInput(`nodes: ${shown(nodes)} is not a whole number, 1 or more`)
  }
  return { nodes, inform: setsFrom(inform, 'inform', nodes), request: setsFrom(request, 'request', nodes) }
}

function setsFrom(content: unknown, field: string, nodes: number): readonly (readonly NodeId[])[] {
  if (!Array.isArray(content)) throw new InvalidInput(`${field}: ${shown(content)} is not a list of sets`)
  if (content.length !== nodes) {
    throw new InvalidInput(`${field}: has ${content.length} sets, but there are ${nodes} nodes`)
  }
  return content.map((members: unknown, node) => membersFrom(members, `${field}[${node}]`, nodes))
}

function membersFrom(content: unknown, field: string, nodes: number): readonly NodeId[] {
  if (!Array.isArray(content)) throw new InvalidInput(`${field}: ${shown(content)} is not a list of nodes`)
  const members = new Set<NodeId>()
  content.forEach((member: unknown, i) => {
    if (typeof member !== 'number' || !Number.isInteger(member) || member < 0 || member >= nodes) {
      throw new InvalidInput(`${field}[${i}]: ${shown(member)} is not a node from 0 to ${nodes - 1}`)
    }
    if (members.has(member)) throw new InvalidInput(`${field}[${i}]: names node ${member} twice`)
    members.add(member)
  })
  return ascending([...members])
}

const LONGEST = 40

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}
