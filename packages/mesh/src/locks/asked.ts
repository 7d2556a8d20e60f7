/** What the protocol hears of a request, and the errors of a request. */
import type { Runner } from '../host/runner.ts'
import type { Failure } from '../observe/meters.ts'
import type { Event } from '../protocol/events.ts'
import type { About, Standing } from '../protocol/messages.ts'
import type { CallerId } from '../protocol/state.ts'
import { DeadlockError, LockTimeoutError, lockTimedOut, NoQuorumError } from './errors.ts'
import type { Wish } from './options.ts'

/** A fast path, because most callers say nothing about themselves and every turn passes here. */
export function requestOf(key: string, caller: CallerId, wish: Wish): Event {
  const { mode, priority, steal, ifAvailable, info, holders, resources } = wish
  if (!ifAvailable && info === undefined && holders === undefined && resources === undefined)
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
    ...(resources && { resources }),
  }
}

/** A caller that stands in line. The protocol has not heard of it, so it waits for no holder yet. */
export function standingOf(caller: CallerId, wish: Wish, age: number): Standing {
  const { mode, resources } = wish
  return { mode, age, ...aboutOf(caller, { ...wish, holders: [] }), ...(resources && { resources }) }
}

function aboutOf(caller: CallerId, { info, holders = [] }: Wish): { readonly about?: About } {
  if (info === undefined && holders.length === 0) return {}
  return { about: { id: Number(caller), asked: Date.now(), info: info ?? null, holders } }
}

/** Which voters are missing, or what is wrong with the meeting place, after so many milliseconds without a lease. */
export function whyNoQuorum({ node, now }: Runner, since: number): string {
  if (node.meeting !== null)
    return `no lease for ${Math.round(since)} ms: ${node.meeting.trouble ?? 'the register answers, but no view has begun'}`
  const roster = node.begun ?? node.durable.accepted
  const voters = roster?.voters.map(({ id }) => id) ?? node.config.voters
  const { lease: leaseMs } = node.config.settings
  const heard = voters.filter((id) => id === node.id || now - (node.heard[id]?.at ?? -leaseMs) < leaseMs)
  return (
    `no majority for ${Math.round(since)} ms: ` +
    `of the voters ${voters.join(', ')} only ${heard.join(', ') || 'none'} can be reached`
  )
}

/** A caller with `ifAvailable` was let in, and its lease ended before it heard of that. */
export const LAPSED = new Error('the lease ended before the caller was let in')

/** Why a caller whose lock was lost before it heard of the grant does not just ask again; null if it does. */
export function notAgain({ signal, ifAvailable }: Wish): Promise<never> | null {
  if (signal?.aborted) return Promise.reject(signal.reason)
  // Others must be asked again, too.
  return ifAvailable ? Promise.reject(LAPSED) : null
}

export function timedOut({ name, timeout = 0 }: Wish): LockTimeoutError {
  return lockTimedOut(name, timeout)
}

/** As metrics count it, for a caller of a node that has not left. */
export function failureOf({ ifAvailable }: Wish, reason: unknown): Failure {
  if (reason instanceof LockTimeoutError) return 'timeout'
  if (reason instanceof NoQuorumError) return 'no-quorum'
  if (reason instanceof DeadlockError) return 'deadlock'
  return ifAvailable ? 'unavailable' : 'aborted'
}
