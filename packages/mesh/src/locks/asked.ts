/** What the protocol is told of a wish, and why it is not. */
import type { Event } from '../protocol/events.ts'
import type { About, Standing } from '../protocol/messages.ts'
import type { CallerId } from '../protocol/state.ts'
import { type LockTimeoutError, lockTimedOut } from './errors.ts'
import type { Wish } from './options.ts'

/** Most callers say nothing of themselves, and every turn comes this way. */
export function requestOf(key: string, caller: CallerId, wish: Wish): Event {
  const { mode, priority, steal, ifAvailable, info, holders } = wish
  if (!ifAvailable && info === undefined && holders === undefined)
    return { kind: 'request', name: key, caller, mode, priority, steals: steal }
  return {
    kind: 'request',
    name: key,
    caller,
    mode,
    priority,
    steals: steal,
    ...(ifAvailable && { probes: true }),
    ...aboutOf(caller, wish),
  }
}

/** Of one who stands in line: the protocol has not heard of it, and so it waits for nobody yet. */
export function standingOf(caller: CallerId, wish: Wish, age: number): Standing {
  return { mode: wish.mode, age, ...aboutOf(caller, { ...wish, holders: [] }) }
}

function aboutOf(caller: CallerId, { info, holders = [] }: Wish): { readonly about?: About } {
  if (info === undefined && holders.length === 0) return {}
  return { about: { id: Number(caller), asked: Date.now(), info: info ?? null, holders } }
}

export function timedOut({ name, timeout = 0 }: Wish): LockTimeoutError {
  return lockTimedOut(name, timeout)
}
