/** M6: how a node freezes for a change of view, reports, and thaws if the proposer gives up. */
import { claimsOf } from '../claims.ts'
import { LAST_EPOCH } from '../fence.ts'
import type { MessageOf } from '../messages.ts'
import { type Id, NO_PROMISE } from '../record.ts'
import { isFrozen, send, zoneOf } from '../state.ts'
import { resumeView } from '../thaw.ts'
import { endAttempt } from './giving-up.ts'
import { meetingRules } from './meeting-rules.ts'
import type { MeetingHandling, Reported } from './meeting-state.ts'

/** M6: a node that has begun a lower epoch, and is frozen for no higher one, freezes and reports its holds. */
export function onFreeze(handling: MeetingHandling, from: Id, { epoch, version }: MessageOf<'freeze'>): void {
  const { meeting, node, now } = handling
  if (meeting.standing === 'out' || meeting.standing === 'arriving' || epoch > LAST_EPOCH) return
  // It overtook THAW, and nobody waits for the report.
  if (epoch <= (meeting.givenUp[from] ?? 0)) return
  const begun = node.begun?.epoch ?? 0
  const frozenFor = node.durable.promised.epoch
  // This proposer cannot decide on that version any more, so it reads the view again.
  if (version !== undefined && epoch > (meeting.outdated[version] ?? Number.POSITIVE_INFINITY))
    return send(handling, from, { type: 'no', epoch, above: epoch + 1 })
  if (!meetingRules.heeds(begun, frozenFor, epoch)) {
    return send(handling, from, { type: 'no', epoch, above: Math.max(frozenFor, begun + 1) })
  }
  const promised = { epoch: meetingRules.freezesFor(epoch, frozenFor), ballot: '' }
  if (promised.epoch !== frozenFor) node.durable = { ...node.durable, promised }
  meeting.heardOfChangeAt = now
  meeting.frozenBy = from
  const key = `${from} ${epoch}`
  const ticket = meeting.reported[key]?.ticket ?? meeting.nextTicket
  meeting.reported[key] = { by: from, epoch, version: version ?? null, ticket, isLost: false }
  // Two proposers hinder each other. The lower epoch can no longer begin.
  if (meeting.attempt !== null && from !== node.id && meeting.attempt.epoch < epoch) endAttempt(handling)
  const { address } = meeting
  send(handling, from, {
    type: 'report',
    epoch,
    session: node.id,
    address,
    begun: node.begun?.epoch ?? null,
    holds: claimsOf(handling),
    ...zoneOf(node),
  })
}

export function onThaw(handling: MeetingHandling, from: Id, { epoch }: MessageOf<'thaw'>): void {
  const { meeting } = handling
  if (meeting.standing === 'out' || meeting.standing === 'arriving') return
  meeting.givenUp[from] = Math.max(meeting.givenUp[from] ?? 0, epoch)
  forgetReports(handling, (report) => report.by === from && report.epoch === epoch)
}

/**
 * M6: no view was or will be made from these reports. If no other report is left, this node goes on in the view that it has begun.
 * Its holds were only fewer since the report, and what it sent meanwhile waits on its links.
 */
export function forgetReports(handling: MeetingHandling, isVoid: (report: Reported) => boolean): void {
  const { meeting, node } = handling
  const reports = Object.entries(meeting.reported)
  const forgotten = reports.filter(([, report]) => isVoid(report))
  for (const [key] of forgotten) delete meeting.reported[key]
  if (forgotten.length === 0 || !isFrozen(node)) return
  if (!meetingRules.thaws(reports.length - forgotten.length)) return
  const promised = node.begun === null ? NO_PROMISE : { epoch: node.begun.epoch, ballot: '' }
  node.durable = { ...node.durable, promised }
  meeting.frozenBy = null
  if (node.begun !== null) resumeView(handling)
}
