/** M2 to M4: which leases are over, as far as rows show. */
import { dictionary } from '../dictionary.ts'
import { memberOf } from '../membership.ts'
import type { Id } from '../record.ts'
import { isFrozen } from '../state.ts'
import {
  type Answer,
  type Attendant,
  type Cell,
  ROWS,
  type Row,
  readRow,
  rowOf,
  sessionIn,
  VIEW,
} from './cells.ts'
import { meetingRules } from './meeting-rules.ts'
import {
  ask,
  isAsked,
  type MeetingHandling,
  type Purpose,
  type SeenRow,
  WATCHERS,
  wakeAt,
} from './meeting-state.ts'
import { endedBy } from './row.ts'

/** M2, on the tick. */
export function watchRows(handling: MeetingHandling): void {
  const { meeting, node, now, effects } = handling
  const { lease: leaseMs } = node.config.settings
  const isOn = isWatching(handling)
  // Before its first list a node does not know whether others list too.
  const areWanted = isOn && meeting.listedAt > Number.NEGATIVE_INFINITY
  if (areWanted !== meeting.isHinted) {
    meeting.isHinted = areWanted
    effects.push({ kind: 'hints', areWanted })
  }
  if (isOn) {
    // The interval counts from call to call. Counted from the answers, those of a slow register would be more than T/2 apart.
    if (now - meeting.listAskedAt >= leaseMs / 3) listRows(handling)
    sealTheDead(handling)
    return
  }
  forgetRows(handling)
  const isWaiting = meeting.standing === 'member' ? isWaitingLong(handling) : isUnwelcome(handling)
  if (isWaiting) readWatchers(handling)
}

/** Old rows say nothing about who lives, and a node that does not list sees no newer ones. */
function forgetRows({ meeting, node, now }: MeetingHandling): void {
  // Once per lease. The rows of watchers stay, because they are read once per lease too.
  if (meeting.standing !== 'member' || node.ticks % 10 > 0) return
  for (const [id, { shownAt }] of Object.entries(meeting.seen))
    if (now - shownAt > 2 * node.config.settings.lease) delete meeting.seen[id]
}

export function readMeetingView(handling: MeetingHandling): void {
  if (isAsked(handling.meeting, 'view')) return
  ask(handling, { kind: 'view', askedAt: handling.now }, { do: 'read', cell: VIEW })
}

export function listRows(handling: MeetingHandling): void {
  if (isAsked(handling.meeting, 'rows')) return
  handling.meeting.listAskedAt = handling.now
  ask(handling, { kind: 'rows', askedAt: handling.now }, { do: 'list', prefix: ROWS })
}

/** M2: a hint lets nodes that list do so sooner. Every renewal causes a hint, so they list at most once per tick. */
export function listSooner(handling: MeetingHandling): void {
  const { meeting, node, now } = handling
  if (isWatching(handling) && now - meeting.listAskedAt >= node.config.settings.lease / 10) listRows(handling)
}

function isWatching(handling: MeetingHandling): boolean {
  const { meeting, node, now } = handling
  if (meeting.attempt !== null) return true
  // Before it knows the view, it does not know whether its lease is that of the others.
  if (meeting.standing === 'waiting') {
    // M10: the view names it, but it could not change it: only a list after another shows that the other members are dead.
    if (meeting.namedSince !== null && meeting.failures > 0) return true
    if (!isUnwelcome(handling)) return false
  } else if (meeting.standing !== 'member' || node.begun === null) return false
  const first = watchers(handling)
  if (first.length < WATCHERS || first.includes(node.id)) return true
  // An older list says nothing about now.
  return first.every((id) => looksDead(handling, id)) && now >= meeting.notBefore
}

/**
 * M2: the sessions that list rows: the first members of the view. If no member takes joiners in, the first sessions with rows. If
 * all joiners that come at once listed, each would read what all the others write.
 */
function watchers({ meeting, node }: MeetingHandling): Id[] {
  const { begun } = node
  if (begun !== null) return begun.members.slice(0, WATCHERS).map(({ id }) => id)
  const first = [node.id]
  // Every tick asks, and there may be very many rows, so they are not sorted.
  for (const id in meeting.seen) {
    const place = first.findIndex((other) => id < other)
    if (place >= 0) first.splice(place, 0, id)
    else if (first.length < WATCHERS) first.push(id)
    if (first.length > WATCHERS) first.pop()
  }
  return first
}

export function everyone({ meeting, node }: MeetingHandling): Attendant[] {
  const others = Object.entries(meeting.seen).map(([id, { address }]) => ({ id, address }))
  return [{ id: node.id, address: meeting.address }, ...others].toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

function isUnwelcome(handling: MeetingHandling): boolean {
  const { standing, view } = handling.meeting
  return standing === 'waiting' && view !== undefined && !isWelcome(handling)
}

/** Whether a member of the view has answered: it lives, and takes this joiner in. */
export function isWelcome(handling: MeetingHandling): boolean {
  const { view, gone } = handling.meeting
  return view?.members.some(({ id }) => isHeard(handling, id) && !(id in gone)) ?? false
}

/** Within T/2. */
export function isHeard({ meeting, node, now }: MeetingHandling, id: Id): boolean {
  return now - (meeting.heard[id]?.at ?? Number.NEGATIVE_INFINITY) < node.config.settings.lease / 2
}

/** Whether this node has waited T/2: for a caller, for an ack on a link, or for a view. */
function isWaitingLong({ node, now }: MeetingHandling): boolean {
  const half = node.config.settings.lease / 2
  if (isFrozen(node)) return true
  if (Object.values(node.links).some(({ oldest }) => oldest > 0)) return true
  for (const { waiting } of node.names.values())
    if (waiting.some(({ since }) => now - since >= half)) return true
  return false
}

/** M2: at most once in T. */
function readWatchers(handling: MeetingHandling): void {
  const { meeting, node, now } = handling
  if (now - meeting.listedAt < node.config.settings.lease) return
  meeting.listedAt = now
  for (const id of watchers(handling)) readRowOf(handling, id)
}

/** `isSudden`: a connection to it has just ended. */
export function readRowOf(handling: MeetingHandling, session: Id, isSudden = false): void {
  if (!isSudden && isAsked(handling.meeting, 'row', session)) return
  ask(
    handling,
    { kind: 'row', session, askedAt: handling.now, isSudden },
    { do: 'read', cell: rowOf(session) },
  )
}

export function onRows(handling: MeetingHandling, askedAt: number, answer: Answer): void {
  const { meeting, node, now } = handling
  const { lease: leaseMs } = node.config.settings
  if (answer.kind !== 'cells') {
    // M13: it is due with the next tick, and then later and later. A register may fail because it is asked too often.
    const pause = Math.min(leaseMs / 3, (leaseMs / 10) * (2 ** meeting.listsFailed - 1))
    meeting.listAskedAt = now - leaseMs / 3 + pause
    meeting.listsFailed += 1
    return
  }
  meeting.listsFailed = 0
  meeting.listedFrom = askedAt
  const isLate = now - meeting.listedAt > leaseMs / 2 && mayHaveBeenAway(handling)
  meeting.listedAt = now
  for (const [name, cell] of answer.cells) see(handling, sessionIn(name), cell, askedAt, isLate)
  for (const session of new Set([...Object.keys(meeting.seen), ...namedIn(handling)])) {
    if (session === node.id || answer.cells.has(rowOf(session)) || session in meeting.gone) continue
    if (meetingRules.believesList()) meeting.gone[session] = askedAt
    // M3: a list may miss a row. Only a read shows that it is gone.
    readRowOf(handling, session)
  }
  if (isWatching(handling)) doubtSome(handling)
  tellAddresses(handling)
}

/** M2: while the register answered nothing, nobody could renew. If this node could for all of T, others could too. */
function mayHaveBeenAway({ meeting, node, now }: MeetingHandling): boolean {
  const { lease: leaseMs } = node.config.settings
  const { until, steadySince } = meeting.row
  return now > until - leaseMs / 2 || now - steadySince < leaseMs
}

/** Asks about sessions that have not renewed for T/2, and about those seen for the first time. The others live. */
function doubtSome(handling: MeetingHandling): void {
  const { meeting, node, now } = handling
  for (const [session, { since }] of Object.entries(meeting.seen))
    if (since === now || now - since >= node.config.settings.lease / 2) doubt(handling, session)
}

/** Asks the kernel, which may know more than rows show. */
export function doubt(handling: MeetingHandling, session: Id, isSudden = false): void {
  const { meeting, node, effects } = handling
  const row = meeting.seen[session]
  if (session === node.id) return
  if (row === undefined) readRowOf(handling, session, isSudden)
  else if (row.life !== '')
    effects.push({ kind: 'doubt', session, life: row.life, address: row.address, isSudden })
}

export function onRow(
  handling: MeetingHandling,
  { session, askedAt, isSudden }: Extract<Purpose, { kind: 'row' }>,
  answer: Answer,
): void {
  const { meeting } = handling
  if (answer.kind !== 'cell') return
  if (answer.cell !== null) {
    see(handling, session, answer.cell, askedAt, false)
    return doubt(handling, session, isSudden)
  }
  delete meeting.seen[session]
  const isNews = !(session in meeting.gone)
  meeting.gone[session] = Math.max(meeting.gone[session] ?? askedAt, askedAt)
  // M10: whether a member still lives, and who proposes if none does, it can only see at the register.
  if (isNews && isUnwelcome(handling)) {
    readMeetingView(handling)
    listRows(handling)
  }
}

function see(handling: MeetingHandling, session: Id, cell: Cell, askedAt: number, isLate: boolean): void {
  const { meeting, node, now } = handling
  const before = meeting.seen[session]
  const row = readRow(cell) ?? { ...OVERWRITTEN, address: before?.address ?? '' }
  if (session === node.id) {
    if (row.sealed) endedBy(handling, cell)
    return
  }
  const isCounted = before?.beat === row.beat && (row.sealed || !isLate)
  const since = isCounted ? before.since : meetingRules.seenFrom(askedAt, now)
  meeting.seen[session] = { ...row, version: cell.version, since, shownAt: now }
  meeting.aliveUntil = now
}

/** A malformed value ends a lease like a seal. The member cannot renew any more, and finds out when it tries. */
const OVERWRITTEN: Omit<Row, 'address'> = { life: '', beat: 0, sealed: true, cut: [] }

/** The addresses of all nodes to speak with: from rows, from views, and from their own hellos. Connections to others end. */
export function tellAddresses({ meeting, node, effects }: MeetingHandling): void {
  const addresses = dictionary<string>()
  for (const [id, { address }] of Object.entries(meeting.heard)) addresses[id] = address
  for (const { id, address = '' } of node.begun?.members ?? []) addresses[id] = address
  for (const { id, address } of meeting.view?.members ?? []) addresses[id] = address
  for (const [id, { address }] of Object.entries(meeting.seen)) addresses[id] = address
  for (const id of Object.keys(meeting.gone)) delete addresses[id]
  delete addresses[node.id]
  effects.push({ kind: 'addresses', addresses, isWhole: true })
}

/** Only those of nodes that may have changed. In a large mesh every member would otherwise list all others in each view. */
export function tellChanged(handling: MeetingHandling, changed: ReadonlySet<Id>): void {
  const { meeting, node, effects } = handling
  if (changed.size > FEW) return tellAddresses(handling)
  const at = (id: Id) => (member: { readonly id: Id }) => member.id === id
  const addresses = dictionary<string | null>()
  for (const id of changed) {
    if (id === node.id) continue
    const known =
      meeting.seen[id] ?? meeting.view?.members.find(at(id)) ?? memberOf(node, id) ?? meeting.heard[id]
    addresses[id] = known === undefined || id in meeting.gone ? null : (known.address ?? '')
  }
  effects.push({ kind: 'addresses', addresses, isWhole: false })
}

/** So few are looked for one by one among all members of the view that was read. */
const FEW = 16

/** D of the lease that a row tells, and at least of this node's own. */
export function debtOf({ node }: MeetingHandling, row: Pick<Row, 'lease'>): number {
  const { lease: leaseMs, drift: driftFraction } = node.config.settings
  return meetingRules.debt(Math.max(leaseMs, row.lease ?? 0), driftFraction)
}

/** M3: whether all holds of this session have certainly ended. */
export function isOver(handling: MeetingHandling, session: Id): boolean {
  const { meeting, now } = handling
  const goneAt = meeting.gone[session]
  if (goneAt !== undefined && meetingRules.isGone(goneAt, meeting.viewKnownAt)) return true
  const row = meeting.seen[session]
  return row !== undefined && meetingRules.isOver(row, now, debtOf(handling, row))
}

/** A reason to change the view, but not enough to leave the session out. */
export function looksDead(handling: MeetingHandling, session: Id): boolean {
  const { meeting, node } = handling
  if (session === node.id) return false
  if (session in meeting.gone) return true
  const row = meeting.seen[session]
  return row !== undefined && (row.sealed || isOld(handling, row))
}

/** How many members before this node may live. */
export function rank(
  handling: MeetingHandling,
  isOut: (id: Id) => boolean = (id) => looksDead(handling, id),
): number {
  const { meeting, node } = handling
  const view = node.begun ?? (meeting.namedSince === null ? null : meeting.view)
  let count = 0
  if (view == null) {
    for (const id in meeting.seen) if (id < node.id && !isOut(id)) count += 1
    return count
  }
  const place = view.members.findIndex(({ id }) => id === node.id)
  for (const { id } of view.members.slice(0, Math.max(0, place))) if (!isOut(id)) count += 1
  return count
}

/** Only a recent answer counts. A node that stopped watching has seen no beats since. */
function isOld(handling: MeetingHandling, row: SeenRow): boolean {
  const { now, node } = handling
  const { since, shownAt } = row
  return now - since >= debtOf(handling, row) && now - shownAt <= node.config.settings.lease / 2
}

/** M4: seals rows that are not renewed, before anyone is frozen. Deletes rows that are over and in no view. */
function sealTheDead(handling: MeetingHandling): void {
  const { meeting, node, now } = handling
  if (now >= meeting.row.until) return
  const named = namedIn(handling)
  let next = Number.POSITIVE_INFINITY
  for (const [session, row] of Object.entries(meeting.seen)) {
    const overAt = row.since + debtOf(handling, row)
    // The kernel said that it has ended, so there is nothing to wait for.
    if (meeting.gone[session] === Number.POSITIVE_INFINITY) {
      if (!named.includes(session)) remove(handling, session, row)
    } else if (!row.sealed && isOld(handling, row)) seal(handling, session, [])
    else if (overAt > now) next = Math.min(next, overAt)
    else if (row.sealed && !named.includes(session)) remove(handling, session, row)
  }
  if (next < now + node.config.settings.lease / 10) wakeAt(handling, next)
}

/**
 * Sessions named by the view at the register, by the begun view, or by the one being changed; and those that cut this node off
 * (M9).
 */
function namedIn({ meeting, node }: MeetingHandling): Id[] {
  const rosters = [meeting.view?.members ?? [], node.begun?.members ?? [], meeting.attempt?.members ?? []]
  return [...rosters.flatMap((members) => members.map(({ id }) => id)), ...(meeting.cut?.ids ?? [])]
}

/** M4: by `cas` on the version seen, so that a newer beat is not sealed unseen. Only with a valid lease. */
export function seal(handling: MeetingHandling, session: Id, cut: readonly Id[]): void {
  const { meeting, now } = handling
  const seen = meeting.seen[session]
  if (seen === undefined || seen.sealed || now >= meeting.row.until || isAsked(meeting, 'seal', session))
    return
  const { version, since: _, shownAt: __, ...told } = seen
  const row: Row = { ...told, sealed: true, cut }
  ask(
    handling,
    { kind: 'seal', session, row },
    { do: 'cas', cell: rowOf(session), version, value: JSON.stringify(row) },
  )
}

export function onSealed(handling: MeetingHandling, session: Id, row: Row, answer: Answer): void {
  const { meeting } = handling
  const seen = meeting.seen[session]
  if (answer.kind !== 'done') return readRowOf(handling, session)
  if (seen?.beat !== row.beat) return
  meeting.seen[session] = { ...seen, ...row, version: answer.version }
  meeting.aliveUntil = handling.now
}

/** M11: a session that saw the row sealed for D may delete it, so gone means over. */
function remove(handling: MeetingHandling, session: Id, { version }: SeenRow): void {
  delete handling.meeting.seen[session]
  ask(handling, { kind: 'remove' }, { do: 'cas', cell: rowOf(session), version, value: null })
}
