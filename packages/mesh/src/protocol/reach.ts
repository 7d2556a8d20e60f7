/**
 * Links that work one way only. Heartbeats tell whom their sender does not hear, so that everyone can see a link that is
 * broken between two others. Only liveness rests on it (R8, R12): to leave somebody out is always safe.
 */
import { areAcquainted } from './partners.ts'
import { type Id, isMajority, type Roster, sameSession, votersOf } from './record.ts'
import { isLive, type Node } from './state.ts'

/** Heard, and hearing this node, as far as it says. */
export function isTwoWay(node: Node, id: Id, now: number): boolean {
  if (id === node.id) return true
  return isLive(node, id, now) && !(node.heard[id]?.suspects.includes(node.id) ?? false)
}

/** Whether this node or one that it hears hears it, as far as they say and would know: silent here is not dead. */
export function isHeardByAny(node: Node, id: Id, now: number): boolean {
  const hearers = Object.entries(node.heard).filter(
    ([other]) => other !== id && isLive(node, other, now) && areAcquainted(node, other, id),
  )
  return isLive(node, id, now) || hearers.some(([, { suspects }]) => !suspects.includes(id))
}

/** Whether it hears enough voters for a ballot to succeed, as far as it says. */
export function hearsMajority(node: Node, id: Id, view: Roster): boolean {
  const suspects = node.heard[id]?.suspects ?? []
  const heard = votersOf(view).filter((voter) => !suspects.includes(voter.id))
  return isMajority(
    view,
    heard.map(({ voterId }) => voterId),
  )
}

/**
 * Whether one of the two has not heard the other for a lease, though this node hears both: who starts suspects for a while. Two that
 * do not vote need not hear each other (R1), though one that comes back may not know that the other does not vote any more.
 */
export function isBroken(node: Node, a: Id, b: Id, now: number): boolean {
  if (a === b || !isLive(node, a, now) || !isLive(node, b, now) || !areAcquainted(node, a, b)) return false
  const doubtsSince = (x: Id, y: Id) => node.heard[x]?.doubts[y] ?? Number.POSITIVE_INFINITY
  return now - Math.min(doubtsSince(a, b), doubtsSince(b, a)) >= node.config.settings.lease
}

/** Whether a link between two members is broken, or between a member and this other. */
export function isBrokenWithin(node: Node, { members }: Roster, now: number, other?: Id): boolean {
  return members.some(({ id }, i) =>
    other === undefined
      ? members.slice(i + 1).some((member) => isBroken(node, id, member.id, now))
      : isBroken(node, id, other, now),
  )
}

/**
 * Those of the ids that are left when, as long as two of them have a broken link, the one with the fewest two-way links
 * goes: of several, one that is new rather than one of the view before, then the last. The proposer stays.
 */
export function reachEachOther(
  node: Node,
  ids: readonly Id[],
  before: Roster | null,
  now: number,
): readonly Id[] {
  let left = ids
  for (;;) {
    const broken = (id: Id) => left.filter((other) => isBroken(node, id, other, now)).length
    const isNew = (id: Id) => !(before?.members.some((member) => member.id === id) ?? false)
    const worst = left
      .filter((id) => id !== node.id && broken(id) > 0)
      .toSorted((a, b) => broken(b) - broken(a) || Number(isNew(b)) - Number(isNew(a)) || (a < b ? 1 : -1))[0]
    if (worst === undefined) return left
    left = left.filter((id) => id !== worst)
  }
}

/** Whether a peer is in the view, with the session that is heard. */
export function isInView(node: Node, id: Id, { members, epoch }: Roster): boolean {
  const heard = node.heard[id]
  if (id === node.id) return node.begun?.epoch === epoch
  return heard?.begun === epoch && members.some(({ session }) => sameSession(session, heard.session))
}
