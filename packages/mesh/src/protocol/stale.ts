/**
 * R20, a restored old copy of a state directory: whoever knows more of a voterId than it says of itself tells it, and the
 * node judges by its own disk, on which nothing ever goes back. Until it is told it may vote by what it forgot, so this
 * ends the harm and does not prevent it.
 */
import { loseEverything } from './lease.ts'
import type { MessageOf, Progress } from './messages.ts'
import type { Id, Session, VoterId } from './record.ts'
import { type Node, send, type Turn } from './state.ts'
import { isVoterFor } from './words.ts'

const NOTHING: Progress = { k: 0, promised: 0, accepted: 0 }

export function learn(node: Node, voterId: VoterId, { k, promised, accepted }: Progress): void {
  const known = node.known[voterId] ?? NOTHING
  node.known[voterId] = {
    k: Math.max(known.k, k),
    promised: Math.max(known.promised, promised),
    accepted: Math.max(known.accepted, accepted),
  }
}

/** What the disk tells of others at a start: each session in the accepted record was alive once. */
export function learnFromDisk(node: Node): void {
  for (const { session } of node.durable.accepted?.members ?? []) {
    learn(node, session.voterId, { ...NOTHING, k: session.k })
  }
}

/** Whether it says less than is known of it. Reordered messages do so too: the receiver knows which it is. */
export function tellIfBehind(turn: Turn, to: Id, { voterId }: Session, said: Progress): boolean {
  const known = turn.node.known[voterId]
  if (known === undefined || !exceeds(known, said)) return false
  send(turn, to, { type: 'stale', voterId, ...known })
  return true
}

/** From voters alone: others know nothing that these do not. */
export function onStale(turn: Turn, from: Id, { voterId, k, promised, accepted }: MessageOf<'stale'>): void {
  const { node } = turn
  const { durable } = node
  const known = { k, promised, accepted }
  if (!isVoterFor(node, from) || voterId !== durable.voterId || !exceeds(known, progressOf(node))) return
  // GONE is not said: the session may be that of another life.
  loseEverything(turn)
  node.isStale = true
  turn.effects.push({ kind: 'stale-state', known })
}

export function progressOf({ durable: { k, promised, accepted } }: Node): Progress {
  return { k, promised: promised.epoch, accepted: accepted?.epoch ?? 0 }
}

function exceeds(a: Progress, b: Progress): boolean {
  return a.k > b.k || a.promised > b.promised || a.accepted > b.accepted
}
