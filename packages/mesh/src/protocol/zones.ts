/**
 * The zones of members. Each states its own (`zone` of join) when a view is made, and the record says them all. So all members of a view
 * have one opinion of who is near whom. Only the order of turns and the choice of voters depend on it, and no rule of safety.
 */
import { get } from '@turnwise/core/bounds'
import type { Id, Roster } from './record.ts'

/** As values of Kubernetes labels, from which zones often come. */
const ZONE = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/

/** What a zone may be called. */
export const ZONE_RULE = '1 to 63 letters, digits, ".", "_" and "-", with a letter or digit at both ends'

export function isZone(text: unknown): text is string {
  return typeof text === 'string' && ZONE.test(text)
}

/** The zones of the members that state one. */
export function zonesIn({ members }: Pick<Roster, 'members'>): ReadonlyMap<Id, string> {
  const zones = new Map<Id, string>()
  for (const { id, zone } of members) if (zone !== undefined) zones.set(id, zone)
  return zones
}

/**
 * The zone of each of these members as a number. A member without a zone is near nobody. Null if nobody is farther than another: with less
 * than two zones.
 */
export function zoneNumbers(record: Pick<Roster, 'members'>, ids: readonly Id[]): readonly number[] | null {
  const zones = zonesIn(record)
  const names = [...new Set(zones.values())]
  if (names.length < 2) return null
  return ids.map((id, at) => {
    const zone = zones.get(id)
    return zone === undefined ? names.length + at : names.indexOf(zone)
  })
}

/** The same for seats: the seats of one member are in its zone. */
export function zoneOfSeats(zones: readonly number[] | null, seats: number): readonly number[] | null {
  if (zones === null || seats === 1) return zones
  return Array.from({ length: zones.length * seats }, (_, seat) => get(zones, Math.floor(seat / seats)))
}

/**
 * Voters that are spread over zones more evenly than those of the view; null if there are none, or if a caller chose the voters. As many vote
 * as before, taken from the zones by turns, and those that vote already first. Voters move only if the largest share of a zone falls by it, and
 * while all of them are members: of others the zone is unknown.
 */
export function spreadVoters(view: Roster): readonly Id[] | null {
  const { members, voters, oldVoters } = view
  const zones = zonesIn(view)
  if (oldVoters !== null || view.isChosen || zones.size === 0) return null
  const zoneOf = (id: Id) => zones.get(id) ?? ''
  const ids = voters.map(({ id }) => id)
  if (!ids.every((id) => members.some((member) => member.id === id))) return null
  const votesIn = (zone: string, among: readonly Id[]) => among.filter((id) => zoneOf(id) === zone).length
  const names = [...new Set(members.map(({ id }) => zoneOf(id)))].toSorted(
    (a, b) => votesIn(b, ids) - votesIn(a, ids) || (a < b ? -1 : 1),
  )
  const rank = (id: Id) => (ids.includes(id) ? 0 : 1)
  const lines = names.map((zone) =>
    members
      .flatMap(({ id }) => (zoneOf(id) === zone ? [id] : []))
      .toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1)),
  )
  const longest = Math.max(...lines.map(({ length }) => length))
  const byTurns = Array.from({ length: longest }, (_, turn) =>
    lines.flatMap((line) => line.slice(turn, turn + 1)),
  )
  const wanted = byTurns.flat().slice(0, ids.length)
  const share = (among: readonly Id[]) => Math.max(...names.map((zone) => votesIn(zone, among)))
  return share(wanted) < share(ids) ? wanted : null
}
