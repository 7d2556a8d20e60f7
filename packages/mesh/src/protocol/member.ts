/** The member: R14, how a view begins at it, and R15, how it catches up. */
import { impossible } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { askTheRest, giveBack } from './callers.ts'
import { settle } from './changes.ts'
import { whyUnfit } from './fit.ts'
import { heartbeat } from './heartbeat.ts'
import { localName } from './instances.ts'
import { clearView, deadlineUnder, loseHolds, startAfresh } from './lease.ts'
import type { MessageOf } from './messages.ts'
import { holdersOf, type Id, includesSession, namesVoter, type ViewRecord } from './record.ts'
import { type OwnEntry, rules } from './rules.ts'
import { isFrozen, isLive, send, sessionOf, type Turn } from './state.ts'
import { sendTable } from './tables.ts'
import { announceTheft } from './theft.ts'
import { mayHerald } from './words.ts'

export function onBegin(turn: Turn, from: Id, { epoch }: MessageOf<'begin'>): void {
  hearChosen(turn, from, epoch)
  tryBegin(turn)
}

function hearChosen({ node }: Turn, from: Id, epoch: number): void {
  if (epoch < node.chosen) return
  node.chosen = epoch
  node.herald = from
}

/** R14: the whole record is here, names this session, is promised, and is known to be chosen. */
export function tryBegin(turn: Turn): void {
  const { node, now } = turn
  if (node.installed === null || node.left) return
  const { record } = node.installed
  if (!rules.isChosen(record.epoch, node.chosen) || record.epoch <= (node.begun?.epoch ?? 0)) return
  if (!includesSession(record, sessionOf(node)) || !mayHerald(node.installed, node.herald)) return
  // Put off while new voters have not acknowledged yet and the old lease still runs: else a mesh that grows loses its locks.
  if (node.holding > 0 && now < node.deadline && deadlineUnder(node, record) <= now) return
  if (rules.mayBegin(node, record.epoch)) begin(turn, record)
}

/** R14, in one event. */
function begin(turn: Turn, record: ViewRecord): void {
  const { node, now } = turn
  node.begun = record
  node.deadline = deadlineUnder(node, record)
  clearView(node)
  turn.effects.push({ kind: 'begun', record })
  const ownEntries = entriesOf(node.id, record)
  // R6 without sending: the release of what lapses here is the release of the table entry below.
  checkHolds(turn, record, now >= node.deadline)
  for (const [name, { waiting }] of node.names)
    if (waiting.some(({ steals }) => steals)) announceTheft(turn, name)
  rules.releaseEntries(turn, ownEntries, (entry) => releaseEntry(turn, entry))
  // Of very many not all in one event (R18).
  for (const [name, { waiting }] of node.names) if (waiting.length > 0) node.unasked.add(name)
  askTheRest(turn)
  node.order = null
  settle(turn)
  heartbeat(turn)
}

/** What the table says that this node holds. */
function entriesOf(id: Id, { table }: ViewRecord): OwnEntry[] {
  const own: OwnEntry[] = []
  for (const [name, holders] of Object.entries(table)) {
    for (const holder of holders) if (holder.id === id) own.push({ name, seat: holder.seat })
  }
  return own
}

/** R14: every hold is in the table. What has lapsed is lost. */
function checkHolds(turn: Turn, { epoch, table }: ViewRecord, lapsed: boolean): void {
  const { node } = turn
  for (const [name, { seats }] of node.names) {
    for (const [i, own] of seats.entries()) {
      if (own.holds.length === 0) continue
      const holders = holdersOf(table, name)
      if (!holders.some(({ id, seat }) => id === node.id && seat === i)) {
        impossible(`${node.id} holds ${name} and view ${epoch} does not know it`)
      }
      if (lapsed) loseHolds(turn, name, own, 'lapsed')
    }
  }
}

/** An entry that is held no longer begins inside and is released. One that is held begins when it is first used. */
function releaseEntry(turn: Turn, { name, seat }: OwnEntry): void {
  if ((turn.node.names.get(name)?.seats[seat]?.holds.length ?? 0) > 0) return
  const local = localName(turn.node, name)
  giveBack(turn, name, local, get(local.seats, seat))
}

/** R15: a heartbeat of someone who began a view proves that it was chosen. */
export function catchUp(turn: Turn, from: Id, { begun, accepted, session }: MessageOf<'heartbeat'>): void {
  const { node, now } = turn
  if (begun !== null && begun > (node.begun?.epoch ?? 0)) {
    hearChosen(turn, from, begun)
    if (node.installed?.record.epoch === begun) tryBegin(turn)
    else send(turn, from, { type: 'fetch', epoch: begun })
  }
  // A voter whose accepted record is behind is sent INSTALL again, by the first of the view that lives.
  if (node.begun === null || node.installed?.record.epoch !== node.begun.epoch || isFrozen(node)) return
  const speaker = node.begun.members.find(({ id }) => isLive(node, id, now))?.id
  if (speaker === node.id && (accepted ?? 0) < node.begun.epoch && namesVoter(node.begun, session.voterId)) {
    sendTable(turn, from, { type: 'install', ...node.installed })
  }
}

export function onFetch(turn: Turn, from: Id, { epoch }: MessageOf<'fetch'>): void {
  const { begun, installed } = turn.node
  if (begun?.epoch !== epoch || installed?.record.epoch !== epoch) return
  sendTable(turn, from, { type: 'copy', ...installed })
}

/** Whoever sends a copy has begun it. */
export function onCopy(turn: Turn, from: Id, { record, ballot }: MessageOf<'copy'>): void {
  const { node } = turn
  if (!mayHerald({ record, ballot }, from)) return
  hearChosen(turn, from, record.epoch)
  if (record.epoch <= (node.begun?.epoch ?? 0)) return
  if (includesSession(record, sessionOf(node))) {
    if (record.epoch !== node.durable.promised.epoch) return
    if (whyUnfit(record.settings, record.members.length) !== null) return
    node.installed = { record, ballot }
    tryBegin(turn)
  } else if (node.begun !== null) startAfresh(turn) // R7
}
