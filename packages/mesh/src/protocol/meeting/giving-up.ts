/** The end of an attempt that made no view. */
import { randomStream } from '@turnwise/core/random'
import type { Node } from '../state.ts'
import type { Meeting, MeetingHandling } from './state.ts'

/** The attempt is over without a view. Other nodes have a chance before the next one. */
export function endAttempt({ meeting, node, now }: MeetingHandling): void {
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
