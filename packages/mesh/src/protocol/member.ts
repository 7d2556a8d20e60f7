/** The member: R14, how it begins a view, and R15, how it catches up. */
import { beginView } from './begin.ts'
import { whyUnfit } from './fit.ts'
import { heartbeat } from './heartbeat.ts'
import { deadlineUnder, startAfresh } from './lease.ts'
import type { MessageOf } from './messages.ts'
import { settle } from './operator-changes.ts'
import { type Id, includesSession, namesVoter, type Roster, type ViewRecord } from './record.ts'
import { rules } from './rules.ts'
import { mayHerald } from './sender-rights.ts'
import { type Handling, isFrozen, isLive, send, sessionOf } from './state.ts'
import { sendTable } from './tables.ts'

export function onBegin(handling: Handling, from: Id, { epoch }: MessageOf<'begin'>): void {
  hearChosen(handling, from, epoch)
  tryBegin(handling)
}

function hearChosen({ node }: Handling, from: Id, epoch: number): void {
  if (epoch < node.chosen) return
  node.chosen = epoch
  node.herald = from
}

/** R14: the record is complete, names this session, is the last promise, and is known to be chosen. */
export function tryBegin(handling: Handling): void {
  const { node, now } = handling
  if (node.installed === null || node.left) return
  const { record } = node.installed
  if (!rules.isChosen(record.epoch, node.chosen) || record.epoch <= (node.begun?.epoch ?? 0)) return
  if (!includesSession(record, sessionOf(node)) || !mayHerald(node.installed, node.herald)) return
  // The node waits while new voters have not acknowledged yet and the old lease still runs; otherwise a growing mesh would lose
  // its locks. It also waits while the new deadline is before the one promised to clients, because they rely on that.
  const deadline = deadlineUnder(node, record)
  const isTooEarly = deadline <= now || deadline < node.promised
  if (node.holding > 0 && now < node.deadline && isTooEarly) return
  if (rules.mayBegin(node, record.epoch)) begin(handling, record)
}

/** R14, in one event. */
function begin(handling: Handling, record: ViewRecord): void {
  const { node } = handling
  beginView(handling, record, deadlineUnder(node, record))
  node.order = null
  settle(handling)
  heartbeat(handling)
}

/** R15: the heartbeat of a node that began a view proves that the view was chosen. */
export function catchUp(
  handling: Handling,
  from: Id,
  { begun, accepted, session }: MessageOf<'heartbeat'>,
): void {
  const { node, now } = handling
  // L1: who has begun this view is a member of it. So there are two, made by voters who did not hear each other (R21).
  if (node.begun?.epoch === begun && !includesSession(node.begun, session))
    throw new Error(`${from} has begun another view ${begun}. ${TWO_FIRST_VIEWS}`)
  if (begun !== null && begun > (node.begun?.epoch ?? 0)) {
    hearChosen(handling, from, begun)
    if (node.installed?.record.epoch === begun) tryBegin(handling)
    else send(handling, from, { type: 'fetch', epoch: begun })
  }
  // The first live member of the view sends INSTALL again to a voter whose accepted record is behind.
  if (node.begun === null || node.installed?.record.epoch !== node.begun.epoch || isFrozen(node)) return
  const speaker = node.begun.members.find(({ id }) => isLive(node, id, now))?.id
  if (speaker === node.id && (accepted ?? 0) < node.begun.epoch && namesVoter(node.begun, session.voterId)) {
    sendTable(handling, from, { type: 'install', ...node.installed })
  }
}

export function onFetch(handling: Handling, from: Id, { epoch }: MessageOf<'fetch'>): void {
  const { begun, installed } = handling.node
  if (begun?.epoch !== epoch || installed?.record.epoch !== epoch) return
  sendTable(handling, from, { type: 'copy', ...installed })
}

/** The sender of a copy has begun that view. */
export function onCopy(handling: Handling, from: Id, { record, ballot }: MessageOf<'copy'>): void {
  const { node } = handling
  if (!mayHerald({ record, ballot }, from)) return
  hearChosen(handling, from, record.epoch)
  if (record.epoch <= (node.begun?.epoch ?? 0)) return
  if (includesSession(record, sessionOf(node))) {
    if (record.epoch !== node.durable.promised.epoch) return
    if (whyUnfit(record.settings, record.members.length) !== null) return
    node.installed = { record, ballot }
    tryBegin(handling)
  } else if (node.begun !== null) {
    if (areRivals(node.begun, record))
      handling.effects.push({ kind: 'contradiction', what: rivalry(node.begun, record) })
    startAfresh(handling) // R7
  }
}

/** R21: of views whose voters never changed, each has those of its first view. */
function areRivals(ours: Roster, theirs: Roster): boolean {
  const areFirst = [ours, theirs].every(({ since, oldVoters }) => since === undefined && oldVoters === null)
  return areFirst && !ours.voters.some(({ voterId }) => namesVoter(theirs, voterId))
}

function rivalry(ours: Roster, theirs: Roster): string {
  const [here, there] = [ours, theirs].map(({ voters }) => voters.map(({ id }) => id).join(', '))
  return `${here} vote for view ${ours.epoch}, and ${there} for view ${theirs.epoch}. ${TWO_FIRST_VIEWS}`
}

const TWO_FIRST_VIEWS = 'Two first views were made: nodes were started with other voters'
