/** M2, M5 and M10: how a joiner finds the members that take it in, or the joiners that propose before it. */
import type { Id } from '../record.ts'
import { send } from '../state.ts'
import type { Attendant } from './cells.ts'
import { hello } from './joining.ts'
import type { MeetingHandling } from './state.ts'
import { everyone, isWelcome, listRows, looksDead } from './watch.ts'

/** How many living members a joiner greets: the first ones. Without a living member: the joiners that propose before it (M10). */
const GREETED = 3
const LARGE = 10

/**
 * M2: a joiner asks the first members of a large view before it lists all rows. Most often they are there and take it in. Those
 * of a small view may all have left again, so it lists as soon as it knows of that view.
 */
export function findOthers(handling: MeetingHandling): void {
  const { view, viewKnownAt, listedAt } = handling.meeting
  sayHelloToView(handling)
  const isLarge = view != null && view.members.length > LARGE
  if (!isLarge && listedAt < viewKnownAt) listRows(handling)
}

/** On the tick. A joiner that had an answer repeats itself less often. With very many joiners, members would only answer. */
export function greet(handling: MeetingHandling): void {
  if (!isWelcome(handling) || handling.node.ticks % GREETED === 0) sayHelloToView(handling)
}

export function sayHelloToView(handling: MeetingHandling): void {
  const { meeting, node } = handling
  const living = ({ id }: Attendant) => id !== node.id && !looksDead(handling, id)
  const members = (meeting.view?.members ?? []).filter(living)
  const there = members.length > 0 || meeting.view === null ? members : everyone(handling).filter(living)
  for (const { id } of there.slice(0, GREETED)) callOn(handling, id)
}

/** M10: if the first member of the view is dead, a joiner that proposes before this one may not know. It is told to look. */
export function callOn(handling: MeetingHandling, id: Id): void {
  const [first] = handling.meeting.view?.members ?? []
  send(handling, id, hello(handling, id))
  if (first !== undefined && first.id !== id && looksDead(handling, first.id))
    send(handling, id, { type: 'look', session: first.id })
}
