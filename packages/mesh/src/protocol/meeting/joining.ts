/** M5: who waits to join, and how a node says that it does. */
import type { MessageOf } from '../messages.ts'
import type { Id } from '../record.ts'
import type { HeardOf, MeetingTurn } from './state.ts'

export function hello({ meeting, node, now }: MeetingTurn, to: Id): MessageOf<'hello'> {
  const heardAt = meeting.heard[to]?.at ?? Number.NEGATIVE_INFINITY
  const waits = meeting.standing === 'waiting' && now - heardAt < node.config.settings.lease
  return { type: 'hello', session: node.id, address: meeting.address, waits }
}

/** M5: for how long joiners are gathered, so that they come together: a tenth of T, and not longer than anybody would notice. */
export function gathering({ node }: MeetingTurn): number {
  return Math.min(node.config.settings.lease / 10, 200)
}

/** M5: whom this node has heard, and who has heard it, within T. One that waits for the view that has taken it in is told that, and no other. */
export function joiners({ meeting, node, now }: MeetingTurn): Id[] {
  const isLate = ({ at, waitsSince }: HeardOf) =>
    waitsSince === null || now - at >= node.config.settings.lease
  const waiting = Object.entries(meeting.heard).flatMap(([id, heard]) =>
    isLate(heard) || id in meeting.gone ? [] : [id],
  )
  if (waiting.length === 0) return waiting
  const members = new Set(node.begun?.members.map(({ id }) => id))
  return waiting.filter((id) => !members.has(id))
}
