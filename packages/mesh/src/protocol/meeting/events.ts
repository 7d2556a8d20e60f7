/** M1 to M14: the events of a node that meets others at a register. */
import { advanceAll, askTheRest, isSpent } from '../callers.ts'
import { dictionary } from '../dictionary.ts'
import type { Event } from '../events.ts'
import { fitting } from '../fit.ts'
import { lapse, wakeAtLapse } from '../lapse.ts'
import { isUnheard, repeatLink, repeatLinks, repeatToBeginner } from '../links.ts'
import type { Message, MessageOf } from '../messages.ts'
import type { Id } from '../record.ts'
import { putToRest } from '../resting.ts'
import { isFrozen, send } from '../state.ts'
import { onConfirmed, onDecided, onFreeze, onNo, onReport, propose, pursue } from './attempt.ts'
import type { Answer } from './cells.ts'
import { gathering, hello, joiners } from './joining.ts'
import { beginSession, leaveMeeting, onChecked, onDeleted, onRenewed, renewRow } from './row.ts'
import { type MeetingTurn, purposeOf, WATCHERS, wakeAt } from './state.ts'
import {
  lookIfStuck,
  onChange,
  onHasBegun,
  onMeetingFetch,
  onView,
  onViewRead,
  readMeetingView,
  tellOn,
} from './view.ts'
import {
  debtOf,
  doubt,
  everyone,
  isWelcome,
  listRows,
  listSooner,
  looksDead,
  onRow,
  onRows,
  onSealed,
  readRowOf,
  tellAddresses,
  watchRows,
} from './watch.ts'

export function underRegister(turn: MeetingTurn, event: Event): void {
  const { meeting, node } = turn
  if (node.left && event.kind !== 'answered') return
  switch (event.kind) {
    case 'tick':
      return tick(turn)
    case 'wake':
      askTheRest(turn)
      watchRows(turn)
      return consider(turn)
    case 'answered':
      onAnswered(turn, event.ticket, event.answer)
      // A failed call is repeated at the next tick, not as fast as a register refuses.
      return event.answer.kind === 'failed' ? undefined : consider(turn)
    case 'hint':
      return listSooner(turn)
    case 'dead':
      meeting.gone[event.session] = Number.POSITIVE_INFINITY
      tellAddresses(turn)
      return consider(turn)
    case 'session':
      beginSession(turn, event.session, event.address)
      return tick(turn)
    case 'slept':
      return distrustClock(turn)
    case 'renew':
      meeting.isWanted = true
      return consider(turn)
    case 'leave':
      return leaveMeeting(turn)
    case 'connected':
      return onConnected(turn, event.peer)
    case 'disconnected':
      return onDisconnected(turn, event.peer)
  }
}

function tick(turn: MeetingTurn): void {
  const { node, meeting } = turn
  node.ticks += 1
  arrive(turn)
  watchRows(turn)
  lookIfStuck(turn)
  if (meeting.standing === 'waiting') greet(turn)
  if (isUnheard(node) || isSpent(node)) meeting.isWanted = true
  wakeAtLapse(turn)
  tellOn(turn)
  repeatLinks(turn)
  putToRest(turn)
  consider(turn)
}

/** M9: a session that others could not hear comes back when they can hear it, or are gone. */
function arrive(turn: MeetingTurn): void {
  const { meeting, now } = turn
  if (meeting.standing === 'arriving' && meeting.cut !== null) {
    meeting.cut.ids = meeting.cut.ids.filter((id) => !(id in meeting.gone))
    if (meeting.cut.ids.length === 0 || now >= meeting.cut.until) meeting.cut = null
    else {
      listRows(turn)
      for (const id of meeting.cut.ids) send(turn, id, hello(turn, id))
      return
    }
  }
  renewRow(turn)
}

function onAnswered(turn: MeetingTurn, ticket: number, answer: Answer): void {
  const { meeting } = turn
  const purpose = purposeOf(meeting, ticket)
  if (purpose === null) return
  meeting.trouble = answer.kind === 'failed' || answer.kind === 'unknown' ? answer.why : null
  switch (purpose.kind) {
    case 'create':
    case 'renew':
      onRenewed(turn, purpose.beat, answer)
      return afterRenewal(turn, purpose.kind === 'create')
    case 'check':
      onChecked(turn, answer)
      return afterRenewal(turn, meeting.view === undefined)
    case 'view':
      onViewRead(turn, purpose.askedAt, answer)
      if (meeting.standing === 'waiting') findOthers(turn)
      return
    case 'rows':
      return onRows(turn, purpose.askedAt, answer)
    case 'row':
      return onRow(turn, purpose, answer)
    case 'seal':
      return onSealed(turn, purpose.session, purpose.row, answer)
    case 'decide':
      return onDecided(turn, purpose.nonce, answer)
    case 'confirm':
      return onConfirmed(turn, purpose.nonce, answer)
    case 'delete':
      return onDeleted(turn, answer)
  }
}

/** R5: gated callers may go in now. A row that was just made is visible to others. */
function afterRenewal(turn: MeetingTurn, isNew: boolean): void {
  const { node, meeting } = turn
  advanceAll(turn, [...node.gated])
  if (isNew && meeting.standing === 'waiting') readMeetingView(turn)
}

/** M2: a joiner asks the first members of a large view before it lists all rows. Most often they are there and take it in. */
function findOthers(turn: MeetingTurn): void {
  const { view, listedAt } = turn.meeting
  sayHelloToView(turn)
  const isLarge = view != null && view.members.length > LARGE
  if (!isLarge && listedAt === Number.NEGATIVE_INFINITY) listRows(turn)
}

export function receiveMeeting(turn: MeetingTurn, from: Id, message: Message): void {
  const { node, meeting } = turn
  // M9: a session that is over says nothing.
  if (node.left || meeting.standing === 'out') return
  switch (message.type) {
    case 'hello':
      return onHello(turn, from, message)
    case 'here':
      return onHere(turn, from)
    case 'freeze':
      return onFreeze(turn, from, message)
    case 'report':
      return onReport(turn, from, message)
    case 'no':
      return onNo(turn, message)
    case 'view':
      return onView(turn, from, message)
    case 'change':
      return onChange(turn, from, message)
    case 'has-begun':
      onHasBegun(turn, from, message)
      return repeatToBeginner(turn, from, message.epoch)
    case 'fetch':
      return onMeetingFetch(turn, from, message)
    case 'look':
      return readRowOf(turn, message.session, true)
  }
}

/** Messages sent before there was a connection are lost, so they are repeated at once. */
function onConnected(turn: MeetingTurn, peer: Id): void {
  const { meeting, node } = turn
  repeatLink(turn, peer)
  if (meeting.heard[peer] !== undefined) send(turn, peer, { type: 'here', session: node.id })
  if (meeting.attempt !== null || meeting.standing === 'waiting') send(turn, peer, hello(turn, peer))
}

/**
 * Asks the kernel, and tells the members that propose. The node that waits for the lock of an ended process need not be one of
 * them.
 */
function onDisconnected(turn: MeetingTurn, peer: Id): void {
  const { meeting, node } = turn
  const members = node.begun?.members ?? meeting.view?.members ?? []
  if (!members.some(({ id }) => id === peer)) return
  doubt(turn, peer, true)
  if (node.begun === null) return
  for (const { id } of members.slice(0, WATCHERS)) {
    if (id !== node.id && id !== peer) send(turn, id, { type: 'look', session: peer })
  }
}

function onHello(turn: MeetingTurn, from: Id, { address, waits }: MessageOf<'hello'>): void {
  const { meeting, node, now } = turn
  const waitsSince = waits ? (meeting.heard[from]?.waitsSince ?? now) : null
  const isNew = meeting.heard[from]?.address !== address
  meeting.heard[from] = { at: now, address, waitsSince }
  // Only the new address, not all: with many joiners that would be a long list each time.
  if (isNew) turn.effects.push({ kind: 'addresses', addresses: { [from]: address }, isWhole: false })
  send(turn, from, { type: 'here', session: node.id })
  if (waits) wakeAt(turn, now + gathering(turn))
  answered(turn, from)
}

function onHere(turn: MeetingTurn, from: Id): void {
  const { meeting, now } = turn
  const before = meeting.heard[from]
  meeting.heard[from] = { at: now, address: before?.address ?? '', waitsSince: before?.waitsSince ?? null }
  if (meeting.cut !== null) meeting.cut.ids = meeting.cut.ids.filter((id) => id !== from)
  // The peer then knows that it was heard, because the next hello says so.
  if (meeting.standing === 'waiting' && before === undefined) send(turn, from, hello(turn, from))
  answered(turn, from)
}

function answered(turn: MeetingTurn, from: Id): void {
  const { attempt } = turn.meeting
  if (attempt !== null) attempt.answered[from] = true
  consider(turn)
}

/** How many living members a joiner greets: the first ones. */
const GREETED = 3
const LARGE = 10

/** On the tick. A joiner that had an answer repeats itself less often. With very many joiners, members would only answer. */
function greet(turn: MeetingTurn): void {
  if (!isWelcome(turn) || turn.node.ticks % GREETED === 0) sayHelloToView(turn)
}

function sayHelloToView(turn: MeetingTurn): void {
  const { meeting, node } = turn
  const there = (meeting.view?.members ?? []).filter(({ id }) => id !== node.id && !looksDead(turn, id))
  for (const { id } of there.slice(0, GREETED)) send(turn, id, hello(turn, id))
}

/** M5: whether there is a reason to change the view, and whether it is this node's turn. */
function consider(turn: MeetingTurn): void {
  const { meeting, node, now } = turn
  const { standing, attempt } = meeting
  if (standing === 'out' || standing === 'arriving') return
  if (attempt !== null) return pursue(turn)
  if (!isReason(turn)) {
    meeting.reasonSince = null
    return
  }
  meeting.reasonSince ??= now
  const due = Math.max(meeting.notBefore, meeting.reasonSince + (rank(turn) * node.config.settings.lease) / 2)
  if (now < due) return wakeAt(turn, due)
  propose(turn)
  pursue(turn)
}

/** How many members before this node may live. */
function rank(turn: MeetingTurn): number {
  const { meeting, node } = turn
  const view = node.begun ?? (meeting.namedSince === null ? null : meeting.view)
  const order = view?.members ?? everyone(turn)
  const before = order.slice(
    0,
    Math.max(
      0,
      order.findIndex(({ id }) => id === node.id),
    ),
  )
  return before.filter(({ id }) => !looksDead(turn, id)).length
}

function isReason(turn: MeetingTurn): boolean {
  const { meeting, node } = turn
  if (meeting.standing === 'waiting') return isReasonToJoin(turn)
  if (isFrozen(node)) return isAbandoned(turn)
  if (hasDead(turn)) return true
  return !isTelling(turn) && (meeting.isWanted || meeting.view === null || hasJoiner(turn))
}

/**
 * M8: whether the view that this node decided has not begun everywhere. A member that is frozen for the next view cannot begin it
 * any more, so the next one waits. It waits for at most T: otherwise steady joiners could delay it for ever.
 */
function isTelling(turn: MeetingTurn): boolean {
  const { meeting, node, now } = turn
  if (meeting.telling === null || now - meeting.begunAt >= node.config.settings.lease) return false
  return Object.keys(meeting.telling.left).some((id) => !looksDead(turn, id))
}

/**
 * Considers only rows that were seen. Every event asks this, and there may be very many rows. Before `aliveUntil` none of them
 * can look dead.
 */
function hasDead(turn: MeetingTurn): boolean {
  const { meeting, node, now } = turn
  const isMember = (session: Id) => node.begun?.members.some(({ id }) => id === session) ?? false
  for (const id in meeting.gone) if (isMember(id)) return true
  if (now < meeting.aliveUntil) return false
  let until = Number.POSITIVE_INFINITY
  for (const [id, { since }] of Object.entries(meeting.seen)) {
    const isDead = looksDead(turn, id)
    if (isDead && isMember(id)) return true
    const oldAt = since + debtOf(turn)
    if (isDead) until = now
    // An old row that was not shown lately looks dead when it is shown again.
    else if (oldAt > now) until = Math.min(until, oldAt)
  }
  meeting.aliveUntil = until
  return false
}

/** Joiners that come within a tenth of T come together (`gathering`). A joiner without a place waits and causes no change. */
function hasJoiner(turn: MeetingTurn): boolean {
  const { meeting, node, now } = turn
  const { settings, members } = node.begun ?? { settings: node.config.settings, members: [] }
  const waiting = joiners(turn)
  if (!waiting.some((id) => now - (meeting.heard[id]?.waitsSince ?? now) >= gathering(turn))) return false
  const ids = members.map(({ id }) => id)
  return (fitting(settings, ids, waiting)?.length ?? 0) > ids.length
}

/** M10, M12: there is no view, or it names this session and no member has begun it, or none of its members lives. */
function isReasonToJoin(turn: MeetingTurn): boolean {
  const { meeting, node, now } = turn
  const { view, listedAt } = meeting
  if (view === undefined || listedAt === Number.NEGATIVE_INFINITY) return false
  if (view === null) return !isFrozen(node) || node.durable.promised.epoch === 0 || isAbandoned(turn)
  if (meeting.namedSince !== null) {
    const { lease } = node.config.settings
    // A large view takes some time to arrive from a member that is there.
    return now - meeting.namedSince >= (isWelcome(turn) ? lease : lease / 4)
  }
  return view.members.every(({ id }) => looksDead(turn, id))
}

/** M10: the node is frozen for a change, but has heard nothing of it for T/2, or the proposer has died. */
function isAbandoned(turn: MeetingTurn): boolean {
  const { meeting, node, now } = turn
  if (now - meeting.heardOfChangeAt >= node.config.settings.lease / 2) return true
  return meeting.frozenBy !== null && looksDead(turn, meeting.frozenBy)
}

/** If the clock stood still, leases seem to run that are over elsewhere. If it jumped, running leases seem over. */
function distrustClock(turn: MeetingTurn): void {
  const { meeting, node, now } = turn
  meeting.row.sent = {}
  meeting.row.until = Number.NEGATIVE_INFINITY
  node.deadline = Number.NEGATIVE_INFINITY
  for (const [id, row] of Object.entries(meeting.seen)) meeting.seen[id] = { ...row, since: now }
  meeting.aliveUntil = now
  meeting.heard = dictionary()
  lapse(turn)
}
