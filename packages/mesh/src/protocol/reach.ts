/**
 * Links that work in one direction only. Heartbeats name the nodes that their sender does not hear, so every node can see a
 * broken link between two others. Only liveness depends on it (R8, R12): leaving a node out is always safe.
 */
import { areAcquainted } from './partners.ts'
import { type Id, isMajority, type Roster, sameSession, votersOf } from './record.ts'
import { isLive, type Node } from './state.ts'

/** Whether this node hears it, and it does not say that it does not hear this node. */
export function isTwoWay(node: Node, id: Id, now: number): boolean {
  if (id === node.id) return true
  return isLive(node, id, now) && !(node.heard[id]?.suspects.includes(node.id) ?? false)
}

/** Whether this node hears it, or a node that this one hears does not suspect it. A node that is silent here need not be dead. */
export function isHeardByAny(node: Node, id: Id, now: number): boolean {
  if (isLive(node, id, now)) return true
  for (const other in node.heard) {
    if (other === id || !isLive(node, other, now) || !areAcquainted(node, other, id)) continue
    if (!node.heard[other]?.suspects.includes(id)) return true
  }
  return false
}

/** Whether it hears enough voters for a ballot to succeed, according to its own heartbeats. */
export function hearsMajority(node: Node, id: Id, view: Roster): boolean {
  const suspects = node.heard[id]?.suspects ?? []
  const heard = votersOf(view).filter((voter) => !suspects.includes(voter.id))
  return isMajority(
    view,
    heard.map(({ voterId }) => voterId),
  )
}

/**
 * Whether one of the two has not heard the other for a lease, although this node hears both. A shorter suspicion is normal after
 * a start. Two nodes that do not vote need not hear each other (R1). But a node that comes back may not know yet that the other
 * no longer votes.
 */
export function isBroken(node: Node, a: Id, b: Id, now: number): boolean {
  const doubtsSince = (x: Id, y: Id) => node.heard[x]?.doubts[y] ?? Number.POSITIVE_INFINITY
  if (now - Math.min(doubtsSince(a, b), doubtsSince(b, a)) < node.config.settings.lease) return false
  return a !== b && isLive(node, a, now) && isLive(node, b, now) && areAcquainted(node, a, b)
}

/** Whether a link between two members is broken, or between a member and `other`. */
export function isBrokenWithin(node: Node, { members }: Roster, now: number, other?: Id): boolean {
  if (other !== undefined) return members.some(({ id }) => isBroken(node, id, other, now))
  // A voter asks on every tick. There are many pairs, and hardly any doubts.
  return members.some(({ id }) =>
    Object.keys(node.heard[id]?.doubts ?? {}).some(
      (doubted) => isBroken(node, id, doubted, now) && members.some((member) => member.id === doubted),
    ),
  )
}

/**
 * While two of the ids have a broken link, removes the id with the most broken links. Among several it prefers a newcomer to a
 * member of the view before, then the last by name. The proposer stays.
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

/** Whether a peer is in the view with the session that is heard. */
export function isInView(node: Node, id: Id, { members, epoch }: Roster): boolean {
  const heard = node.heard[id]
  if (id === node.id) return node.begun?.epoch === epoch
  return heard?.begun === epoch && members.some(({ session }) => sameSession(session, heard.session))
}
