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
import { speaksFor } from './sender-rights.ts'
import { type Handling, isFrozen, isSilent, type Node, persist, send, sessionOf } from './state.ts'

/** Notes what a heartbeat says: session, epochs, suspects. */
export function hear({ node, now }: Handling, from: Id, message: MessageOf<'heartbeat'>): void {
  const { session, lease: leaseMs, begun, accepted, promised, suspects, wish, mark } = message
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
    lease: leaseMs,
    patience: patienceWith(node, from, leaseMs),
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
  handling: Handling,
  from: Id,
  { session, at, lease: leaseMs, begun }: MessageOf<'heartbeat'>,
): void {
  const { node, now } = handling
  const { accepted, voterId } = node.durable
  if (accepted === null) return
  if (rules.acknowledges(accepted, session) && !rules.closes(node.closing, session)) {
    // On disk before the ack leaves. Otherwise a restarted voter would owe too little (R19).
    if (rules.remembersLease(leaseMs, node.durable.longest)) persist(handling, { longest: leaseMs })
    watchLeases(handling)
    node.owed[sessionKey(session)] = now + rules.debt(leaseMs, node.config.settings.drift)
    send(handling, from, { type: 'ack', session, at, voterId })
  } else if (begun !== null && accepted.epoch > begun && !includesSession(accepted, session)) {
    send(handling, from, { type: 'out', session, epoch: accepted.epoch })
  }
}

export function onAck(handling: Handling, from: Id, { session, at, voterId }: MessageOf<'ack'>): void {
  const { node, now } = handling
  if (!sameSession(session, sessionOf(node)) || node.left) return
  // A heartbeat from the future cannot have been acknowledged, and no voter acknowledges for another. Since an earlier one the clock
  // may have stood still.
  if (at > now || at < node.started || !speaksFor(node, from, voterId)) return
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
export function renewAlone({ node, now }: Handling): void {
  if (now < node.deadline || node.begun === null || !isAlone(node)) return
  const { lease: leaseMs, drift: driftFraction } = node.config.settings
  node.owed[sessionKey(sessionOf(node))] = now + rules.debt(leaseMs, driftFraction)
  node.acked[node.durable.voterId] = now
  node.deadline = deadlineUnder(node, node.begun)
}

export function onOut(handling: Handling, { session, epoch }: MessageOf<'out'>): void {
  const { node, now } = handling
  if (!sameSession(session, sessionOf(node)) || node.begun === null) return
  if (epoch > node.begun.epoch && now >= node.deadline) startAfresh(handling)
}

/** R7: becomes a new session, whose heartbeats ask to be taken in. Callers go on waiting. */
export function startAfresh(handling: Handling): void {
  const { node } = handling
  loseAll(handling)
  persist(handling, { k: node.durable.k + 1 })
  clearView(node)
  node.begun = null
  node.acked = dictionary()
  node.deadline = Number.NEGATIVE_INFINITY
  node.stirred = handling.now
}

/** R22: lose every hold and end the lease first, and only then send GONE. */
export function leave(handling: Handling): void {
  const { node } = handling
  if (node.left) return
  node.left = true
  rules.beforeGone(handling, loseEverything)
  node.proposal = null
  sayGone(handling)
  handling.effects.push({ kind: 'left' })
}

/** To the nodes that got its heartbeats. Others learn of it from the next view. */
export function sayGone(handling: Handling): void {
  const message = { type: 'gone', session: sessionOf(handling.node) } as const
  for (const peer of partners(handling.node, handling.now)) send(handling, peer, message)
}

/** R22: only a node itself may say this. From another node it would end a debt to a session that may hold locks. */
export function onGone({ node, now }: Handling, from: Id, { session }: MessageOf<'gone'>): void {
  if (!speaksFor(node, from, session.voterId)) return
  const key = sessionKey(session)
  // The pause after a ballot is for a ballot that failed, and after that the node is frozen. A goodbye need not wait for it.
  if (!(key in node.gone) && !isFrozen(node)) node.notBefore = Math.min(node.notBefore, now)
  node.gone[key] = true
  delete node.owed[key]
}

/**
 * R19: acks from before the crash are unknown, so the voter owes every member. Its own older sessions are over. `last`: no heartbeat that
 * came later was acknowledged.
 */
export function oweEverybody({ node }: Handling, last: number): void {
  const { accepted, voterId, longest } = node.durable
  if (accepted === null) return
  // For the longest lease that it may have acknowledged. A member's lease may differ from that of the record.
  const leaseMs = Math.max(longest, accepted.settings.lease)
  const driftFraction = driftOf(node)
  for (const { session } of rules.owesAfterRestart(accepted, voterId))
    node.owed[sessionKey(session)] = last + rules.debt(leaseMs, driftFraction)
}

/**
 * "Pauses and sleep" in docs/mesh-protocol.md. If the clock stood still while the machine slept, leases seem to run that are over
 * elsewhere. If it jumped ahead, debts end too early. So all holds are lost, and everything is owed again.
 */
export function distrustClock(handling: Handling): void {
  const { node } = handling
  node.acked = dictionary()
  node.started = handling.now
  node.deadline = Number.NEGATIVE_INFINITY
  node.fadingSince = null
  renewAlone(handling)
  lapse(handling)
  oweEverybody(handling, handling.now)
}
