/**
 * M5 to M7: a change of view, from reading the old one to writing the new one. The proposer asks all members for a sign of life
 * before it freezes any. It seals the row of a member that gives none. The lease of that member then runs out while the others go
 * on.
 */
import { randomStream } from '@turnwise/core/random'
import { claimsOf } from '../claims.ts'
import { dictionary } from '../dictionary.ts'
import { LAST_EPOCH } from '../fence.ts'
import { fitting } from '../fit.ts'
import type { MessageOf } from '../messages.ts'
import type { Holder, Id, Settings, ViewRecord } from '../record.ts'
import { send } from '../state.ts'
import { type Answer, type Attendant, readView, type Version, VIEW, type View } from './cells.ts'
import { gathering, hello, joiners } from './joining.ts'
import { meetingRules } from './rules.ts'
import { type Attempt, ask, isAsked, type MeetingTurn, wakeAt } from './state.ts'
import { announce, readMeetingView, viewFrom } from './view.ts'
import { everyone, isOver, listRows, looksDead, readRowOf, seal } from './watch.ts'

/** As a share of T: how long a member may take to answer with a sign of life, or with its report. */
const SILENCE = 0.35

export function propose(turn: MeetingTurn): void {
  const { meeting, now } = turn
  meeting.attempts += 1
  meeting.reasonSince = null
  meeting.isWanted = false
  meeting.attempt = {
    stage: 'reading',
    started: now,
    since: now,
    hasRead: false,
    before: null,
    members: [],
    answered: dictionary(),
    saidAt: turn.node.ticks,
    pause: 1,
    epoch: 0,
    floor: 0,
    reports: dictionary(),
    completeAt: null,
    record: null,
    value: '',
    isUnsure: false,
  }
  readMeetingView(turn)
  if (meeting.view !== null) listRows(turn)
}

/**
 * Repeats messages at the next tick, then less and less often. Members that are slow because there are very many of them are not
 * helped by more questions.
 */
function isToRepeat({ node }: MeetingTurn, attempt: Attempt): boolean {
  if (node.ticks - attempt.saidAt < attempt.pause) return false
  attempt.saidAt = node.ticks
  attempt.pause = Math.min(2 * attempt.pause, LONGEST_PAUSE)
  return true
}

/** In ticks. */
const LONGEST_PAUSE = 4

/** Each stage starts its repetitions anew. */
function beginStage({ node, now }: MeetingTurn, attempt: Attempt, stage: Attempt['stage']): void {
  attempt.stage = stage
  attempt.since = now
  attempt.saidAt = node.ticks
  attempt.pause = 1
}

/** The attempt is over, with or without a view. Other nodes have a chance before the next one. */
export function endAttempt({ meeting, node, now }: MeetingTurn): void {
  meeting.attempt = null
  meeting.notBefore = now + backoff(node.id, meeting.attempts, node.config.settings)
}

/** From T/4 to T/2, and different for each session and attempt. */
function backoff(id: Id, attempts: number, { lease }: Settings): number {
  return (lease / 4) * (1 + randomStream(attempts, id).fraction())
}

/** On the tick, and when something was heard. */
export function pursue(turn: MeetingTurn): void {
  const { meeting, node, now } = turn
  const { attempt } = meeting
  if (attempt === null) return
  const { lease } = node.config.settings
  if (now - attempt.started > MOST_LEASES * lease) return endAttempt(turn)
  switch (attempt.stage) {
    case 'reading':
      return begin(turn, attempt)
    case 'probing':
      return probe(turn, attempt)
    case 'freezing':
      return gather(turn, attempt)
    case 'deciding':
      if (!isAsked(meeting, 'decide') && !isAsked(meeting, 'confirm')) confirm(turn, attempt)
  }
}

/** Longer than it takes to seal a row and to wait for the end of its lease. */
const MOST_LEASES = 4

/**
 * Starts probing when the view was read, and the list of rows is younger than the attempt. M12: without a view the rows are the
 * members. So they are listed after the read that found no view, or a row made in between would be missed.
 */
function begin(turn: MeetingTurn, attempt: Attempt): void {
  const { meeting } = turn
  if (isAsked(meeting, 'view')) return
  if (!attempt.hasRead || meeting.view === undefined) {
    if (turn.node.ticks > attempt.saidAt) readMeetingView(turn)
    attempt.saidAt = turn.node.ticks
    return
  }
  const isListed =
    meeting.view === null ? meeting.listedFrom >= meeting.viewKnownAt : meeting.listedAt >= attempt.started
  if (!isListed) return listRows(turn)
  attempt.before = meeting.view
  // M12: without a view, every session with a row must have reported or be over.
  attempt.members = meeting.view?.members ?? everyone(turn)
  beginStage(turn, attempt, 'probing')
  askAfter(turn, attempt)
  probe(turn, attempt)
}

/** The members that are asked, and those that have answered. */
interface Asking extends Pick<Attempt, 'members'> {
  readonly answered: Readonly<Record<Id, unknown>>
}

/** Asks all members for a sign of life. If a member's row was not seen, it is read now, after the view was known (M3). */
function askAfter(turn: MeetingTurn, attempt: Asking): void {
  for (const { id } of attempt.members) {
    if (id !== turn.node.id && turn.meeting.seen[id] === undefined && !isOver(turn, id)) readRowOf(turn, id)
  }
  sayHello(turn, attempt)
}

function sayHello(turn: MeetingTurn, { members, answered }: Asking): void {
  for (const { id } of members) {
    if (id !== turn.node.id && !(id in answered)) send(turn, id, hello(turn, id))
  }
}

/**
 * M4: freezes when all members have answered or are over. A member whose row looks dead is awaited even if it answers. Taking it
 * in again would change nothing, and would be the reason for the next attempt.
 */
function probe(turn: MeetingTurn, attempt: Attempt): void {
  const isAwaited = (id: Id) => !isThere(turn, attempt, id) || looksDead(turn, id)
  const silent = attempt.members.filter(({ id }) => isAwaited(id) && !isOver(turn, id))
  if (silent.length === 0) return freeze(turn, attempt)
  if (isToRepeat(turn, attempt)) askAfter(turn, attempt)
  endSilent(turn, attempt, silent, attempt.since)
}

function isThere({ node }: MeetingTurn, { answered }: Asking, id: Id): boolean {
  return id === node.id || id in answered
}

/** M4: seals a silent member even though it renews, if most members hear this node. Its lease then runs out. */
function endSilent(turn: MeetingTurn, attempt: Asking, silent: readonly Attendant[], since: number): void {
  const { node, now, meeting } = turn
  const { lease } = node.config.settings
  const due = since + SILENCE * lease
  if (now < due) return wakeAt(turn, due)
  for (const { id } of silent) {
    const heardAt = meeting.heard[id]?.at ?? Number.NEGATIVE_INFINITY
    if (now - heardAt < SILENCE * lease) continue
    if (meeting.seen[id]?.sealed || looksDead(turn, id)) continue
    if (!isHeardByMost(turn, attempt)) return endAttempt(turn)
    seal(turn, id, [node.id])
  }
}

/** M4: more than half of the members with living rows, this node included; or half, if this node is the first of them. */
function isHeardByMost(turn: MeetingTurn, attempt: Asking): boolean {
  const living = attempt.members.filter(({ id }) => id === turn.node.id || !looksDead(turn, id))
  const there = living.filter(({ id }) => isThere(turn, attempt, id)).length
  if (2 * there > living.length) return true
  return 2 * there === living.length && living[0]?.id === turn.node.id
}

/** M6 */
function freeze(turn: MeetingTurn, attempt: Attempt): void {
  const { node } = turn
  const { before } = attempt
  const least = meetingRules.leastEpoch(secondsNow(turn))
  const epoch = Math.max((before?.epoch ?? 0) + 1, node.durable.promised.epoch, attempt.floor, least)
  if (epoch > LAST_EPOCH) return endAttempt(turn)
  attempt.epoch = epoch
  beginStage(turn, attempt, 'freezing')
  attempt.reports = dictionary()
  attempt.completeAt = null
  sayFreeze(turn, attempt)
}

/** M12: time rises, so fences rise even if an operator deletes the view or restores an old one. */
function secondsNow({ meeting, node, now }: MeetingTurn): number {
  return Math.floor(meeting.seconds + (now - node.started) / 1000)
}

function sayFreeze(turn: MeetingTurn, { epoch, members, reports }: Attempt): void {
  const { node } = turn
  const asked = [...members.map(({ id }) => id), ...joiners(turn)]
  for (const id of new Set([node.id, ...asked])) {
    if (reports[id] === undefined && (id === node.id || !isOver(turn, id)))
      send(turn, id, { type: 'freeze', epoch })
  }
}

/** M6: a node that has begun a lower epoch, and is frozen for no higher one, freezes and reports its holds. */
export function onFreeze(turn: MeetingTurn, from: Id, { epoch }: MessageOf<'freeze'>): void {
  const { meeting, node, now } = turn
  if (meeting.standing === 'out' || meeting.standing === 'arriving' || epoch > LAST_EPOCH) return
  const begun = node.begun?.epoch ?? 0
  const frozenFor = node.durable.promised.epoch
  if (!meetingRules.heeds(begun, frozenFor, epoch)) {
    return send(turn, from, { type: 'no', epoch, above: Math.max(frozenFor, begun + 1) })
  }
  const promised = { epoch: meetingRules.freezesFor(epoch, frozenFor), ballot: '' }
  if (promised.epoch !== frozenFor) node.durable = { ...node.durable, promised }
  meeting.heardOfChangeAt = now
  meeting.frozenBy = from
  // Two proposers hinder each other. The lower epoch can no longer begin.
  if (meeting.attempt !== null && from !== node.id && meeting.attempt.epoch < epoch) endAttempt(turn)
  const { address } = meeting
  send(turn, from, {
    type: 'report',
    epoch,
    session: node.id,
    address,
    begun: node.begun?.epoch ?? null,
    holds: claimsOf(turn),
  })
}

export function onNo(turn: MeetingTurn, { epoch, above }: MessageOf<'no'>): void {
  const { attempt } = turn.meeting
  if (attempt?.stage !== 'freezing' || attempt.epoch !== epoch || above <= epoch) return
  // A member may have begun a later view. So the view is read again before anyone is frozen for a higher epoch.
  attempt.floor = Math.min(above, LAST_EPOCH)
  beginStage(turn, attempt, 'reading')
  attempt.hasRead = false
  turn.meeting.view = undefined
  readMeetingView(turn)
}

export function onReport(turn: MeetingTurn, from: Id, message: MessageOf<'report'>): void {
  const { attempt } = turn.meeting
  if (attempt?.stage !== 'freezing' || !meetingRules.counts(message.epoch, attempt.epoch)) return
  const { address, begun, holds } = message
  attempt.reports[from] = { address, begun, holds }
  gather(turn, attempt)
}

/** M7: decides when every member has reported or is over. */
function gather(turn: MeetingTurn, attempt: Attempt): void {
  const { members, reports, since } = attempt
  const silent = members.filter(({ id }) => reports[id] === undefined && !isOver(turn, id))
  if (silent.length === 0) return decide(turn, attempt)
  if (isToRepeat(turn, attempt)) {
    sayFreeze(turn, attempt)
    askAfter(turn, { ...attempt, answered: dictionary(), members: silent })
  }
  endSilent(turn, { ...attempt, answered: reports }, silent, since)
}

function decide(turn: MeetingTurn, attempt: Attempt): void {
  const { meeting, node, now } = turn
  // Joiners that hear of it now come into this view. The wait counts from here, because this node may have been busy until now.
  const missing = joiners(turn).filter((id) => attempt.reports[id] === undefined)
  attempt.completeAt ??= now
  if (missing.length > 0 && now - attempt.completeAt < gathering(turn))
    return wakeAt(turn, attempt.completeAt + gathering(turn))
  // A joiner that does not answer is waited for once, and again only after it has said that it is there.
  for (const id of missing) delete meeting.heard[id]
  const record = nextRecord(turn, attempt)
  if (record === null) return endAttempt(turn)
  const { epoch, members, settings } = record
  const nonce = `${node.id}/${meeting.attempts}/${meeting.nextTicket}`
  const view: View = {
    epoch,
    members: members.map(({ id, address = '' }) => ({ id, address })),
    nonce,
    settings,
  }
  attempt.record = record
  attempt.value = JSON.stringify(view)
  attempt.stage = 'deciding'
  write(turn, attempt, nonce)
}

function write(turn: MeetingTurn, { before, value }: Attempt, nonce: string): void {
  ask(turn, { kind: 'decide', nonce }, { do: 'cas', cell: VIEW, version: before?.version ?? null, value })
}

/** Members that reported stay, unless their lease is over by now. Joiners that reported come in, as many as fit. */
function nextRecord(turn: MeetingTurn, { epoch, before, members, reports }: Attempt): ViewRecord | null {
  const { settings } = turn.node.config
  const ids = new Set(members.map(({ id }) => id))
  const isMember = (id: Id) => ids.has(id)
  const mayStay = (id: Id) => meetingRules.staysIn(isOver(turn, id), turn.meeting.seen[id]?.sealed ?? false)
  const stay = members.filter(({ id }) => reports[id] !== undefined && mayStay(id))
  const come = Object.entries(reports).flatMap(([id, { address }]) =>
    isMember(id) || !mayStay(id) ? [] : [{ id, address }],
  )
  const taken = fitting(
    before?.settings ?? settings,
    stay,
    come.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  )
  if (taken === null || !taken.some(({ id }) => id === turn.node.id)) return null
  const table = dictionary<Holder[]>()
  for (const { id } of taken) {
    const holds = meetingRules.holdsOf(reports[id]?.holds ?? {}, turn.node, id)
    for (const [name, claims] of Object.entries(holds)) {
      const holders = (table[name] ??= [])
      for (const claim of claims) holders.push({ id, ...claim })
    }
  }
  return {
    epoch,
    voters: [],
    oldVoters: null,
    members: taken.map(({ id, address }) => ({ id, session: { voterId: id, k: 1 }, address })),
    settings: before?.settings ?? settings,
    table,
  }
}

export function onDecided(turn: MeetingTurn, nonce: string, answer: Answer): void {
  const { attempt } = turn.meeting
  if (attempt?.stage !== 'deciding' || nonceOf(attempt) !== nonce) return
  const isBelieved = answer.kind === 'unknown' && meetingRules.believesDecision()
  if (answer.kind === 'done' || isBelieved)
    return won(turn, attempt, answer.kind === 'done' ? answer.version : null)
  if (answer.kind !== 'refused') attempt.isUnsure = true
  // After a refusal an earlier write of the same value may still have been done.
  if (attempt.isUnsure) return confirm(turn, attempt)
  endAttempt(turn)
  readMeetingView(turn)
}

function nonceOf({ value }: Attempt): string | null {
  return readView({ value, version: '' })?.nonce ?? null
}

function confirm(turn: MeetingTurn, attempt: Attempt): void {
  const nonce = nonceOf(attempt)
  if (nonce !== null) ask(turn, { kind: 'confirm', nonce }, { do: 'read', cell: VIEW })
}

/** M7, unknown outcome: if the nonce is there, the write was done. If the version has not changed, it is tried again. */
export function onConfirmed(turn: MeetingTurn, nonce: string, answer: Answer): void {
  const { attempt } = turn.meeting
  if (attempt?.stage !== 'deciding' || nonceOf(attempt) !== nonce || answer.kind !== 'cell') return
  const { cell } = answer
  if (cell !== null && readView(cell)?.nonce === nonce) return won(turn, attempt, cell.version)
  // Not where there was no view: the first write may still be under way, and be done after the view of another was deleted.
  if (attempt.before !== null && cell?.version === attempt.before.version) return write(turn, attempt, nonce)
  endAttempt(turn)
  viewFrom(turn, cell)
}

/** M8: the view is decided. No other node can have decided one after the same version. */
function won(turn: MeetingTurn, attempt: Attempt, version: Version | null): void {
  const { record, value } = attempt
  const { meeting, now } = turn
  const view = version === null ? null : readView({ value, version })
  if (record === null) return
  meeting.attempt = null
  meeting.notBefore = now
  meeting.view = view === null || version === null ? undefined : { ...view, version }
  meeting.viewKnownAt = now
  announce(turn, record, attempt)
}
