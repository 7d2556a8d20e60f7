/**
 * R8: who proposes a change of view, when and why. Only liveness depends on it. The lowest live voter of the view proposes.
 * Others propose when they suspect all voters before them.
 */

import { standsAside } from './first-view.ts'
import { fitting } from './fit.ts'
import type { MessageOf } from './messages.ts'
import { wantsOtherVoters } from './operator-changes.ts'
import { backoff, propose, pursue } from './proposer.ts'
import { hearsMajority, isBrokenWithin, isHeardByAny, isInView, isTwoWay } from './reach.ts'
import { type Id, type Roster, sameSession, sessionKey, votersOf } from './record.ts'
import { rules } from './rules.ts'
import { hearsQuorum } from './standing.ts'
import { type Handling, isEnded, isFrozen, isLive, lastView, type Node, suspicion, tickOf } from './state.ts'

export function considerProposing(handling: Handling): void {
  const { node, now } = handling
  if (node.proposal !== null) return pursue(handling)
  const order = votersInOrder(node)
  const rank = order.indexOf(node.id)
  if (rank < 0 || !isReason(handling) || !mayDecide(handling)) {
    node.reasonSince = null
    if (rank >= 0 && !isFrozen(node)) wakeBeforeTick(handling, nextLoss(handling, node.begun as Roster))
    return
  }
  node.reasonSince ??= now
  const due = Math.max(node.notBefore, turnToPropose(handling, node.reasonSince, order, rank))
  if (now < due) return wakeBeforeTick(handling, due)
  node.reasonSince = null
  // If the ballot fails, others have a chance before the next attempt.
  node.notBefore = now + backoff(node)
  propose(handling, node.order !== null)
}

/**
 * Without a majority a ballot fails, and each ballot costs an epoch. A node that is cut off, or takes part in no first view, would
 * spend them all in time.
 */
function mayDecide(handling: Handling): boolean {
  const { node, now } = handling
  if (standsAside(handling, node.id)) return false
  return node.order !== null || hearsQuorum(node, now)
}

/** Between two ticks: a node that waits for the end of a lease need not wait for the next tick too. */
export function reconsiderProposing(handling: Handling): void {
  const { node, now } = handling
  if (!node.left && node.proposal === null && now >= node.notBefore) considerProposing(handling)
}

function wakeBeforeTick({ node, now, effects }: Handling, at: number): void {
  if (at > now && at - now < tickOf(node)) effects.push({ kind: 'wake', at })
}

/**
 * A node whose view works ignores a ballot in two cases: it still hears an earlier voter of its view, or the proposer would not
 * hear the answer.
 */
export function isDisturber(handling: Handling, from: Id, { epoch, insists }: MessageOf<'prepare'>): boolean {
  const { node, now } = handling
  const view = node.begun
  if (!rules.heedsRank() || insists || from === node.id || epoch <= node.durable.promised.epoch) return false
  if (view === null || isFrozen(node) || now >= node.deadline || !isLive(node, from, now)) return false
  // The earlier voter may live and be unable to propose. A node that has seen a reason for so long lets others try.
  if (node.reasonSince !== null && now - node.reasonSince > 2 * node.config.settings.lease) return false
  if (!isTwoWay(node, from, now) || !hearsMajority(node, from, view)) return true
  if (!isInView(node, from, view) && isBrokenWithin(node, view, now, from)) return true
  const order = votersInOrder(node)
  const rank = order.indexOf(from)
  // A node that does not vote sees no reasons. A proposer that hears an earlier voter has waited for it.
  const seesReasons = rank < 0 || order.includes(node.id)
  const isAwaited = (id: Id) => seesReasons || node.heard[from]?.suspects.includes(id) === true
  return order
    .slice(0, rank < 0 ? order.length : rank)
    .some((id) => isTwoWay(node, id, now) && isInView(node, id, view) && isAwaited(id))
}

/**
 * The voters of the last known record, in the order in which they may propose. This includes old voters. If each set waited for
 * the other, a change of voters whose proposer died would never finish.
 */
function votersInOrder(node: Node): readonly Id[] {
  if (node.order !== null) return node.order.voters.toSorted()
  const roster = lastView(node)
  if (roster === null) return node.config.voters.toSorted()
  const ids = votersOf(roster).map(({ id }) => id)
  return [...new Set(ids)].toSorted()
}

/**
 * When this node may propose, if the reason remains. The wait of one round trip serves a node that was stopped: when it goes on,
 * all others seem silent until it has read its sockets. A later voter waits for a backoff besides, which differs between nodes.
 * If no node hears the voters before it, the backoff counts from their last sign of life. So it ends at about the same time as
 * the lease of a voter that died.
 */
function turnToPropose(
  { node, now }: Handling,
  reasonSince: number,
  order: readonly Id[],
  rank: number,
): number {
  if (node.order?.overrides) return reasonSince
  const soonest = reasonSince + node.config.roundTrip
  if (rank === 0) return soonest
  const before = order.slice(0, rank)
  const areSilent = before.every((id) => !isTwoWay(node, id, now))
  // An earlier voter may live and be unable to propose: it is cut off from the rest, or has no majority itself.
  if (!areSilent) return reasonSince + backoff(node) + (2 + rank) * node.config.settings.lease
  if (before.some((id) => isHeardByAny(node, id, now))) return reasonSince + backoff(node)
  return Math.max(soonest, backoff(node) + Math.max(...before.map((id) => silentSince(node, id))))
}

function silentSince(node: Node, id: Id): number {
  return node.heard[id]?.at ?? node.started
}

function isReason(handling: Handling): boolean {
  const { node, now } = handling
  // The view that an operator ordered begins as soon as all voters that it names are live.
  if (node.order !== null) return node.order.voters.every((id) => isLive(node, id, now))
  // The node is frozen or without a view, and has heard nothing from the proposer that it promised for S.
  if (isFrozen(node)) return now - node.stirred > suspicion(node)
  const view = node.begun as Roster
  return (
    hasLostOne(handling, view) ||
    hasNewcomer(handling, view) ||
    hasFrozenMember(handling, view) ||
    isBrokenWithin(node, view, now) ||
    wantsOtherVoters(handling, view)
  )
}

/** Whether a member froze for a ballot that failed. A member that does not vote cannot propose itself. */
function hasFrozenMember({ node, now }: Handling, { members }: Roster): boolean {
  return members.some(({ id }) => {
    const aheadSince = node.heard[id]?.aheadSince ?? null
    return isLive(node, id, now) && aheadSince !== null && now - aheadSince > suspicion(node)
  })
}

/** Whether a member is silent or has ended. */
function hasLostOne(handling: Handling, view: Roster): boolean {
  return nextLoss(handling, view) <= handling.now
}

/** When a silent or ended member is to be left out. Freeze late: the others work on until its lease is nearly over. */
function nextLoss({ node, now }: Handling, { members }: Roster): number {
  const losses = members.map(({ id, session }) => {
    if (id === node.id) return Number.POSITIVE_INFINITY
    if (isEnded(node, session)) return Number.NEGATIVE_INFINITY
    if (isLive(node, id, now)) return Number.POSITIVE_INFINITY
    return (node.owed[sessionKey(session)] ?? 0) - 3 * node.config.roundTrip
  })
  return Math.min(...losses)
}

/**
 * Whether a live session is outside the view and has a place in it. It must have been heard for S, so that nodes that start
 * together enter together. A session that has begun another view comes in only when it is fresh (R7, R12). Until then its lease
 * thread may speak for it, for as long as its program is at work.
 */
function hasNewcomer({ node, now }: Handling, view: Roster): boolean {
  const { members } = view
  const newcomers = Object.entries(node.heard).flatMap(([id, { session, since, begun }]) =>
    begun === null &&
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
  // A node that returns under the name of a member takes the member's place.
  if (others.length < newcomers.length) return true
  return (fitting(node.config.settings, before, others)?.length ?? 0) > before.length
}
