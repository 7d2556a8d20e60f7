/**
 * Reports and records with very many names. They take long to send and to read, so they are not sent again while they are under
 * way. Small messages that show that the ballot goes on are repeated meanwhile. Frozen nodes keep their leases by heartbeats
 * (R2), which overtake long messages, so nothing depends on how long a table takes. All of this is liveness only.
 */

import { derived } from './derived.ts'
import type { MessageOf } from './messages.ts'
import { isTwoWay } from './reach.ts'
import type { Id } from './record.ts'
import { type Handling, isLive, type Node, type Proposal, peersOf, send } from './state.ts'

type Names = Readonly<Record<string, unknown>>

function count(node: Node, names: Names): number {
  const { sizes } = derived(node)
  const known = sizes.get(names) ?? Object.keys(names).length
  sizes.set(names, known)
  return known
}

export function isLong(node: Node, names: Names): boolean {
  return count(node, names) > LONG
}

/** Sends it once per connection while it may be under way. */
export function sendTable(
  handling: Handling,
  to: Id,
  message: MessageOf<'promise' | 'install' | 'copy'>,
): void {
  const { node } = handling
  const isReport = message.type === 'promise'
  const names = isReport ? message.holds : message.record.table
  if (to === node.id || !isLong(node, names)) return send(handling, to, message)
  const what = `${isReport ? 'report' : 'record'} ${message.ballot}`
  const before = node.underWay[to]
  if (before?.what === what && node.ticks < before.until) return
  node.underWay[to] = { what, until: node.ticks + TICKS * (1 + Math.ceil(count(node, names) / 10_000)) }
  send(handling, to, message)
}

/** Whether another report is pointless: one is under way, or has already become part of a record. */
export function isReported(node: Node, to: Id, ballot: string): boolean {
  const { underWay, ticks, installed } = node
  if (installed?.ballot === ballot) return isLong(node, installed.record.table)
  const before = underWay[to]
  return before?.what === `report ${ballot}` && ticks < before.until
}

/** The transport has reconnected, so what was under way to this peer is lost. */
export function forgetUnderWay({ underWay }: Node, peer: Id): void {
  delete underWay[peer]
}

/**
 * Whether a live member says that it has promised this epoch: then its report is on its way. Heartbeats name the epoch only. A
 * member that promised it to another ballot says the same, but it refuses this ballot.
 */
export function isReporting({ node, now }: Handling, proposal: Proposal, id: Id): boolean {
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

/** Whether the ballot may only need more time: reports are on their way, or a long table to members that are all live. */
export function isTravelling(handling: Handling, proposal: Proposal): boolean {
  const { node, now } = handling
  const { record, promises, started } = proposal
  if (record === null)
    return peersOf(node).some((id) => promises[id] === undefined && isReporting(handling, proposal, id))
  return (
    isLong(node, record.table) &&
    now - started < MOST_LEASES * node.config.settings.lease &&
    record.members.every(({ id }) => isLive(node, id, now))
  )
}

const LONG = 1000
/** One lease for each ten thousand names: many times what they take. */
const TICKS = 10
/** The most leases that a table may take. */
const MOST_LEASES = 20
