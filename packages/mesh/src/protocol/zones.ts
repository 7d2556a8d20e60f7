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
  return new Map(members.flatMap(({ id, zone }) => (zone === undefined ? [] : [[id, zone]])))
}

/**
 * The zone of each of these members as a number. A member without a zone is near nobody. Null if nobody is farther than another: with less
 * than two zones.
 */
export function placesOf(record: Pick<Roster, 'members'>, ids: readonly Id[]): readonly number[] | null {
  const zones = zonesIn(record)
  const names = [...new Set(zones.values())]
  if (names.length < 2) return null
  return ids.map((id, at) => {
    const zone = zones.get(id)
    return zone === undefined ? names.length + at : names.indexOf(zone)
  })
}

/** The same for seats: the seats of one member are at one place. */
export function placesOfSeats(places: readonly number[] | null, permits: number): readonly number[] | null {
  if (places === null || permits === 1) return places
  return Array.from({ length: places.length * permits }, (_, seat) => get(places, Math.floor(seat / permits)))
}
