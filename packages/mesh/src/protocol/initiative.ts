/**
 * R8: who proposes a change of view, when and why. Only liveness rests on it: the lowest live voter of the view does it,
 * and others when they suspect all before them.
 */
import { wantsOtherVoters } from './changes.ts'
import { fitting } from './fit.ts'
import type { MessageOf } from './messages.ts'
import { backoff, propose, pursue } from './proposer.ts'
import { hearsMajority, isBrokenWithin, isHeardByAny, isInView, isTwoWay } from './reach.ts'
import { type Id, type Roster, sameSession, sessionKey, votersOf } from './record.ts'
import { rules } from './rules.ts'
import { hearsQuorum } from './standing.ts'
import { isEnded, isFrozen, isLive, lastView, type Node, suspicion, type Turn, tickOf } from './state.ts'

export function considerProposing(turn: Turn): void {
  const { node, now } = turn
  if (node.proposal !== null) return pursue(turn)
  const order = votersInOrder(node)
  const rank = order.indexOf(node.id)
  if (rank < 0 || !isReason(turn) || !mayDecide(turn)) {
    node.reasonSince = null
    if (rank >= 0 && !isFrozen(node)) wakeBeforeTick(turn, nextLoss(turn, node.begun as Roster))
    return
  }
  node.reasonSince ??= now
  const due = Math.max(node.notBefore, turnToPropose(turn, node.reasonSince, order, rank))
  if (now < due) return wakeBeforeTick(turn, due)
  node.reasonSince = null
  // Should it come to nothing, others have a chance before the next attempt.
  node.notBefore = now + backoff(node)
  propose(turn, node.order !== null)
}

/** Without a majority a ballot comes to nothing, and each costs an epoch: one that is cut off would spend them all in time. */
function mayDecide({ node, now }: Turn): boolean {
  return node.order !== null || hearsQuorum(node, now)
}

/** Between two ticks: whoever waits for the end of a lease need not wait for a tick besides. */
export function reconsiderProposing(turn: Turn): void {
  const { node, now } = turn
  if (!node.left && node.proposal === null && now >= node.notBefore) considerProposing(turn)
}

function wakeBeforeTick({ node, now, effects }: Turn, at: number): void {
  if (at > now && at - now < tickOf(node)) effects.push({ kind: 'wake', at })
}

/**
 * A node whose view works, and that still hears the proposer of that view, has no reason to freeze for a ballot of another,
 * nor of one that will not hear the answer.
 */
export function isDisturber(turn: Turn, from: Id, { epoch, insists }: MessageOf<'prepare'>): boolean {
  const { node, now } = turn
  const view = node.begun
  if (!rules.heedsRank() || insists || from === node.id || epoch <= node.durable.promised.epoch) return false
  if (view === null || isFrozen(node) || now >= node.deadline || !isLive(node, from, now)) return false
  // It may live and be unable to propose: who has seen a reason for so long lets others try.
  if (node.reasonSince !== null && now - node.reasonSince > 2 * node.config.settings.lease) return false
  if (!isTwoWay(node, from, now) || !hearsMajority(node, from, view)) return true
  if (!isInView(node, from, view) && isBrokenWithin(node, view, now, from)) return true
  const order = votersInOrder(node)
  const first = order.findIndex((id) => isTwoWay(node, id, now) && isInView(node, id, view))
  const rank = order.indexOf(from)
  return first >= 0 && (rank < 0 || rank > first)
}

/**
 * The voters of the last record known, in the order in which they may propose. Old ones too: if each set left it to the
 * other, a change of voters whose proposer died would stay where it is.
 */
function votersInOrder(node: Node): readonly Id[] {
  if (node.order !== null) return node.order.voters.toSorted()
  const roster = lastView(node)
  if (roster === null) return node.config.voters.toSorted()
  const ids = votersOf(roster).map(({ id }) => id)
  return [...new Set(ids)].toSorted()
}

/**
 * When it is this node's turn, if the reason stays. One that was stopped finds everybody silent when it goes on, until it has
 * read what lies in its sockets; hence a round trip. Whoever comes after others lets a while pass that differs between nodes.
 * Where nobody hears those before it, that counts from their last sign of life: when the lease of one that died is nearly
 * over, the while is too.
 */
function turnToPropose({ node, now }: Turn, reasonSince: number, order: readonly Id[], rank: number): number {
  if (node.order?.overrides) return reasonSince
  const soonest = reasonSince + node.config.roundTrip
  if (rank === 0) return soonest
  const before = order.slice(0, rank)
  const areSilent = before.every((id) => !isTwoWay(node, id, now))
  // Whoever is before may live and still be unable: cut off from the rest, or itself without a majority.
  if (!areSilent) return reasonSince + backoff(node) + (2 + rank) * node.config.settings.lease
  if (before.some((id) => isHeardByAny(node, id, now))) return reasonSince + backoff(node)
  return Math.max(soonest, backoff(node) + Math.max(...before.map((id) => silentSince(node, id))))
}

function silentSince(node: Node, id: Id): number {
  return node.heard[id]?.at ?? node.started
}

function isReason(turn: Turn): boolean {
  const { node, now } = turn
  // What an operator ordered begins as soon as all it names are there.
  if (node.order !== null) return node.order.voters.every((id) => isLive(node, id, now))
  // Frozen or without a view, and nothing heard of whoever we promised for S.
  if (isFrozen(node)) return now - node.stirred > suspicion(node)
  const view = node.begun as Roster
  return (
    hasLostOne(turn, view) ||
    hasNewcomer(turn, view) ||
    hasFrozenMember(turn, view) ||
    isBrokenWithin(node, view, now) ||
    wantsOtherVoters(turn, view)
  )
}

/** A member froze for a ballot that came to nothing. One that never votes cannot help itself. */
function hasFrozenMember({ node, now }: Turn, { members }: Roster): boolean {
  return members.some(({ id }) => {
    const aheadSince = node.heard[id]?.aheadSince ?? null
    return isLive(node, id, now) && aheadSince !== null && now - aheadSince > suspicion(node)
  })
}

/** A member is silent or ended. */
function hasLostOne(turn: Turn, view: Roster): boolean {
  return nextLoss(turn, view) <= turn.now
}

/** When a member that is silent or ended is to be left out: freeze late, the others work on until its lease is nearly over. */
function nextLoss({ node, now }: Turn, { members }: Roster): number {
  const losses = members.map(({ id, session }) => {
    if (id === node.id) return Number.POSITIVE_INFINITY
    if (isEnded(node, session)) return Number.NEGATIVE_INFINITY
    if (isLive(node, id, now)) return Number.POSITIVE_INFINITY
    return (node.owed[sessionKey(session)] ?? 0) - 3 * node.config.roundTrip
  })
  return Math.min(...losses)
}

/** A live session that is not in the view, and for which it has a place; those who come soon after it are gathered for S. */
function hasNewcomer({ node, now }: Turn, view: Roster): boolean {
  const { members } = view
  const newcomers = Object.entries(node.heard).flatMap(([id, { session, since }]) =>
    isLive(node, id, now) &&
    !isEnded(node, session) &&
    now - since >= suspicion(node) &&
    !members.some((member) => sameSession(member.session, session)) &&
    !isBrokenWithin(node, view, now, id)
      ? [id]
      : [],
  )
  if (newcomers.length === 0) return false
  const before = members.map(({ id }) => id)
  const others = newcomers.filter((id) => !before.includes(id))
  // Whoever returns under the name of a member has the member's place.
  if (others.length < newcomers.length) return true
  return (fitting(node.config.settings, before, others)?.length ?? 0) > before.length
}
