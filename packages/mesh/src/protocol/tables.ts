/**
 * Reports and records of very many names. They take their time on the way and at the other end, so they are not sent again while they
 * are under way; what is small and says that the ballot goes on is repeated meanwhile. How long they take decides nothing: whoever
 * is frozen keeps its lease by heartbeats (R2), which pass them by. All of this is liveness only.
 */
import type { MessageOf } from './messages.ts'
import { isTwoWay } from './reach.ts'
import type { Id } from './record.ts'
import { isLive, type Node, type Proposal, peersOf, send, type Turn } from './state.ts'

type Names = Readonly<Record<string, unknown>>

/** A table never changes once it is made, and is asked about on every tick. */
const counts = new WeakMap<Names, number>()

function count(names: Names): number {
  const known = counts.get(names) ?? Object.keys(names).length
  counts.set(names, known)
  return known
}

export function isLong(names: Names): boolean {
  return count(names) > LONG
}

/** Sent once on a connection, for as long as it may be under way. */
export function sendTable(turn: Turn, to: Id, message: MessageOf<'promise' | 'install' | 'copy'>): void {
  const { node } = turn
  const isReport = message.type === 'promise'
  const names = isReport ? message.holds : message.record.table
  if (to === node.id || !isLong(names)) return send(turn, to, message)
  const what = `${isReport ? 'report' : 'record'} ${message.ballot}`
  const before = node.underWay[to]
  if (before?.what === what && node.ticks < before.until) return
  node.underWay[to] = { what, until: node.ticks + TICKS * (1 + Math.ceil(count(names) / 10_000)) }
  send(turn, to, message)
}

/** Whether another report would only follow one that is under way, or has come to its end in a record. */
export function isReported({ underWay, ticks, installed }: Node, to: Id, ballot: string): boolean {
  if (installed?.ballot === ballot) return isLong(installed.record.table)
  const before = underWay[to]
  return before?.what === `report ${ballot}` && ticks < before.until
}

/** The transport connected anew: what was under way to this peer is lost. */
export function forgetUnderWay({ underWay }: Node, peer: Id): void {
  delete underWay[peer]
}

/**
 * A member that has promised this ballot by its own word, and is heard: its report is on its way. Heartbeats tell the epoch alone, so one
 * that has promised it to another ballot says the same; but it refuses this one.
 */
export function isReporting({ node, now }: Turn, proposal: Proposal, id: Id): boolean {
  const { epoch, started, refusers } = proposal
  const heard = node.heard[id]
  return (
    id !== node.id &&
    !refusers.includes(id) &&
    isTwoWay(node, id, now) &&
    heard?.promised === epoch &&
    heard.begun !== null &&
    now - started < MOST_LEASES * node.config.settings.lease
  )
}

/** Whether what was asked for may just take longer than a ballot has: reports, or a long table to members who are all there. */
export function isTravelling(turn: Turn, proposal: Proposal): boolean {
  const { node, now } = turn
  const { record, promises, started } = proposal
  if (record === null)
    return peersOf(node).some((id) => promises[id] === undefined && isReporting(turn, proposal, id))
  return (
    isLong(record.table) &&
    now - started < MOST_LEASES * node.config.settings.lease &&
    record.members.every(({ id }) => isLive(node, id, now))
  )
}

const LONG = 1000
/** A lease for ten thousand names: many times what they take. */
const TICKS = 10
/** What a table may take, in leases. */
const MOST_LEASES = 20
