/**
 * R8: who proposes a change of view, when and why. Only liveness rests on it: the lowest live voter of the view does it,
 * and others when they suspect all before them.
 */
import { backoff, propose, pursue } from './proposer.ts'
import { type Id, type Roster, sameSession, sessionKey } from './record.ts'
import { isEnded, isFrozen, isLive, type Node, suspicion, type Turn } from './state.ts'

export function considerProposing(turn: Turn): void {
  const { node, now } = turn
  if (node.proposal !== null) return pursue(turn)
  const order = votersInOrder(node)
  const rank = order.indexOf(node.id)
  if (rank < 0 || !isReason(turn)) {
    node.reasonSince = null
    return
  }
  node.reasonSince ??= now
  if (now < node.notBefore || now - node.reasonSince < hesitation(turn, order, rank)) return
  node.reasonSince = null
  // Should it come to nothing, others have a chance before the next attempt.
  node.notBefore = now + backoff(node)
  propose(turn)
}

/** The voters of the last view known, in the order in which they may propose. */
function votersInOrder({ begun, durable, config }: Node): readonly Id[] {
  const roster = begun ?? durable.accepted
  return roster === null ? config.voters.toSorted() : roster.voters.map(({ id }) => id).toSorted()
}

/** The first proposes at once; another when all before it are silent, after a while that differs between nodes. */
function hesitation({ node, now }: Turn, order: readonly Id[], rank: number): number {
  if (rank === 0) return 0
  const areSilent = order.slice(0, rank).every((id) => !isLive(node, id, now))
  // Whoever is before may live and still be unable: cut off from the rest, or itself without a majority.
  return backoff(node) + (areSilent ? 0 : (2 + rank) * node.config.settings.lease)
}

function isReason(turn: Turn): boolean {
  const { node, now } = turn
  // Frozen or without a view, and nothing heard of whoever we promised for S.
  if (isFrozen(node)) return now - node.stirred > suspicion(node)
  const view = node.begun as Roster
  return hasLostOne(turn, view) || hasNewcomer(turn, view) || wantsOtherVoters(turn, view)
}

/** A member is silent, ended, or said by another to be unreachable. */
function hasLostOne({ node, now }: Turn, { members }: Roster): boolean {
  return members.some(({ id, session }) => {
    if (id === node.id) return false
    if (isEnded(node, session)) return true
    if (isLive(node, id, now)) return false
    // Freeze late: the others work on until its lease is nearly over.
    return (node.owed[sessionKey(session)] ?? 0) - now <= 3 * node.config.roundTrip
  })
}

/** A live session that is not in the view; those who come soon after it are gathered for S. */
function hasNewcomer({ node, now }: Turn, { members }: Roster): boolean {
  return Object.entries(node.heard).some(
    ([id, { session, since }]) =>
      isLive(node, id, now) &&
      !isEnded(node, session) &&
      now - since >= suspicion(node) &&
      !members.some((member) => sameSession(member.session, session)),
  )
}

/** R20, R23: a voter has another disk; or the change is settled and the old voters can go. */
function wantsOtherVoters({ node, now }: Turn, { epoch, voters, oldVoters, members }: Roster): boolean {
  if (oldVoters !== null) {
    return members.every(
      ({ id }) => id === node.id || (isLive(node, id, now) && node.heard[id]?.begun === epoch),
    )
  }
  return voters.some(({ id, voterId }) => {
    const heard = node.heard[id]
    return heard !== undefined && isLive(node, id, now) && heard.session.voterId !== voterId
  })
}
