/** The structures that the literature offers for a workload, to set a designed one beside them. */
import type { NodeId } from '../algorithm.ts'
import { get } from '../bounds.ts'
import { majority } from '../quorum/majority.ts'
import { defaultQuorums } from '../quorum/quorum-from-text.ts'
import { central, everyone, favoured, fromQuorums } from './classic.ts'
import { type Structure, structureOf } from './structure.ts'

/** A structure that others have found before, as it is called in the table. */
export interface Candidate {
  readonly name: string
  readonly structure: Structure
}

/** Where a classic structure treats nodes differently, the busiest are treated best. */
export function classicsFor(demand: readonly number[]): Candidate[] {
  const nodes = demand.length
  const busiest = [...demand.keys()].toSorted((a, b) => get(demand, b) - get(demand, a) || a - b)
  const classics = [
    { name: 'central coordinator', structure: central(nodes, get(busiest, 0)) },
    { name: 'Ricart-Agrawala', structure: everyone(nodes) },
    { name: `Maekawa, ${defaultQuorums(nodes).kind}`, structure: fromQuorums(defaultQuorums(nodes)) },
  ]
  if (nodes > 1) classics.push({ name: 'Figure 2', structure: renamed(favoured(nodes), busiest) })
  if (defaultQuorums(nodes).kind !== 'majority') {
    classics.push({ name: 'majority', structure: fromQuorums(majority(nodes)) })
  }
  return classics
}

/** The same structure with other names: `names[i]` for node i. */
function renamed({ inform, request }: Structure, names: readonly NodeId[]): Structure {
  const place = (sets: readonly (readonly NodeId[])[]) =>
    names.map((_, name) => get(sets, names.indexOf(name)).map((member) => get(names, member)))
  return structureOf(place(inform), place(request))
}
