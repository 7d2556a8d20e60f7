/** The end of an attempt that made no view, and how members go on that were frozen for it. */
import { randomStream } from '@turnwise/core/random'
import { type Node, send } from '../state.ts'
import { joiners } from './joining.ts'
import { meetingRules } from './meeting-rules.ts'
import type { Attempt, Meeting, MeetingHandling } from './meeting-state.ts'

/**
 * The attempt is over without a view. Other nodes have a chance before the next one. `mayBeDecided`: its write may have been done,
 * or may be done later.
 */
export function endAttempt(
  handling: MeetingHandling,
  mayBeDecided = handling.meeting.attempt?.stage === 'deciding',
): void {
  const { meeting, node, now } = handling
  if (meeting.attempt !== null) sayThaw(handling, meeting.attempt, mayBeDecided)
  meeting.attempt = null
  meeting.failures += 1
  meeting.notBefore = now + backoff(node, meeting)
}

/** Doubles with each failure since the last view, up to between T/4 and T/2. It is different for each session and attempt. */
function backoff({ id, config }: Node, { attempts, failures }: Meeting): number {
  const { settings, roundTrip } = config
  const least = Math.min(settings.lease / 4, roundTrip * 2 ** failures)
  return least * (1 + randomStream(attempts, id).fraction())
}

/**
 * M6: nobody need stay frozen for an epoch that this node has not decided and will not decide. Reports for it that are still on
 * their way do not count, because the next attempt has a higher one.
 */
export function sayThaw(
  handling: MeetingHandling,
  { stage, epoch, members, reports }: Attempt,
  mayBeDecided = stage === 'deciding',
): void {
  if (stage !== 'freezing' && stage !== 'deciding') return
  if (!meetingRules.givesUp(mayBeDecided)) return
  const asked = [...members.map(({ id }) => id), ...joiners(handling), ...Object.keys(reports)]
  for (const id of new Set([handling.node.id, ...asked])) send(handling, id, { type: 'thaw', epoch })
}
