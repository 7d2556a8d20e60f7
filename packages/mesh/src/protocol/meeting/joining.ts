/** M5: who waits to join, and how a node says that it waits. */
import { memberOf } from '../membership.ts'
import type { MessageOf } from '../messages.ts'
import type { Id } from '../record.ts'
import type { HeardOf, Meeting, MeetingHandling } from './meeting-state.ts'

export function hello({ meeting, node, now }: MeetingHandling, to: Id): MessageOf<'hello'> {
  const heardAt = meeting.heard[to]?.at ?? Number.NEGATIVE_INFINITY
  const mayJoin = meeting.standing === 'waiting' && meeting.unlikeSince === null
  const waits = mayJoin && now - heardAt < node.config.settings.lease
  return { type: 'hello', session: node.id, address: meeting.address, waits }
}

/** M5: how long joiners are gathered, so that they come in together: a tenth of T, and at most 200 ms. */
export function gathering({ node }: MeetingHandling): number {
  return Math.min(node.config.settings.lease / 10, 200)
}

/**
 * M5: sessions that wait to join, that this node has heard within T, and that have heard it. A session that already is a member waits
 * for that view, and is no joiner.
 */
export function joiners({ meeting, node, now }: MeetingHandling): Id[] {
  const isLate = ({ at, waitsSince }: HeardOf) =>
    waitsSince === null || now - at >= node.config.settings.lease
  const waiting = Object.entries(meeting.heard).flatMap(([id, heard]) =>
    isLate(heard) || id in meeting.gone ? [] : [id],
  )
  return waiting.filter((id) => memberOf(node, id) === undefined)
}

/** Whether no member of the view is left, and so nobody whose lease counts. Unlike the age of a row this does not depend on settings. */
export function isDeserted({ view, gone }: Meeting): boolean {
  return view?.members.every(({ id }) => id in gone) === true
}
