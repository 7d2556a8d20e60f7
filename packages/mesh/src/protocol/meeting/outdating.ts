/**
 * M6: what becomes of the members that a proposer has frozen, if it is killed. It decides by a `cas` on the version of the view
 * that FREEZE named. Any rewrite of the view outdates that version, even with the same content. Then nobody can decide with those
 * reports any more, and the members go on without waiting for the lease of the proposer.
 */
import type { MessageOf } from '../messages.ts'
import type { Id } from '../record.ts'
import { isFrozen, send } from '../state.ts'
import { readAgain } from './attempt.ts'
import { type Answer, readView, VIEW } from './cells.ts'
import { forgetReports } from './freezing.ts'
import { joiners } from './joining.ts'
import { meetingRules } from './meeting-rules.ts'
import { ask, isAsked, type MeetingHandling, type Purpose, type Reported, wakeAt } from './meeting-state.ts'
import { looksDead, rank, readMeetingView } from './watch.ts'

/** The connection to a proposer has ended: most often it was killed. */
export function loseProposer(handling: MeetingHandling, peer: Id): void {
  for (const report of Object.values(handling.meeting.reported)) if (report.by === peer) report.isLost = true
  outdateLost(handling)
}

/** A member whose proposers all seem lost reads the view. Its answer says whether there is something to outdate. */
export function outdateLost(handling: MeetingHandling): void {
  const { meeting, node, now } = handling
  if (!areAllLost(handling)) {
    meeting.lostSince = null
    return
  }
  meeting.lostSince ??= now
  const due = Math.max(turnOf(handling), meeting.lostLookAt + node.config.settings.lease / 10)
  if (now < due) return wakeAt(handling, due)
  if (isAsked(meeting, 'outdate')) return
  meeting.lostLookAt = now
  // A read that is under way may have been asked before the report, and then says nothing about it.
  ask(handling, { kind: 'view', askedAt: now }, { do: 'read', cell: VIEW })
}

/** Whether this node is frozen, and only for proposers that seem lost and have not decided as far as it knows. */
function areAllLost(handling: MeetingHandling): boolean {
  const { meeting, node } = handling
  if (meeting.standing !== 'member' || !isFrozen(node)) return false
  const reports = Object.values(meeting.reported)
  const decided = meeting.view?.epoch ?? 0
  return (
    reports.some(({ version, epoch }) => version !== null && epoch > decided) &&
    reports.every((report) => isLost(handling, report))
  )
}

function isLost(handling: MeetingHandling, { by, epoch, isLost }: Reported): boolean {
  const { meeting, node, now } = handling
  if (isLost || now - meeting.heardOfChangeAt >= node.config.settings.lease / 2) return true
  return by === node.id ? meeting.attempt?.epoch !== epoch : looksDead(handling, by)
}

/**
 * When it is this node's turn. The first living member begins, and the number of those that try doubles with every fiftieth of T.
 * Most often the first one succeeds and tells the others.
 */
function turnOf(handling: MeetingHandling): number {
  const { meeting, node, now } = handling
  // A proposer needs to know the version that it will replace.
  if (meeting.attempt !== null) return now
  const lost = new Set(Object.values(meeting.reported).map(({ by }) => by))
  const before = rank(handling, (id) => lost.has(id) || looksDead(handling, id))
  return (meeting.lostSince ?? now) + (node.config.settings.lease / 50) * Math.log2(1 + before)
}

/** The view was read by this call. Reports on an earlier version are void. A report on this one is, when the version is outdated. */
export function onViewShown(handling: MeetingHandling, ticket: number, answer: Answer): void {
  const { meeting, now } = handling
  if (answer.kind !== 'cell' || answer.cell === null) return
  const { value, version } = answer.cell
  const view = readView(answer.cell)
  if (view === null) return
  const { epoch } = view
  forgetReports(handling, (report) => meetingRules.isOutdated(report, { version, epoch, ticket }))
  if (!areAllLost(handling) || now < turnOf(handling) || isAsked(meeting, 'outdate')) return
  const isOpen = (report: Reported) => report.version === version && report.epoch > epoch
  if (Object.values(meeting.reported).some(isOpen))
    ask(handling, { kind: 'outdate', version, epoch }, { do: 'cas', cell: VIEW, version, value })
}

/** If the outcome is unknown, the view is read again by `outdateLost`. */
export function onOutdated(
  handling: MeetingHandling,
  { version, epoch }: Extract<Purpose, { kind: 'outdate' }>,
  answer: Answer,
): void {
  const { meeting, node } = handling
  if (answer.kind === 'refused') return readMeetingView(handling)
  if (answer.kind === 'done' && meeting.view?.version === version)
    meeting.view = { ...meeting.view, version: answer.version }
  if (answer.kind !== 'done' && !meetingRules.believesOutdating()) return
  onOutdatedVersion(handling, { version, epoch })
  const others = new Set([...(node.begun?.members.map(({ id }) => id) ?? []), ...joiners(handling)])
  others.delete(node.id)
  for (const id of others) tellOutdated(handling, id)
}

/** Also when a connection was made: what was sent before is lost. */
export function tellOutdated(handling: MeetingHandling, to: Id): void {
  for (const [version, epoch] of Object.entries(handling.meeting.outdated))
    send(handling, to, { type: 'outdated', version, epoch })
}

/** This holds for ever, because a cell never gets the same version twice. So it does not matter when it is heard. */
export function onOutdatedVersion(
  handling: MeetingHandling,
  { version, epoch }: Omit<MessageOf<'outdated'>, 'type'>,
): void {
  const { meeting } = handling
  const { attempt } = meeting
  meeting.outdated[version] = Math.max(meeting.outdated[version] ?? 0, epoch)
  const known = attempt?.before ?? meeting.view
  if (attempt !== null && attempt.stage !== 'deciding' && known?.version === version)
    readAgain(handling, attempt)
  forgetReports(handling, (report) => report.version === version && report.epoch > epoch)
}
