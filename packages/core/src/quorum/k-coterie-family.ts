/**
 * The k-coteries of `k-coterie.ts` as a whole. Each is the sets of so many nodes out of groups that do not meet: all
 * nodes are the one group of a k-majority.
 */
import type { NodeId } from '../algorithm.ts'
import { get } from '../bounds.ts'
import { InvalidInput } from '../invalid-input.ts'
import { type QuorumFamily, thresholdFamily } from './family.ts'
import { kMajority } from './k-coterie.ts'

interface Group {
  readonly members: readonly NodeId[]
  readonly needed: number
}

export const K_COTERIE_KINDS = ['k-majority', 'k-singleton', 'disjoint'] as const
export type KCoterieKind = (typeof K_COTERIE_KINDS)[number]

export function kCoterieFamily(kind: KCoterieKind, nodes: number, k: number): QuorumFamily {
  if (k > nodes) throw new InvalidInput(`"${k}" of ${nodes} nodes are never inside together`)
  const groups = groupsOf(kind, nodes, k)
  const families = groups.map(({ members, needed }) => thresholdFamily(members.length, needed))
  const named = groups.map(({ members }, place) =>
    get(families, place).quorums?.map((quorum) => quorum.map((index) => get(members, index))),
  )
  return {
    kind,
    nodes,
    isMet: (up) => groups.some(({ members, needed }) => members.filter((node) => up[node]).length >= needed),
    quorums: named.every((list) => list !== undefined) ? named.flat() : null,
    availability: (up) =>
      1 - families.reduce((none, { availability }) => none * (1 - (availability?.(up) ?? 0)), 1),
    // All groups must be blocked, each at its cheapest.
    resilience: groups.reduce((sum, { members, needed }) => sum + members.length - needed + 1, 0) - 1,
    // A group is chosen the more often the less its members are burdened, so that all are equally busy.
    load: 1 / groups.reduce((sum, { members, needed }) => sum + members.length / needed, 0),
  }
}

function groupsOf(kind: KCoterieKind, nodes: number, k: number): Group[] {
  const all = Array.from({ length: nodes }, (_, node) => node)
  switch (kind) {
    case 'k-majority':
      return [{ members: all, needed: kMajority(nodes, k).of(0).length }]
    case 'k-singleton':
      return all.slice(0, k).map((node) => ({ members: [node], needed: 1 }))
    case 'disjoint':
      return Array.from({ length: k }, (_, group) => {
        const members = all.filter((node) => node % k === group)
        return { members, needed: Math.floor(members.length / 2) + 1 }
      })
  }
}
