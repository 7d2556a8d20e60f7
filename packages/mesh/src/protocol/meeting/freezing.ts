/** M6: how a node freezes for a change of view, and reports. */
import { claimsOf } from '../claims.ts'
import { LAST_EPOCH } from '../fence.ts'
import type { MessageOf } from '../messages.ts'
import type { Id } from '../record.ts'
import { send, zoneOf } from '../state.ts'
import { endAttempt } from './giving-up.ts'
import { meetingRules } from './rules.ts'
import type { MeetingHandling } from './state.ts'

/** M6: a node that has begun a lower epoch, and is frozen for no higher one, freezes and reports its holds. */
export function onFreeze(handling: MeetingHandling, from: Id, { epoch }: MessageOf<'freeze'>): void {
  const { meeting, node, now } = handling
  if (meeting.standing === 'out' || meeting.standing === 'arriving' || epoch > LAST_EPOCH) return
  const begun = node.begun?.epoch ?? 0
  const frozenFor = node.durable.promised.epoch
  if (!meetingRules.heeds(begun, frozenFor, epoch)) {
    return send(handling, from, { type: 'no', epoch, above: Math.max(frozenFor, begun + 1) })
  }
  const promised = { epoch: meetingRules.freezesFor(epoch, frozenFor), ballot: '' }
  if (promised.epoch !== frozenFor) node.durable = { ...node.durable, promised }
  meeting.heardOfChangeAt = now
  meeting.frozenBy = from
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
