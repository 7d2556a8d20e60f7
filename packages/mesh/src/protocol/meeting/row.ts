/** M1, M9 and M11: the row of this session, which is its lease. */
import { dictionary } from '../dictionary.ts'
import { clearView, loseAll, loseEverything } from '../lapse.ts'
import { blank, type Id, type Settings } from '../record.ts'
import { send } from '../state.ts'
import { type Answer, type Cell, type Row, readRow, rowOf } from './cells.ts'
import { meetingRules } from './rules.ts'
import { ask, type MeetingTurn, noRow, WATCHERS } from './state.ts'

/** M1, on the tick: renews every T/3. Each attempt has its own beat. */
export function renewRow(turn: MeetingTurn): void {
  const { meeting, node, now } = turn
  const { row, standing } = meeting
  if (row.isAsking || standing === 'out') return
  if (row.isUnsure) return check(turn)
  if (now - row.triedAt < node.config.settings.lease / 3) return
  row.beat += 1
  row.sent[row.beat] = now
  row.triedAt = now
  row.isAsking = true
  const { beat, version } = row
  const kind = standing === 'arriving' ? 'create' : 'renew'
  ask(turn, { kind, beat }, { do: 'cas', cell: rowOf(node.id), version, value: JSON.stringify(ownRow(turn)) })
}

function ownRow({ meeting }: MeetingTurn): Row {
  const { address, life, row } = meeting
  return { address, life, beat: row.beat, sealed: false, cut: [] }
}

export function onRenewed(turn: MeetingTurn, beat: number, answer: Answer): void {
  const { row } = turn.meeting
  row.isAsking = false
  if (answer.kind === 'done') return inRow(turn, answer.version, beat)
  if (answer.kind === 'unknown' && meetingRules.believesUnknown()) return counted(turn, beat)
  if (answer.kind === 'refused' && !meetingRules.heedsRefusal()) return counted(turn, beat)
  row.isUnsure = true
  check(turn)
}

function check(turn: MeetingTurn): void {
  turn.meeting.row.isAsking = true
  ask(turn, { kind: 'check' }, { do: 'read', cell: rowOf(turn.node.id) })
}

/** M1: the outcome was unknown or refused, so the content of the row counts. A row is made once: a missing row is gone. */
export function onChecked(turn: MeetingTurn, answer: Answer): void {
  const { row, standing } = turn.meeting
  row.isAsking = false
  if (standing === 'out') {
    row.version = answer.kind === 'cell' ? (answer.cell?.version ?? null) : null
    return deleteRow(turn)
  }
  if (answer.kind !== 'cell') return
  row.isUnsure = false
  const own = answer.cell === null ? null : readRow(answer.cell)
  if (own === null || own.sealed || answer.cell === null) return endedBy(turn, answer.cell)
  inRow(turn, answer.cell.version, own.beat)
}

/** M9: the row shows that this session is over. It is deleted, sealed or not, because the session holds nothing any more. */
export function endedBy(turn: MeetingTurn, cell: Cell | null): void {
  const row = cell === null ? null : readRow(cell)
  turn.meeting.row.version = cell?.version ?? null
  if (row === null) goOut(turn, cell === null ? 'its row is gone' : 'its row was overwritten')
  else goOut(turn, 'its lease was ended by others', row.cut)
}

function inRow(turn: MeetingTurn, version: string, beat: number): void {
  const { meeting } = turn
  meeting.row.version = version
  if (turn.node.left) return deleteRow(turn)
  if (meeting.standing === 'arriving') meeting.standing = 'waiting'
  counted(turn, beat)
}

/** The deadline is T after the sending of the attempt whose beat is in the row. */
function counted({ meeting, node, now }: MeetingTurn, beat: number): void {
  const { row } = meeting
  const sent = row.sent[beat]
  // The beat is not of this session, or from before a sleep.
  if (sent === undefined) return
  row.until = Math.max(row.until, meetingRules.leaseFrom(sent, now) + node.config.settings.lease)
  for (const earlier of Object.keys(row.sent)) if (Number(earlier) < beat) delete row.sent[Number(earlier)]
  if (node.begun !== null) node.deadline = row.until
}

/** M9: everything is lost at this moment. The row is deleted, and this node joins again under another session. */
export function goOut(turn: MeetingTurn, why: string, cut: readonly Id[] = []): void {
  const { meeting, node, now } = turn
  if (meeting.standing === 'out') return
  if (meetingRules.dropsHolds()) {
    loseAll(turn)
    node.deadline = Number.NEGATIVE_INFINITY
  }
  clearView(node)
  node.begun = null
  meeting.standing = 'out'
  meeting.attempt = null
  meeting.telling = null
  meeting.cut = cut.length === 0 ? null : { ids: [...cut], until: now + 10 * node.config.settings.lease }
  deleteRow(turn)
  turn.effects.push({ kind: 'out', why })
}

function deleteRow(turn: MeetingTurn): void {
  const { meeting, node } = turn
  const { version, isAsking } = meeting.row
  // M11: a write that is under way changes the version or makes the row. Its answer will say which.
  if (node.left && isAsking) return
  if (version !== null)
    ask(turn, { kind: 'delete' }, { do: 'cas', cell: rowOf(node.id), version, value: null })
  else if (node.left) sayLeft(turn)
}

/** The view at the register has other settings. With different leases, members could not exclude each other. */
export function standOff(turn: MeetingTurn, { algorithm, lease, drift }: Settings): void {
  const { meeting, effects } = turn
  meeting.standing = 'out'
  meeting.attempt = null
  deleteRow(turn)
  effects.push({ kind: 'unlike', settings: `algorithm ${algorithm}, lease ${lease}, drift ${drift}` })
}

/** M9: a fresh session remembers only which members could not hear the last one. */
export function beginSession({ meeting, node, now }: MeetingTurn, session: Id, address: string): void {
  node.id = session
  node.config = { ...node.config, peers: [session] }
  node.durable = blank(session)
  meeting.address = address
  meeting.standing = 'arriving'
  meeting.row = noRow()
  meeting.calls = dictionary() as typeof meeting.calls
  meeting.view = undefined
  meeting.heard = dictionary()
  meeting.reasonSince = null
  meeting.isWanted = false
  meeting.namedSince = null
  meeting.notBefore = now
  meeting.heardOfChangeAt = now
  meeting.frozenBy = null
  meeting.lookedAt = now
}

/** M11: drops all holds and deletes the row, so that the others need not wait for the lease. */
export function leaveMeeting(turn: MeetingTurn): void {
  const { meeting, node } = turn
  if (node.left) return
  node.left = true
  const first = node.begun?.members.filter(({ id }) => id !== node.id).slice(0, WATCHERS) ?? []
  loseEverything(turn)
  meeting.attempt = null
  meeting.telling = null
  meeting.heard = dictionary()
  const isOut = meeting.standing === 'out'
  meeting.standing = 'out'
  for (const { id } of first) meeting.heard[id] = { at: turn.now, address: '', waitsSince: null }
  if (isOut) turn.effects.push({ kind: 'left' })
  else deleteRow(turn)
}

/** Refused: the row has another version. Otherwise it is gone, or the register did not answer. */
export function onDeleted(turn: MeetingTurn, answer: Answer): void {
  if (!turn.node.left) return
  if (answer.kind === 'refused') check(turn)
  else sayLeft(turn)
}

/** Tells the members that propose, so that they need not find out by themselves. */
function sayLeft(turn: MeetingTurn): void {
  const { meeting, node } = turn
  for (const id of Object.keys(meeting.heard)) send(turn, id, { type: 'look', session: node.id })
  turn.effects.push({ kind: 'left' })
}
