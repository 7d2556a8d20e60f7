/** The member: R14, how it begins a view, and R15, how it catches up. */
import { beginView } from './begin.ts'
import { settle } from './changes.ts'
import { whyUnfit } from './fit.ts'
import { heartbeat } from './heartbeat.ts'
import { deadlineUnder, startAfresh } from './lease.ts'
import type { MessageOf } from './messages.ts'
import { type Id, includesSession, namesVoter, type ViewRecord } from './record.ts'
import { rules } from './rules.ts'
import { isFrozen, isLive, send, sessionOf, type Turn } from './state.ts'
import { sendTable } from './tables.ts'
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

/** R14: the record is complete, names this session, is the last promise, and is known to be chosen. */
export function tryBegin(turn: Turn): void {
  const { node, now } = turn
  if (node.installed === null || node.left) return
  const { record } = node.installed
  if (!rules.isChosen(record.epoch, node.chosen) || record.epoch <= (node.begun?.epoch ?? 0)) return
  if (!includesSession(record, sessionOf(node)) || !mayHerald(node.installed, node.herald)) return
  // The node waits while new voters have not acknowledged yet and the old lease still runs; otherwise a growing mesh would lose
  // its locks. It also waits while the new deadline is before the one promised to clients, because they rely on that.
  const deadline = deadlineUnder(node, record)
  const isTooEarly = deadline <= now || deadline < node.promised
  if (node.holding > 0 && now < node.deadline && isTooEarly) return
  if (rules.mayBegin(node, record.epoch)) begin(turn, record)
}

/** R14, in one event. */
function begin(turn: Turn, record: ViewRecord): void {
  const { node } = turn
  beginView(turn, record, deadlineUnder(node, record))
  node.order = null
  settle(turn)
  heartbeat(turn)
}

/** R15: the heartbeat of a node that began a view proves that the view was chosen. */
export function catchUp(turn: Turn, from: Id, { begun, accepted, session }: MessageOf<'heartbeat'>): void {
  const { node, now } = turn
  if (begun !== null && begun > (node.begun?.epoch ?? 0)) {
    hearChosen(turn, from, begun)
    if (node.installed?.record.epoch === begun) tryBegin(turn)
    else send(turn, from, { type: 'fetch', epoch: begun })
  }
  // The first live member of the view sends INSTALL again to a voter whose accepted record is behind.
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

/** The sender of a copy has begun that view. */
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
