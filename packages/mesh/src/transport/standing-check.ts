/** Checks who holds and who waits, as other nodes and daemons report it. */
import type { Fence } from '../protocol/fence.ts'
import type { About, HoldStanding, NameStanding, Standing } from '../protocol/messages.ts'
import {
  type Check,
  type Checks,
  fields,
  isObject,
  jsonText,
  listOf,
  measure,
  oneOf,
  orNull,
  text,
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
export const clientSigns = listOf(text(1, LONGEST_HOLDER + 1), MOST_HOLDERS)
const about = fields<About>({
  id: whole(0),
  asked: measure(0, 2 ** 53),
  info: orNull(infoText),
  holders: listOf(text(1, LONGEST_SIGN), MOST_HOLDERS),
})
const mode = oneOf('exclusive', 'shared', 'update')

export function standingCheck(
  name: Check<string>,
  fence: Check<Fence>,
  age: Check<number>,
): Checks<NameStanding> {
  type Silent<T> = Omit<T, 'about'>
  const held: Checks<Silent<HoldStanding>> = { mode, fence, age }
  const pending: Checks<Silent<Standing>> = { mode, age }
  return {
    name,
    held: listOf(
      maybeAbout<HoldStanding>(
        fields<Silent<HoldStanding>>(held),
        fields<Required<HoldStanding>>({ ...held, about }),
      ),
    ),
    pending: listOf(
      maybeAbout<Standing>(
        fields<Silent<Standing>>(pending),
        fields<Required<Standing>>({ ...pending, about }),
      ),
    ),
  }
}

function maybeAbout<T>(silent: Check<Omit<T, 'about'>>, telling: Check<Required<T>>): Check<T> {
  return (value) => (isObject(value) && 'about' in value ? telling(value) : silent(value))
}
