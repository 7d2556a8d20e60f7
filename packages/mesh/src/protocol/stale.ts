/**
 * R20, a restored old copy of a state directory. A node that knows more of a voterId than its owner says shows it its own word.
 * The word bears a mark that only that disk and its copies can make. So no peer can stop a node whose disk is complete, whatever
 * it sends. Until a copy is shown the word, it may vote by what it forgot. This rule ends the harm but does not prevent it.
 */
import { loseEverything } from './lapse.ts'
import type { MessageOf } from './messages.ts'
import type { Id, Progress, Session } from './record.ts'
import { isVoterFor } from './sender-rights.ts'
import { type Handling, type Node, send } from './state.ts'

/** At a start: each session in the accepted record on disk has existed. */
export function learnFromDisk(node: Node): void {
  for (const { session, mark = '' } of node.durable.accepted?.members ?? []) {
    node.known[session.voterId] = { ...sessionAlone(session), mark }
  }
}

/** Whether it says less than is known of it. Reordered messages do so too. The receiver knows which case it is. */
export function tellIfBehind(handling: Handling, to: Id, { voterId }: Session, said: Progress): boolean {
  const known = handling.node.known[voterId]
  if (known === undefined || !exceeds(known, said)) return false
  send(handling, to, { type: 'stale', voterId, ...known })
  return true
}

export function onStale(handling: Handling, from: Id, { voterId, ...word }: MessageOf<'stale'>): void {
  const { node } = handling
  const { marks } = node.config
  const isProven = marks === undefined ? isVoterFor(node, from) : marks.isOwn(word)
  if (!isProven || voterId !== node.durable.voterId || !exceeds(word, progressOf(node))) return
  // GONE is not sent: the session may belong to another life.
  loseEverything(handling)
  node.isStale = true
  const { k, promised, accepted } = word
  handling.effects.push({ kind: 'stale-state', known: { k, promised, accepted } })
}

/** A mark of everything that this node has on disk. */
export function markOf(node: Node): string {
  return markFor(node, progressOf(node))
}

/** For records, a mark of the session alone. With a mark of all progress, others could make nodes ignore this one. */
export function markOfSession(node: Node): string {
  return markFor(node, sessionAlone(node.durable))
}

function markFor({ config: { marks } }: Node, said: Progress): string {
  return marks?.of(said) ?? ''
}

function sessionAlone({ k }: Pick<Session, 'k'>): Progress {
  return { k, promised: 0, accepted: 0 }
}

export function progressOf({ durable: { k, promised, accepted } }: Node): Progress {
  return { k, promised: promised.epoch, accepted: accepted?.epoch ?? 0 }
}

function exceeds(a: Progress, b: Progress): boolean {
  return a.k > b.k || a.promised > b.promised || a.accepted > b.accepted
}
