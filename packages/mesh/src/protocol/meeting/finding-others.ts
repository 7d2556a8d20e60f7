/** M2, M5 and M10: how a joiner finds the members that take it in, or the joiners that propose before it. */
import type { Id } from '../record.ts'
import { send } from '../state.ts'
import type { Attendant } from './cells.ts'
import { hello } from './joining.ts'
import type { MeetingHandling } from './meeting-state.ts'
import { everyone, isHeard, listRows, looksDead } from './watch.ts'

/** How many living members a joiner greets: the first ones. Without a living member: the joiners that propose before it (M10). */
const GREETED = 3
const LARGE = 10

/**
 * M2: a joiner asks the first members of a large view before it lists all rows. Most often they are there and take it in. Those
 * of a small view may all have left again, so it lists as soon as it knows of that view. If there is no view, it lists once. After
 * that only the joiners that propose first list (`isWatching`).
 */
export function findOthers(handling: MeetingHandling): void {
  const { view, viewKnownAt, listedAt } = handling.meeting
  sayHelloToView(handling)
  const isLarge = view != null && view.members.length > LARGE
  const isDue = view === null ? listedAt === Number.NEGATIVE_INFINITY : listedAt < viewKnownAt
  if (!isLarge && isDue) listRows(handling)
}

/**
 * On the tick. The first member that answers takes the joiner in. The others hear of it just often enough to propose if the first
 * one fails: with very many joiners, members would only answer.
 */
export function greet(handling: MeetingHandling): void {
  const { ticks } = handling.node
  if (ticks % REPEATED === 0) sayHelloToView(handling, ticks % OFTEN_ENOUGH > 0)
}

/** In ticks: less than T/2, within which a member must have answered, and less than T, after which it forgets a joiner. */
const REPEATED = 3
const OFTEN_ENOUGH = 9

export function sayHelloToView(handling: MeetingHandling, isEnoughThatOneAnswers = false): void {
  const { meeting, node } = handling
  const living = ({ id }: Attendant) => id !== node.id && !looksDead(handling, id)
  const members = (meeting.view?.members ?? []).filter(living)
  const there = members.length > 0 || meeting.view === null ? members : everyone(handling).filter(living)
  for (const { id } of there.slice(0, GREETED)) {
    callOn(handling, id)
    if (isEnoughThatOneAnswers && isHeard(handling, id)) return
  }
}

/** M10: if the first member of the view is dead, a joiner that proposes before this one may not know. It is told to look. */
export function callOn(handling: MeetingHandling, id: Id): void {
  const [first] = handling.meeting.view?.members ?? []
  send(handling, id, hello(handling, id))
  if (first !== undefined && first.id !== id && looksDead(handling, first.id))
    send(handling, id, { type: 'look', session: first.id })
}
