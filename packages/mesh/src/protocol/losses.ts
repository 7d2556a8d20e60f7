/** Which losses a mesh survives: a majority of the voters must be left, of both sets while the voters change (R23). */
import { type Id, isMajority, type Roster, type Voter, votersOf } from './record.ts'
import { zonesIn } from './zones.ts'

/** Losses after which a majority of the voters is left. Each stands for itself: not a zone and then nodes of another. */
export interface Survives {
  /** So many nodes may be lost, whichever they are. */
  readonly nodes: number
  /** The zones that may be lost with all of their nodes, one of them. */
  readonly zones: readonly string[]
  /** The zones whose loss leaves no majority. */
  readonly notZones: readonly string[]
}

/** `missing`: the voters that are lost already. */
export function survivesOf(view: Roster, missing: readonly Id[]): Survives {
  const left = ({ id }: Voter) => !missing.includes(id)
  const zones = zonesIn(view)
  const names = [...new Set(zones.values())].toSorted()
  const isSafe = (zone: string) => {
    const rest = votersOf(view).filter((voter) => left(voter) && zones.get(voter.id) !== zone)
    return isMajority(
      view,
      rest.map(({ voterId }) => voterId),
    )
  }
  /** The worst case: all that are lost vote. */
  const spare = (set: readonly Voter[]) => set.filter(left).length - Math.floor(set.length / 2) - 1
  const nodes = Math.min(
    spare(view.voters),
    view.oldVoters === null ? Number.POSITIVE_INFINITY : spare(view.oldVoters),
  )
  return {
    nodes: Math.max(0, nodes),
    zones: names.filter(isSafe),
    notZones: names.filter((zone) => !isSafe(zone)),
  }
}
