/** Checks who holds and who waits, as other nodes and daemons report it. */
import type { LinePlace, ResourceId } from '@turnwise/core/algorithm'
import type { Fence } from '../protocol/fence.ts'
import type {
  About,
  HoldStanding,
  NameStanding,
  SeatStanding,
  Standing,
  ToldLine,
} from '../protocol/messages.ts'
import { MOST_IN_GROUP, SEATS_OF_GROUP } from '../protocol/names.ts'
import {
  type Check,
  fields,
  flag,
  jsonText,
  listOf,
  measure,
  oneOf,
  orNull,
  text,
  unicode,
  where,
  whole,
} from './checks.ts'

/** In bytes, for what a caller says about itself. */
export const LONGEST_INFO = 1024

/** In characters, for the name of a holder. Its sign has one more. */
export const LONGEST_HOLDER = 250
/** For the sign of a holder with what a daemon adds. */
const LONGEST_SIGN = 300
/** How many holders a request reports. */
export const MOST_HOLDERS = 16

export const infoText = jsonText(LONGEST_INFO)
/** The signs that a client of a daemon chooses for its holders. The daemon makes them longer, and members must accept the result. */
export const clientSigns = listOf(unicode(1, LONGEST_HOLDER + 1), MOST_HOLDERS)
const about = fields<About>({
  id: whole(0),
  asked: measure(0, 2 ** 53),
  info: orNull(infoText),
  holders: listOf(text(1, LONGEST_SIGN), MOST_HOLDERS),
})
const mode = oneOf('exclusive', 'shared', 'update')
const priority = whole(Number.MIN_SAFE_INTEGER)
const line = fields<ToldLine>({
  isHead: flag,
  places: listOf(
    fields<LinePlace, 'level' | 'passed'>({ node: whole(0), mode }, 0, { level: priority, passed: whole(0) }),
  ),
  turns: whole(0),
  follow: whole(1),
})

/** Numbers of names of a group, each once. */
export const resources: Check<readonly ResourceId[]> = where(
  listOf(whole(0, MOST_IN_GROUP - 1), MOST_IN_GROUP),
  (list) => list.length > 0 && new Set(list).size === list.length,
  'it is empty or contains a number twice',
)

/** As many as a group has seats at one member. */
const seats = listOf(
  fields<SeatStanding>({
    seat: whole(0),
    caller: whole(0),
    resources,
    behind: listOf(whole(0), MOST_IN_GROUP),
  }),
  SEATS_OF_GROUP,
)

type Holding = Omit<HoldStanding, 'ahead' | 'priority'>
type Checking = [name: Check<string>, fence: Check<Fence>, age: Check<number>]

/** As a member tells it. The node that asked finds `ahead` itself. */
export function toldCheck(...[name, fence, age]: Checking): Check<NameStanding> {
  const held = fields<Holding, 'about' | 'resources'>({ mode, fence, age }, 0, { about, resources })
  const pending = fields<Omit<Standing, 'ahead'>, 'about' | 'priority' | 'resources'>({ mode, age }, 0, {
    about,
    priority,
    resources,
  })
  return fields<NameStanding, 'line' | 'seats'>({ name, held: listOf(held), pending: listOf(pending) }, 0, {
    line,
    seats,
  })
}

/** As a daemon tells it to a client. */
export function surveyedCheck(...[name, fence, age]: Checking): Check<Omit<NameStanding, 'line'>> {
  const held = fields<Holding, 'about' | 'resources'>({ mode, fence, age }, 0, { about, resources })
  const ahead = whole(0)
  const pending = fields<Omit<Standing, 'priority'>, 'about' | 'ahead' | 'resources'>({ mode, age }, 0, {
    about,
    ahead,
    resources,
  })
  return fields<Omit<NameStanding, 'line'>, 'seats'>(
    { name, held: listOf(held), pending: listOf(pending) },
    0,
    { seats },
  )
}
