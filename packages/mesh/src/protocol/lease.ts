/** Leases: R2 to R4, R6 and R7. A node has one lease for all its locks. It counts from the sending of a heartbeat. */
import { get } from '@turnwise/core/bounds'
import { dictionary } from './dictionary.ts'
import { clearView, lapse, loseAll, loseEverything } from './lapse.ts'
import { driftOf, watchLeases } from './longest.ts'
import type { MessageOf } from './messages.ts'
import { partners, patienceWith } from './partners.ts'
import {
  type Id,
  includesSession,
  type Roster,
  reachedByMajority,
  sameSession,
  sessionKey,
} from './record.ts'
import { rules } from './rules.ts'
import { isFrozen, isSilent, type Node, persist, send, sessionOf, type Turn } from './state.ts'
import { speaksFor } from './words.ts'

/** Notes what a heartbeat says: session, epochs, suspects. */
export function hear({ node, now }: Turn, from: Id, message: MessageOf<'heartbeat'>): void {
  const { session, lease, begun, accepted, promised, suspects, wish, mark } = message
  // At least what was known before: `onHeartbeat` drops a heartbeat that says less (R20).
  node.known[session.voterId] = { k: session.k, promised, accepted: accepted ?? 0, mark }
  const before = node.heard[from]
  const since = before !== undefined && sameSession(before.session, session) ? before.since : now
  // Suspicions from before a silence, or from another disk, do not count now.
  const wasLive = before?.session.voterId === session.voterId && !isSilent(before, now)
  const doubts = dictionary(suspects.map((id) => [id, wasLive ? (before.doubts[id] ?? now) : now] as const))
  const aheadSince = promised > node.durable.promised.epoch ? (before?.aheadSince ?? now) : null
  node.heard[from] = {
    at: now,
    lease,
    patience: patienceWith(node, from, lease),
    since,
    session,
    begun,
    accepted,
    promised,
    suspects,
    wish,
    doubts,
    aheadSince,
  }
}

/**
 * R2, and R3, the meaning of an ack: "I shall not accept a record that lacks this session before my clock has counted D from
 * now." Acks go on after a promise of a higher epoch. Otherwise the leases of survivors would end during the wait of R13.
 */
export function acknowledge(
  turn: Turn,
  from: Id,
  { session, at, lease, begun }: MessageOf<'heartbeat'>,
): void {
  const { node, now } = turn
  const { accepted, voterId } = node.durable
  if (accepted === null) return
  if (rules.acknowledges(accepted, session) && !rules.closes(node.closing, session)) {
    // On disk before the ack leaves. Otherwise a restarted voter would owe too little (R19).
    if (rules.remembersLease(lease, node.durable.longest)) persist(turn, { longest: lease })
    watchLeases(turn)
    node.owed[sessionKey(session)] = now + rules.debt(lease, node.config.settings.drift)
    send(turn, from, { type: 'ack', session, at, voterId })
  } else if (begun !== null && accepted.epoch > begun && !includesSession(accepted, session)) {
    send(turn, from, { type: 'out', session, epoch: accepted.epoch })
  }
}

export function onAck(turn: Turn, from: Id, { session, at, voterId }: MessageOf<'ack'>): void {
  const { node, now } = turn
  if (!sameSession(session, sessionOf(node)) || node.left) return
  // A heartbeat from the future cannot have been acknowledged, and no voter acknowledges for another.
  if (at > now || !speaksFor(node, from, voterId)) return
  // R4
  const since = rules.leaseFrom(at, now)
  node.acked[voterId] = Math.max(node.acked[voterId] ?? Number.NEGATIVE_INFINITY, since)
  if (node.begun !== null) node.deadline = deadlineUnder(node, node.begun)
}

/** R4: the latest time that a majority of each set of voters has acknowledged, plus T. */
export function deadlineUnder(node: Node, record: Roster): number {
  return reachedByMajority(record, node.acked) + node.config.settings.lease
}

/**
 * Whether this node is the only voter and the only member, and has promised no other view. Then no other node can let a caller in
 * before this node agrees, and there is nothing for a lease to guard.
 */
export function isAlone(node: Node): boolean {
  const { begun, durable } = node
  if (begun === null || isFrozen(node) || begun.oldVoters !== null) return false
  const { voters, members } = begun
  return members.length === 1 && voters.length === 1 && get(voters, 0).voterId === durable.voterId
}

/** R24, before R6: the only voter of a mesh of one acknowledges itself, however late. */
export function renewAlone({ node, now }: Turn): void {
  if (now < node.deadline || node.begun === null || !isAlone(node)) return
  const { lease, drift } = node.config.settings
  node.owed[sessionKey(sessionOf(node))] = now + rules.debt(lease, drift)
  node.acked[node.durable.voterId] = now
  node.deadline = deadlineUnder(node, node.begun)
}

export function onOut(turn: Turn, { session, epoch }: MessageOf<'out'>): void {
  const { node, now } = turn
  if (!sameSession(session, sessionOf(node)) || node.begun === null) return
  if (epoch > node.begun.epoch && now >= node.deadline) startAfresh(turn)
}

/** R7: becomes a new session, whose heartbeats ask to be taken in. Callers go on waiting. */
export function startAfresh(turn: Turn): void {
  const { node } = turn
  loseAll(turn)
  persist(turn, { k: node.durable.k + 1 })
  clearView(node)
  node.begun = null
  node.acked = dictionary()
  node.deadline = Number.NEGATIVE_INFINITY
  node.stirred = turn.now
}

/** R22: lose every hold and end the lease first, and only then send GONE. */
export function leave(turn: Turn): void {
  const { node } = turn
  if (node.left) return
  node.left = true
  rules.beforeGone(turn, loseEverything)
  node.proposal = null
  sayGone(turn)
  turn.effects.push({ kind: 'left' })
}

/** To the nodes that got its heartbeats. Others learn of it from the next view. */
export function sayGone(turn: Turn): void {
  const message = { type: 'gone', session: sessionOf(turn.node) } as const
  for (const peer of partners(turn.node, turn.now)) send(turn, peer, message)
}

/** R22: only a node itself may say this. From another node it would end a debt to a session that may hold locks. */
export function onGone({ node, now }: Turn, from: Id, { session }: MessageOf<'gone'>): void {
  if (!speaksFor(node, from, session.voterId)) return
  const key = sessionKey(session)
  // The pause after a ballot is for a ballot that failed, and after that the node is frozen. A goodbye need not wait for it.
  if (!(key in node.gone) && !isFrozen(node)) node.notBefore = Math.min(node.notBefore, now)
  node.gone[key] = true
  delete node.owed[key]
}

/** R19: acks from before the crash are unknown, so the voter owes every member. Its own older sessions are over. */
export function oweEverybody({ node, now }: Turn): void {
  const { accepted, voterId, longest } = node.durable
  if (accepted === null) return
  // For the longest lease that it may have acknowledged. A member's lease may differ from that of the record.
  const lease = Math.max(longest, accepted.settings.lease)
  const drift = driftOf(node)
  for (const { session } of rules.owesAfterRestart(accepted, voterId))
    node.owed[sessionKey(session)] = now + rules.debt(lease, drift)
}

/**
 * "Pauses and sleep" in docs/mesh-protocol.md. If the clock stood still while the machine slept, leases seem to run that are over
 * elsewhere. If it jumped ahead, debts end too early. So all holds are lost, and everything is owed again.
 */
export function distrustClock(turn: Turn): void {
  const { node } = turn
  node.acked = dictionary()
  node.deadline = Number.NEGATIVE_INFINITY
  node.fadingSince = null
  renewAlone(turn)
  lapse(turn)
  oweEverybody(turn)
}
