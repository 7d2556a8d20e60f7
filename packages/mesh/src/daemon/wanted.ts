/** A request for a lock, semaphore or election, in a form that a member and a daemon both understand. */
import type { Election } from '../locks/election.ts'
import type { Held } from '../locks/held.ts'
import { Holders } from '../locks/holders.ts'
import type { LockManager } from '../locks/lock-manager.ts'
import type { LockOptions, Wish } from '../locks/options.ts'
import type { Semaphore } from '../locks/semaphore.ts'
import { algorithmIn, kindOf, nameOf, permitsOf } from '../protocol/names.ts'
import type { Wanted } from './words.ts'

/** What members and clients of a daemon have in common. */
export interface Locks {
  readonly locks: LockManager
  semaphore(name: string, permits: number, options?: { algorithm?: string | null }): Semaphore
  election(name: string): Election
}

/** A request for an exclusive lock, without a time limit. */
export function exclusive(name: string): Wanted {
  return {
    what: 'lock',
    name,
    mode: 'exclusive',
    permits: 1,
    algorithm: null,
    how: 'wait',
    timeout: null,
    priority: 0,
    waitForQuorum: false,
    info: null,
    holders: [],
  }
}

/** What a client asks its daemon for a request of its program. */
export function wantedOf(key: string, wish: Wish): Wanted {
  const {
    mode,
    ifAvailable,
    steal,
    timeout = null,
    priority,
    waitForQuorum,
    info = null,
    holders = [],
  } = wish
  return {
    what: kindOf(key),
    name: nameOf(key),
    permits: permitsOf(key),
    algorithm: algorithmIn(key),
    mode,
    how: ifAvailable ? 'now' : steal ? 'steal' : 'wait',
    timeout,
    priority,
    waitForQuorum,
    info,
    holders,
  }
}

/** Null if it is taken and the caller does not wait. A request that does not wait takes no signal. */
export async function request(
  mesh: Locks,
  { what, name, permits, algorithm, mode, how, timeout, priority, waitForQuorum, info, holders }: Wanted,
  signal?: AbortSignal,
): Promise<Held | null> {
  const options: LockOptions = {
    waitForQuorum,
    ifAvailable: how === 'now',
    ...(how === 'wait' && signal !== undefined && { signal }),
    ...(timeout !== null && { timeout }),
    ...(info !== null && { info: JSON.parse(info) as unknown }),
  }
  if (what === 'semaphore') return mesh.semaphore(name, permits, { algorithm }).acquire(options)
  if (what === 'election') return mesh.election(name).campaign(options)
  const holder = holders.length === 0 ? null : new Holders(holders)
  return mesh.locks.acquire(name, { ...options, mode, priority, steal: how === 'steal', holder })
}

/** Rejects with the signal's reason when it aborts. `late` gets a value that comes after that. */
export function orAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal,
  late: (value: Value) => void = () => {},
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      reject(signal.reason)
      promise.then(late, () => {})
    }
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
