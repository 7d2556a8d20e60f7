/** M1 to M14: the events of a node that meets others at a register. */
import { advanceAll, askTheRest, isSpent } from '../callers.ts'
import { dictionary } from '../dictionary.ts'
import type { Event } from '../events.ts'
import { fitting } from '../fit.ts'
import { lapse, wakeAtLapse } from '../lapse.ts'
import { isUnheard, repeatLink, repeatLinks, repeatToBeginner } from '../links.ts'
import { memberOf } from '../membership.ts'
import type { Message, MessageOf } from '../messages.ts'
import type { Id } from '../record.ts'
import { putToRest } from '../resting.ts'
import { isFrozen, send } from '../state.ts'
import { onNo, onReport, propose, pursue, retreatFrom } from './attempt.ts'
import type { Answer } from './cells.ts'
import { onConfirmed, onDecided } from './deciding.ts'
import { callOn, findOthers, greet, sayHelloToView } from './finding-others.ts'
import { onFreeze, onThaw } from './freezing.ts'
import { gathering, hello, isDeserted, joiners } from './joining.ts'
import { type MeetingHandling, purposeOf, WATCHERS, wakeAt } from './meeting-state.ts'
import {
  loseProposer,
  onOutdated,
  onOutdatedVersion,
  onViewShown,
  outdateLost,
  tellOutdated,
} from './outdating.ts'
import {
  beginSession,
  goOut,
  isReliedOn,
  leaveMeeting,
  onChecked,
  onDeleted,
  onRenewed,
  renewRow,
} from './row.ts'
import {
  judgeUnlike,
  lookIfStuck,
  onChange,
  onDraft,
  onHasBegun,
  onMeetingFetch,
  onView,
  onViewRead,
  tellOn,
  tellOne,
} from './view.ts'
import {
  debtOf,
  isWelcome,
  listRows,
  listSooner,
  looksDead,
  onRow,
  onRows,
  onSealed,
  rank,
  readMeetingView,
  readRowOf,
  tellChanged,
  watchRows,
} from './watch.ts'

export function underRegister(handling: MeetingHandling, event: Event): void {
  const { meeting, node } = handling
  if (node.left && event.kind !== 'answered') return
  switch (event.kind) {
    case 'tick':
      return tick(handling)
    case 'wake':
      askTheRest(handling)
      watchRows(handling)
      lookIfStuck(handling)
      return consider(handling)
    case 'answered':
      onAnswered(handling, event.ticket, event.answer)
      // A failed call is repeated at the next tick, not as fast as a register refuses.
      return event.answer.kind === 'failed' ? undefined : consider(handling)
    case 'hint':
      return listSooner(handling)
    case 'dead':
      meeting.gone[event.session] = Number.POSITIVE_INFINITY
      tellChanged(handling, new Set([event.session]))
      return consider(handling)
    case 'session':
      beginSession(handling, event.session, event.address)
      return tick(handling)
    case 'slept':
      return distrustClock(handling)
    case 'renew':
      meeting.isWanted = true
      return consider(handling)
    case 'leave':
      return leaveMeeting(handling)
    case 'connected':
      return onConnected(handling, event.peer)
    case 'disconnected':
      return onDisconnected(handling, event.peer)
  }
}

function tick(handling: MeetingHandling): void {
  const { node, meeting } = handling
  node.ticks += 1
  arrive(handling)
  watchRows(handling)
  lookIfStuck(handling)
  judgeUnlike(handling)
  if (meeting.standing === 'waiting') greet(handling)
  if (isUnheard(node) || isSpent(node)) meeting.isWanted = true
  wakeAtLapse(handling)
  tellOn(handling)
  repeatLinks(handling)
  putToRest(handling)
  consider(handling)
}

/** M9: a session that others could not hear comes back when they can hear it, or are gone. */
function arrive(handling: MeetingHandling): void {
  const { meeting, now } = handling
  if (meeting.standing === 'arriving' && meeting.cut !== null) {
    meeting.cut.ids = meeting.cut.ids.filter((id) => !(id in meeting.gone))
    if (meeting.cut.ids.length === 0 || now >= meeting.cut.until) meeting.cut = null
    else {
      listRows(handling)
      for (const id of meeting.cut.ids) send(handling, id, hello(handling, id))
      return
    }
  }
  renewRow(handling)
}

/** An engine in which this role may not write still answers what is read. */
function judgeTrouble(meeting: MeetingHandling['meeting'], answer: Answer): void {
  if (answer.kind === 'unknown') meeting.isUnwritten = true
  else if (answer.kind === 'done' || answer.kind === 'refused') meeting.isUnwritten = false
  if (answer.kind === 'failed' || answer.kind === 'unknown') meeting.trouble = answer.why
  else if (!meeting.isUnwritten) meeting.trouble = null
}

function onAnswered(handling: MeetingHandling, ticket: number, answer: Answer): void {
  const { meeting } = handling
  const purpose = purposeOf(meeting, ticket)
  if (purpose === null) return
  judgeTrouble(meeting, answer)
  switch (purpose.kind) {
    case 'create':
    case 'renew':
      onRenewed(handling, purpose.beat, answer)
      return afterRenewal(handling, purpose.kind === 'create')
    case 'check':
      onChecked(handling, answer)
      return afterRenewal(handling, meeting.view === undefined)
    case 'view':
      onViewRead(handling, purpose.askedAt, answer)
      onViewShown(handling, ticket, answer)
      if (meeting.standing !== 'waiting') return
      findOthers(handling)
      return lookIfStuck(handling)
    case 'rows':
      return onRows(handling, purpose.askedAt, answer)
    case 'row':
      return onRow(handling, purpose, answer)
    case 'seal':
      return onSealed(handling, purpose.session, purpose.row, answer)
    case 'decide':
      return onDecided(handling, purpose.nonce, answer)
    case 'confirm':
      return onConfirmed(handling, purpose.nonce, answer)
    case 'outdate':
      return onOutdated(handling, purpose, answer)
    case 'delete':
      return onDeleted(handling, answer)
  }
}

/** R5: gated callers may go in now. A row that was just made is visible to others. */
function afterRenewal(handling: MeetingHandling, isNew: boolean): void {
  const { node, meeting } = handling
  advanceAll(handling, [...node.gated])
  if (isNew && meeting.standing === 'waiting') readMeetingView(handling)
}

export function receiveMeeting(handling: MeetingHandling, from: Id, message: Message): void {
  const { node, meeting } = handling
  // M9: a session that is over says nothing.
  if (node.left || meeting.standing === 'out') return
  switch (message.type) {
    case 'hello':
      return onHello(handling, from, message)
    case 'here':
      return onHere(handling, from)
    case 'freeze':
      return onFreeze(handling, from, message)
    case 'thaw':
      return onThaw(handling, from, message)
    case 'outdated':
      return onOutdatedVersion(handling, message)
    case 'report':
      return onReport(handling, from, message)
    case 'no':
      return onNo(handling, message)
    case 'view':
      return onView(handling, from, message)
    case 'draft':
      return onDraft(handling, message)
    case 'change':
      return onChange(handling, from, message)
    case 'has-begun':
      onHasBegun(handling, from, message)
      return repeatToBeginner(handling, from, message.epoch)
    case 'fetch':
      return onMeetingFetch(handling, from, message)
    case 'look':
      return readRowOf(handling, message.session, true)
  }
}

/** Messages sent before there was a connection are lost, so they are repeated at once. */
function onConnected(handling: MeetingHandling, peer: Id): void {
  const { meeting, node } = handling
  repeatLink(handling, peer)
  tellOutdated(handling, peer)
  tellOne(handling, peer)
  if (meeting.heard[peer] !== undefined) send(handling, peer, { type: 'here', session: node.id })
  if (meeting.standing === 'waiting') callOn(handling, peer)
  else if (meeting.attempt !== null) send(handling, peer, hello(handling, peer))
}

/**
 * Asks the kernel, and tells the members that propose. The node that waits for the lock of an ended process need not be one of
 * them.
 */
function onDisconnected(handling: MeetingHandling, peer: Id): void {
  const { meeting, node } = handling
  // A joiner that lives says hello again.
  delete meeting.heard[peer]
  retreatFrom(handling, peer)
  loseProposer(handling, peer)
  const members = node.begun?.members ?? meeting.view?.members ?? []
  if (!members.some(({ id }) => id === peer) && !(peer in meeting.seen)) return
  // A member that left in good order has deleted its row. Of one that has not, the kernel may know more.
  readRowOf(handling, peer, true)
  if (node.begun === null) return
  for (const { id } of members.slice(0, WATCHERS)) {
    if (id !== node.id && id !== peer) send(handling, id, { type: 'look', session: peer })
  }
}

function onHello(handling: MeetingHandling, from: Id, { address, waits }: MessageOf<'hello'>): void {
  const { meeting, node, now } = handling
  const waitsSince = waits ? (meeting.heard[from]?.waitsSince ?? now) : null
  const isNew = meeting.heard[from]?.address !== address
  meeting.heard[from] = { at: now, address, waitsSince }
  // Only the new address, not all: with many joiners that would be a long list each time.
  if (isNew) handling.effects.push({ kind: 'addresses', addresses: { [from]: address }, isWhole: false })
  send(handling, from, { type: 'here', session: node.id })
  if (waits) wakeAt(handling, now + gathering(handling))
  answered(handling, from)
}

function onHere(handling: MeetingHandling, from: Id): void {
  const { meeting, now } = handling
  const before = meeting.heard[from]
  meeting.heard[from] = { at: now, address: before?.address ?? '', waitsSince: before?.waitsSince ?? null }
  if (meeting.cut !== null) meeting.cut.ids = meeting.cut.ids.filter((id) => id !== from)
  // The peer then knows that it was heard, because the next hello says so.
  if (meeting.standing === 'waiting' && before === undefined) send(handling, from, hello(handling, from))
  answered(handling, from)
}

function answered(handling: MeetingHandling, from: Id): void {
  const { attempt } = handling.meeting
  if (attempt !== null && !(from in attempt.answered)) {
    attempt.answered[from] = true
    if (attempt.stage === 'probing' && attempt.members.some(({ id }) => id === from)) {
      attempt.roundTrip = handling.now - attempt.since
      attempt.heardAt = handling.now
    }
  }
  consider(handling)
}

/** M5: whether there is a reason to change the view, and whether it is this node's turn. */
function consider(handling: MeetingHandling): void {
  const { meeting, node, now } = handling
  const { standing, attempt } = meeting
  if (standing === 'out' || standing === 'arriving') return
  outdateLost(handling)
  if (attempt !== null) return pursue(handling)
  if (!isReason(handling)) {
    meeting.reasonSince = null
    return
  }
  if (meeting.reasonSince === null) {
    meeting.reasonSince = now
    if (standing === 'waiting' && meeting.view !== null) sayHelloToView(handling)
  }
  const due = Math.max(
    meeting.notBefore,
    meeting.reasonSince + (rank(handling) * node.config.settings.lease) / 2,
  )
  if (now < due) return wakeAt(handling, due)
  propose(handling)
  pursue(handling)
}

function isReason(handling: MeetingHandling): boolean {
  const { meeting, node } = handling
  if (meeting.standing === 'waiting') return isReasonToJoin(handling)
  if (isFrozen(node)) return isAbandoned(handling)
  if (hasDead(handling)) return true
  return !isTelling(handling) && (meeting.isWanted || meeting.view === null || hasJoiner(handling))
}

/**
 * M8: whether the view that this node decided has not begun everywhere. A member that is frozen for the next view cannot begin it
 * any more, so the next one waits. It waits for at most T: otherwise steady joiners could delay it for ever.
 */
function isTelling(handling: MeetingHandling): boolean {
  const { meeting, node, now } = handling
  if (meeting.telling === null || now - meeting.begunAt >= node.config.settings.lease) return false
  return Object.keys(meeting.telling.left).some((id) => !looksDead(handling, id))
}

/**
 * Considers only rows that were seen. Every event asks this, and there may be very many rows. Before `aliveUntil` none of them
 * can look dead.
 */
function hasDead(handling: MeetingHandling): boolean {
  const { meeting, node, now } = handling
  for (const id in meeting.gone) if (memberOf(node, id) !== undefined) return true
  if (now < meeting.aliveUntil) return false
  let until = Number.POSITIVE_INFINITY
  for (const [id, row] of Object.entries(meeting.seen)) {
    const isDead = looksDead(handling, id)
    if (isDead && memberOf(node, id) !== undefined) return true
    const oldAt = row.since + debtOf(handling, row)
    if (isDead) until = now
    // An old row that was not shown lately looks dead when it is shown again.
    else if (oldAt > now) until = Math.min(until, oldAt)
  }
  meeting.aliveUntil = until
  return false
}

/** Joiners that come within a tenth of T come together (`gathering`). A joiner without a place waits and causes no change. */
function hasJoiner(handling: MeetingHandling): boolean {
  const { meeting, node, now } = handling
  const { settings, members } = node.begun ?? { settings: node.config.settings, members: [] }
  const waiting = joiners(handling)
  if (!waiting.some((id) => now - (meeting.heard[id]?.waitsSince ?? now) >= gathering(handling))) return false
  const ids = members.map(({ id }) => id)
  return (fitting(settings, ids, waiting)?.length ?? 0) > ids.length
}

/** M10, M12: there is no view, or it names this session and no member has begun it, or none of its members lives. */
function isReasonToJoin(handling: MeetingHandling): boolean {
  const { meeting, node, now } = handling
  const { view, listedAt } = meeting
  if (view === undefined || listedAt === Number.NEGATIVE_INFINITY) return false
  if (view === null) return !isFrozen(node) || node.durable.promised.epoch === 0 || isAbandoned(handling)
  if (meeting.unlikeSince !== null) return isDeserted(meeting)
  if (meeting.namedSince !== null) {
    const { lease: leaseMs } = node.config.settings
    // A large view takes some time to arrive from a member that is there.
    return now - meeting.namedSince >= (isWelcome(handling) ? leaseMs : leaseMs / 4)
  }
  return view.members.every(({ id }) => looksDead(handling, id))
}

/** M10: the node is frozen for a change, but has heard nothing of it for T/2, or the proposer has died. */
function isAbandoned(handling: MeetingHandling): boolean {
  const { meeting, node, now } = handling
  if (now - meeting.heardOfChangeAt >= node.config.settings.lease / 2) return true
  return meeting.frozenBy !== null && looksDead(handling, meeting.frozenBy)
}

/** If the clock stood still, leases seem to run that are over elsewhere. If it jumped, running leases seem over. */
function distrustClock(handling: MeetingHandling): void {
  const { meeting, node, now } = handling
  // M9: clients on other machines know nothing of it. What they hold must not be handed on yet.
  if (isReliedOn(handling)) goOut(handling, 'its clock jumped')
  meeting.row.sent = {}
  meeting.row.until = Number.NEGATIVE_INFINITY
  node.deadline = Number.NEGATIVE_INFINITY
  for (const [id, row] of Object.entries(meeting.seen)) meeting.seen[id] = { ...row, since: now }
  meeting.aliveUntil = now
  meeting.heard = dictionary()
  lapse(handling)
}
