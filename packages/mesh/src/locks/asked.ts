/** What the protocol is told of a wish. */
import type { Event } from '../protocol/events.ts'
import type { About, Standing } from '../protocol/messages.ts'
import type { CallerId } from '../protocol/state.ts'
import type { Wish } from './options.ts'

/** Most callers say nothing of themselves, and every turn comes this way. */
export function requestOf(key: string, caller: CallerId, wish: Wish): Event {
  const { mode, priority, steal, ifAvailable, info } = wish
  if (!ifAvailable && info === undefined)
    return { kind: 'request', name: key, caller, mode, priority, steals: steal }
  return {
    kind: 'request',
    name: key,
    caller,
    mode,
    priority,
    steals: steal,
    ...(ifAvailable && { probes: true }),
    ...aboutOf(wish),
  }
}

/** Of one who stands in line, before the protocol hears of it. */
export function standingOf(wish: Wish, age: number): Standing {
  return { mode: wish.mode, age, ...aboutOf(wish) }
}

function aboutOf({ info }: Wish): { readonly about?: About } {
  return info === undefined ? {} : { about: { info } }
}
