/**
 * M5 and M6: a change of view, from reading the old one to the last report. The proposer asks all members for a sign of life
 * before it freezes any. It seals the row of a member that gives none. The lease of that member then runs out while the others go
 * on.
 */
import { dictionary } from '../dictionary.ts'
import { LAST_EPOCH } from '../fence.ts'
import type { MessageOf } from '../messages.ts'
import type { Id } from '../record.ts'
import { send } from '../state.ts'
import type { Attendant } from './cells.ts'
import { confirm, decide } from './deciding.ts'
import { endAttempt, sayThaw } from './giving-up.ts'
import { hello, joiners } from './joining.ts'
import { meetingRules } from './meeting-rules.ts'
import { type Attempt, isAsked, type MeetingHandling, wakeAt } from './meeting-state.ts'
import { everyone, isOver, listRows, looksDead, readMeetingView, readRowOf, seal } from './watch.ts'

/** As a share of T: how long a member may take to answer with a sign of life, or with its report. */
const SILENCE = 0.35
/**
 * The same where there is no view. Nobody waits for a lock then, and many sessions may have come at once. Those that are slow are
 * not ended, because they would come again, as further sessions.
 */
const SILENCE_AT_FIRST = 1.5

export function propose(handling: MeetingHandling): void {
  const { meeting, now } = handling
  meeting.attempts += 1
  meeting.reasonSince = null
  meeting.isWanted = false
  meeting.attempt = {
    stage: 'reading',
    started: now,
    since: now,
    heardAt: now,
    hasRead: false,
    before: null,
    members: [],
    answered: dictionary(),
    saidAt: handling.node.ticks,
    pause: 1,
    epoch: 0,
    floor: 0,
    awaited: null,
    late: dictionary(),
    rounds: 0,
    roundTrip: 0,
    reports: dictionary(),
    completeAt: null,
    record: null,
    value: '',
    isUnsure: false,
  }
  readMeetingView(handling)
  if (meeting.view !== null) listRows(handling)
}

/**
 * Repeats messages at the next tick, then less and less often, and not while answers come. Members that are slow because there are
 * very many of them are not helped by more questions.
 */
function isToRepeat({ node, now }: MeetingHandling, attempt: Attempt): boolean {
  if (node.ticks - attempt.saidAt < attempt.pause) return false
  if (now - attempt.heardAt < Math.max(attempt.roundTrip, node.config.settings.lease / 10)) return false
  attempt.saidAt = node.ticks
  attempt.pause = Math.min(2 * attempt.pause, LONGEST_PAUSE)
  return true
}

/** In ticks. */
const LONGEST_PAUSE = 4

/** Each stage starts its repetitions anew. */
function beginStage({ node, now }: MeetingHandling, attempt: Attempt, stage: Attempt['stage']): void {
  attempt.stage = stage
  attempt.since = now
  attempt.heardAt = now
  attempt.saidAt = node.ticks
  attempt.pause = 1
  attempt.awaited = null
}

/**
 * Whether one of the members is still silent that were silent when all were last looked at. To look at all members whenever one of
 * them answers would take a time that grows with the square of their number.
 */
function isStillAwaited(
  handling: MeetingHandling,
  { awaited }: Attempt,
  isSilent: (id: Id) => boolean,
): boolean {
  const { node, now } = handling
  if (awaited === null || awaited.ticks !== node.ticks || now >= awaited.until) return false
  const { ids, until } = awaited
  for (let last = ids.at(-1); last !== undefined && !isSilent(last); last = ids.at(-1)) ids.pop()
  if (ids.length === 0) return false
  wakeAt(handling, until)
  return true
}

function waitFor(
  handling: MeetingHandling,
  attempt: Attempt,
  silent: readonly Attendant[],
  until: number,
): void {
  attempt.awaited = { ids: silent.map(({ id }) => id), ticks: handling.node.ticks, until }
  wakeAt(handling, until)
}

/** On the tick, and when something was heard. */
export function pursue(handling: MeetingHandling): void {
  const { meeting, node, now } = handling
  const { attempt } = meeting
  if (attempt === null) return
  const { lease: leaseMs } = node.config.settings
  if (now - attempt.started > MOST_LEASES * leaseMs) return endAttempt(handling)
  switch (attempt.stage) {
    case 'reading':
      return begin(handling, attempt)
    case 'probing':
      return probe(handling, attempt)
    case 'freezing':
      return gather(handling, attempt)
    case 'deciding':
      if (!isAsked(meeting, 'decide') && !isAsked(meeting, 'confirm')) confirm(handling, attempt)
  }
}

/** Longer than it takes to seal a row and to wait for the end of its lease. */
const MOST_LEASES = 4

/**
 * Starts probing when the view was read, and the list of rows is younger than the attempt. M12: without a view the rows are the
 * members. So they are listed after the read that found no view, or a row made in between would be missed.
 */
function begin(handling: MeetingHandling, attempt: Attempt): void {
  const { meeting } = handling
  // The version that this attempt replaces is the one after it is outdated (M6).
  if (isAsked(meeting, 'view') || isAsked(meeting, 'outdate')) return
  if (!attempt.hasRead || meeting.view === undefined) {
    if (handling.node.ticks > attempt.saidAt) readMeetingView(handling)
    attempt.saidAt = handling.node.ticks
    return
  }
  const isListed =
    meeting.view === null ? meeting.listedFrom >= meeting.viewKnownAt : meeting.listedAt >= attempt.started
  if (!isListed) return listRows(handling)
  attempt.before = meeting.view
  // M12: without a view, every session with a row must have reported or be over.
  attempt.members = meeting.view?.members ?? everyone(handling)
  beginStage(handling, attempt, 'probing')
  askAfter(handling, attempt)
  // M10: no member lives to take the other joiners in.
  if (meeting.standing === 'waiting' && meeting.view !== null)
    sayHello(handling, { ...attempt, members: everyone(handling), answered: meeting.heard })
  probe(handling, attempt)
}

/** The members that are asked, and those that have answered. */
interface Asking extends Pick<Attempt, 'members' | 'before'> {
  readonly answered: Readonly<Record<Id, unknown>>
}

/** Asks all members for a sign of life. If a member's row was not seen, it is read now, after the view was known (M3). */
function askAfter(handling: MeetingHandling, attempt: Asking): void {
  for (const { id } of attempt.members) {
    if (id !== handling.node.id && handling.meeting.seen[id] === undefined && !isOver(handling, id))
      readRowOf(handling, id)
  }
  sayHello(handling, attempt)
}

/** M3: a silent member may have left in good order, and then its row is gone. Otherwise the kernel may know that it has ended. */
function lookAfter(handling: MeetingHandling, silent: readonly Attendant[]): void {
  for (const { id } of silent) if (id !== handling.node.id) readRowOf(handling, id)
}

function sayHello(handling: MeetingHandling, { members, answered }: Asking): void {
  for (const { id } of members) {
    if (id !== handling.node.id && !(id in answered)) send(handling, id, hello(handling, id))
  }
}

/**
 * M4: freezes when all members have answered or are over. A member whose row looks dead is awaited even if it answers. Taking it
 * in again would change nothing, and would be the reason for the next attempt.
 */
function probe(handling: MeetingHandling, attempt: Attempt): void {
  const isAwaited = (id: Id) => !isThere(handling, attempt, id) || looksDead(handling, id)
  const isSilent = (id: Id) => isAwaited(id) && !isOver(handling, id)
  if (isStillAwaited(handling, attempt, isSilent)) return
  const silent = attempt.members.filter(({ id }) => isSilent(id))
  if (silent.length === 0)
    return isStale(handling, attempt) ? askAgain(handling, attempt) : freeze(handling, attempt)
  if (isToRepeat(handling, attempt)) {
    askAfter(handling, attempt)
    lookAfter(handling, silent)
  }
  const due = attempt.heardAt + patienceOf(handling, attempt)
  if (handling.now < due) waitFor(handling, attempt, silent, due)
  else endSilent(handling, attempt, silent)
}

/** How long all members that are asked may be silent. */
function patienceOf({ node }: MeetingHandling, { before }: Asking): number {
  return (before === null ? SILENCE_AT_FIRST : SILENCE) * node.config.settings.lease
}

/** While a lease ran out, other members may have died. Those that are slow to answer are not asked over and over. */
function isStale({ node, now }: MeetingHandling, { heardAt, rounds }: Attempt): boolean {
  return rounds < MOST_ROUNDS && now - heardAt > node.config.settings.lease / 4
}

const MOST_ROUNDS = 3

function askAgain(handling: MeetingHandling, attempt: Attempt): void {
  attempt.rounds += 1
  attempt.answered = dictionary()
  beginStage(handling, attempt, 'probing')
  const left = attempt.members.filter(({ id }) => !isOver(handling, id))
  askAfter(handling, { ...attempt, members: left })
  if (left.every(({ id }) => id === handling.node.id)) freeze(handling, attempt)
}

function isThere({ node }: MeetingHandling, { answered }: Asking, id: Id): boolean {
  return id === node.id || id in answered
}

/** M4: seals a silent member even though it renews, if most members hear this node. Its lease then runs out. */
function endSilent(handling: MeetingHandling, attempt: Asking, silent: readonly Attendant[]): void {
  const { node, now, meeting } = handling
  for (const { id } of silent) {
    const heardAt = meeting.heard[id]?.at ?? Number.NEGATIVE_INFINITY
    if (now < heardAt + patienceOf(handling, attempt)) continue
    if (meeting.seen[id]?.sealed || looksDead(handling, id)) continue
    if (!isHeardByMost(handling, attempt)) return endAttempt(handling)
    seal(handling, id, [node.id])
  }
}

/** M4: more than half of the members with living rows, this node included; or half, if this node is the first of them. */
function isHeardByMost(handling: MeetingHandling, attempt: Asking): boolean {
  const living = attempt.members.filter(({ id }) => id === handling.node.id || !looksDead(handling, id))
  const there = living.filter(({ id }) => isThere(handling, attempt, id)).length
  if (2 * there > living.length) return true
  return 2 * there === living.length && living[0]?.id === handling.node.id
}

/** M6 */
function freeze(handling: MeetingHandling, attempt: Attempt): void {
  const { node, meeting } = handling
  const { before } = attempt
  const least = Math.max(
    meetingRules.leastEpoch(secondsNow(handling)),
    meetingRules.untried(meeting.tried),
    attempt.floor,
  )
  const epoch = Math.max((before?.epoch ?? 0) + 1, node.durable.promised.epoch, least)
  if (epoch > LAST_EPOCH) return endAttempt(handling)
  meeting.tried = epoch
  attempt.epoch = epoch
  beginStage(handling, attempt, 'freezing')
  attempt.reports = dictionary()
  attempt.completeAt = null
  sayFreeze(handling, attempt)
}

/** M12: time rises, so fences rise even if an operator deletes the view or restores an old one. */
function secondsNow({ meeting, node, now }: MeetingHandling): number {
  return Math.floor(meeting.seconds + (now - node.started) / 1000)
}

function sayFreeze(handling: MeetingHandling, { epoch, members, reports, before }: Attempt): void {
  const { node } = handling
  // One message for all of them, so that it is encoded once.
  const freeze = { type: 'freeze', epoch, ...(before !== null && { version: before.version }) } as const
  const asked = [...members.map(({ id }) => id), ...joiners(handling)]
  for (const id of new Set([node.id, ...asked])) {
    if (reports[id] === undefined && (id === node.id || !isOver(handling, id))) send(handling, id, freeze)
  }
}

export function onNo(handling: MeetingHandling, { epoch, above }: MessageOf<'no'>): void {
  const { attempt } = handling.meeting
  if (attempt?.stage !== 'freezing' || attempt.epoch !== epoch || above <= epoch) return
  // A member may have begun a later view. So the view is read again before anyone is frozen for a higher epoch.
  attempt.floor = Math.min(above, LAST_EPOCH)
  readAgain(handling, attempt)
}

/** The attempt starts again with the view that is at the register now. */
export function readAgain(handling: MeetingHandling, attempt: Attempt): void {
  sayThaw(handling, attempt)
  beginStage(handling, attempt, 'reading')
  attempt.hasRead = false
  handling.meeting.view = undefined
  readMeetingView(handling)
}

export function onReport(handling: MeetingHandling, from: Id, message: MessageOf<'report'>): void {
  const { attempt } = handling.meeting
  if (attempt?.stage !== 'freezing' || !meetingRules.counts(message.epoch, attempt.epoch)) return
  const { type: _, epoch: __, session: ___, ...report } = message
  if (attempt.reports[from] === undefined) attempt.heardAt = handling.now
  attempt.reports[from] = report
  gather(handling, attempt)
}

/** M7: decides when every member has reported or is over. */
function gather(handling: MeetingHandling, attempt: Attempt): void {
  const { members, reports, heardAt } = attempt
  const isSilent = (id: Id) => reports[id] === undefined && !isOver(handling, id)
  if (isStillAwaited(handling, attempt, isSilent)) return
  const silent = members.filter(({ id }) => isSilent(id))
  if (silent.length === 0) return decide(handling, attempt)
  if (isToRepeat(handling, attempt)) {
    sayFreeze(handling, attempt)
    sayHello(handling, { ...attempt, answered: dictionary(), members: silent })
    lookAfter(handling, silent)
  }
  const { lease: leaseMs } = handling.node.config.settings
  const most = patienceOf(handling, attempt)
  const usual = Math.max(leaseMs / 20, 3 * attempt.roundTrip)
  const times = Math.max(...silent.map(({ id }) => attempt.late[id] ?? 0))
  const patience = Math.min(most, usual * 2 ** times)
  if (handling.now < heardAt + patience) return waitFor(handling, attempt, silent, heardAt + patience)
  if (patience === most) endSilent(handling, { ...attempt, answered: reports }, silent)
  if (handling.meeting.attempt === attempt) retreat(handling, attempt, silent)
}

/**
 * M6: a member that answered has not reported. Nobody stays frozen for its sake: the others thaw, and this member has to answer
 * again before anyone is frozen. If it is dead, its lease runs out meanwhile. If it is slow, it gets more time with each attempt.
 */
function retreat(handling: MeetingHandling, attempt: Attempt, silent: readonly Attendant[]): void {
  sayThaw(handling, attempt)
  for (const { id } of silent) {
    delete attempt.answered[id]
    attempt.late[id] = (attempt.late[id] ?? 0) + 1
  }
  beginStage(handling, attempt, 'probing')
  askAfter(handling, { ...attempt, members: silent })
  lookAfter(handling, silent)
}

/** The connection to a member has ended that has not reported: most often it was killed. */
export function retreatFrom(handling: MeetingHandling, peer: Id): void {
  const { attempt } = handling.meeting
  if (attempt?.stage !== 'freezing' || attempt.reports[peer] !== undefined) return
  const lost = attempt.members.filter(({ id }) => id === peer && !isOver(handling, id))
  if (lost.length > 0) retreat(handling, attempt, lost)
}
