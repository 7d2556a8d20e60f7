/** M1, M9 and M11: the row of this session, which is its lease. */
import { dictionary } from '../dictionary.ts'
import { clearView, loseAll, loseEverything } from '../lapse.ts'
import { blank, type Id, type Settings } from '../record.ts'
import { send } from '../state.ts'
import { type Answer, type Cell, type Row, readRow, rowOf } from './cells.ts'
import { endAttempt } from './giving-up.ts'
import { meetingRules } from './meeting-rules.ts'
import { ask, type MeetingHandling, noRow, WATCHERS } from './meeting-state.ts'

/** M1, on the tick: renews every T/3. Each attempt has its own beat. */
export function renewRow(handling: MeetingHandling): void {
  const { meeting, node, now } = handling
  const { row, standing } = meeting
  if (row.isAsking || standing === 'out') return
  if (row.isUnsure) return check(handling)
  if (now - row.triedAt < node.config.settings.lease / 3) return
  row.beat += 1
  row.sent[row.beat] = now
  row.triedAt = now
  row.isAsking = true
  const { beat, version } = row
  const kind = standing === 'arriving' ? 'create' : 'renew'
  ask(
    handling,
    { kind, beat },
    { do: 'cas', cell: rowOf(node.id), version, value: JSON.stringify(ownRow(handling)) },
  )
}

function ownRow({ meeting, node }: MeetingHandling): Row {
  const { address, life, row } = meeting
  const { lease: leaseMs } = node.config.settings
  return { address, life, beat: row.beat, lease: leaseMs, sealed: false, cut: [] }
}

export function onRenewed(handling: MeetingHandling, beat: number, answer: Answer): void {
  const { row } = handling.meeting
  row.isAsking = false
  if (answer.kind === 'done') return inRow(handling, answer.version, beat)
  if (answer.kind === 'unknown' && meetingRules.believesUnknown()) return counted(handling, beat)
  if (answer.kind === 'refused' && !meetingRules.heedsRefusal()) return counted(handling, beat)
  row.isUnsure = true
  check(handling)
}

function check(handling: MeetingHandling): void {
  handling.meeting.row.isAsking = true
  ask(handling, { kind: 'check' }, { do: 'read', cell: rowOf(handling.node.id) })
}

/** M1: the outcome was unknown or refused, so the content of the row counts. A row is made once: a missing row is gone. */
export function onChecked(handling: MeetingHandling, answer: Answer): void {
  const { row, standing } = handling.meeting
  row.isAsking = false
  if (standing === 'out') {
    row.version = answer.kind === 'cell' ? (answer.cell?.version ?? null) : null
    return deleteRow(handling)
  }
  if (answer.kind !== 'cell') return
  row.isUnsure = false
  const own = answer.cell === null ? null : readRow(answer.cell)
  if (own === null || own.sealed || answer.cell === null) return endedBy(handling, answer.cell)
  inRow(handling, answer.cell.version, own.beat)
}

/** M9: the row shows that this session is over. It is deleted, sealed or not, because the session holds nothing any more. */
export function endedBy(handling: MeetingHandling, cell: Cell | null): void {
  const row = cell === null ? null : readRow(cell)
  handling.meeting.row.version = cell?.version ?? null
  if (row === null) goOut(handling, cell === null ? 'its row is gone' : 'its row was overwritten')
  else goOut(handling, 'its lease was ended by others', row.cut)
}

function inRow(handling: MeetingHandling, version: string, beat: number): void {
  const { meeting } = handling
  meeting.row.version = version
  if (handling.node.left) return deleteRow(handling)
  if (meeting.standing === 'arriving') meeting.standing = 'waiting'
  counted(handling, beat)
}

/** The deadline is T after the sending of the attempt whose beat is in the row. */
function counted({ meeting, node, now }: MeetingHandling, beat: number): void {
  const { row } = meeting
  const sent = row.sent[beat]
  // The beat is not of this session, or from before a sleep.
  if (sent === undefined) return
  const { lease: leaseMs } = node.config.settings
  if (sent > row.until - leaseMs / 2) row.steadySince = now
  row.until = Math.max(row.until, meetingRules.leaseFrom(sent, now) + leaseMs)
  for (const earlier of Object.keys(row.sent)) if (Number(earlier) < beat) delete row.sent[Number(earlier)]
  if (node.begun !== null) node.deadline = row.until
}

/** M9: whether clients of a daemon were promised holds for longer, or children of this process may still work under them. */
export function isReliedOn({ meeting, node, now }: MeetingHandling): boolean {
  return node.holding > 0 && now < (meeting.waitsOut ? node.deadline : node.promised)
}

/**
 * M9: everything is lost at this moment, and this node joins again under another session. The row is deleted, unless somebody relies
 * on its lease.
 */
export function goOut(handling: MeetingHandling, why: string, cut: readonly Id[] = []): void {
  const { meeting, node, now } = handling
  if (meeting.standing === 'out') return
  meeting.row.isReliedOn = isReliedOn(handling)
  if (meetingRules.dropsHolds()) {
    loseAll(handling)
    node.deadline = Number.NEGATIVE_INFINITY
  }
  clearView(node)
  node.begun = null
  meeting.standing = 'out'
  if (meeting.attempt !== null) endAttempt(handling)
  meeting.telling = null
  meeting.cut = cut.length === 0 ? null : { ids: [...cut], until: now + 10 * node.config.settings.lease }
  deleteRow(handling)
  handling.effects.push({ kind: 'out', why })
}

function deleteRow(handling: MeetingHandling): void {
  const { meeting, node } = handling
  const { version, isAsking, isReliedOn: isLeft } = meeting.row
  if (isLeft) return
  // M11: a write that is under way changes the version or makes the row. Its answer will say which.
  if (node.left && isAsking) return
  if (version !== null)
    ask(handling, { kind: 'delete' }, { do: 'cas', cell: rowOf(node.id), version, value: null })
  else if (node.left) sayLeft(handling)
}

/** The view at the register has other settings. With different leases, members could not exclude each other. */
export function standOff(
  handling: MeetingHandling,
  { algorithm, lease: leaseMs, drift: driftFraction }: Settings,
): void {
  const { meeting, effects } = handling
  meeting.row.isReliedOn = isReliedOn(handling)
  loseAll(handling)
  meeting.standing = 'out'
  meeting.attempt = null
  deleteRow(handling)
  effects.push({
    kind: 'unlike',
    settings: `algorithm ${algorithm}, lease ${leaseMs}, drift ${driftFraction}`,
  })
}

/** M9: a fresh session remembers only which members could not hear the last one. */
export function beginSession({ meeting, node, now }: MeetingHandling, session: Id, address: string): void {
  node.id = session
  node.config = { ...node.config, peers: [session] }
  node.durable = blank(session)
  meeting.address = address
  meeting.standing = 'arriving'
  meeting.row = noRow()
  meeting.calls = dictionary() as typeof meeting.calls
  meeting.view = undefined
  meeting.unlikeSince = null
  meeting.heard = dictionary()
  meeting.reasonSince = null
  meeting.isWanted = false
  meeting.namedSince = null
  meeting.notBefore = now
  meeting.failures = 0
  meeting.heardOfChangeAt = now
  meeting.frozenBy = null
  meeting.reported = dictionary()
  meeting.outdated = dictionary()
  meeting.draft = null
  meeting.givenUp = dictionary()
  meeting.tried = 0
  meeting.lookedAt = now
  meeting.looks = 0
}

/** M11: drops all holds and deletes the row, so that the others need not wait for the lease. */
export function leaveMeeting(handling: MeetingHandling): void {
  const { meeting, node } = handling
  if (node.left) return
  node.left = true
  const told = toBeTold(handling)
  loseEverything(handling)
  if (meeting.attempt !== null) endAttempt(handling)
  meeting.telling = null
  meeting.heard = dictionary()
  const isOut = meeting.standing === 'out'
  meeting.standing = 'out'
  for (const id of told) meeting.heard[id] = { at: handling.now, address: '', waitsSince: null }
  if (isOut) handling.effects.push({ kind: 'left' })
  else deleteRow(handling)
}

/** M11: the members that propose, the proposer that waits for this node's report, and the joiners that wait for this node. */
function toBeTold({ meeting, node }: MeetingHandling): Set<Id> {
  const others = node.begun?.members.filter(({ id }) => id !== node.id).slice(0, WATCHERS) ?? []
  const told = new Set(others.map(({ id }) => id))
  if (meeting.frozenBy !== null && meeting.frozenBy !== node.id) told.add(meeting.frozenBy)
  for (const [id, { waitsSince }] of Object.entries(meeting.heard)) if (waitsSince !== null) told.add(id)
  return told
}

/** Refused: the row has another version. Otherwise it is gone, or the register did not answer. */
export function onDeleted(handling: MeetingHandling, answer: Answer): void {
  if (!handling.node.left) return
  if (answer.kind === 'refused') check(handling)
  else sayLeft(handling)
}

/** Tells the members that propose, so that they need not find out by themselves. */
function sayLeft(handling: MeetingHandling): void {
  const { meeting, node } = handling
  for (const id of Object.keys(meeting.heard)) send(handling, id, { type: 'look', session: node.id })
  handling.effects.push({ kind: 'left' })
}
