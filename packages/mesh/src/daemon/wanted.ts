/** A request for a lock, semaphore, group or election, in a form that a member and a daemon both understand. */
import { get } from '@turnwise/core/bounds'
import { heldOf } from '../locks/group.ts'
import type { Held } from '../locks/held.ts'
import { Holders } from '../locks/holders.ts'
import { type Backing, obtain } from '../locks/obtain.ts'
import type { Offered } from '../locks/offered.ts'
import { type LockOptions, readWish, type WaitOptions, type Wish } from '../locks/options.ts'
import {
  algorithmIn,
  isGroup,
  jobOf,
  kindOf,
  nameOf,
  namesIn,
  onceKey,
  permitsOf,
} from '../protocol/names.ts'
import type { Caller } from './caller.ts'
import {
  LONGEST_QUESTION,
  type Waits,
  type Wanted,
  type WantedAll,
  type WantedJob,
} from './control-messages.ts'
import type { Client } from './line-client.ts'

/** What can be held. */
export type Locks = Pick<Offered, 'locks' | 'semaphore' | 'group' | 'election'>

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

/** Asks the daemon for what a program wants. Returns the ticket. */
export function putRequest(client: Client, { keys, wishes, wish }: Caller): number {
  if (keys.length > 1) return client.put('acquire-all', wantedAllOf(wishes), keys.length)
  const key = get(keys, 0)
  const job = jobOf(key)
  if (job !== null) return client.put('acquire-job', { name: job, ...waitsOf(wish) })
  return client.put('acquire', wantedOf(key, wish))
}

function wantedOf(key: string, wish: Wish): Wanted {
  const { mode, ifAvailable, steal } = wish
  return {
    what: kindOf(key),
    name: nameOf(key),
    permits: permitsOf(key),
    algorithm: algorithmIn(key),
    mode,
    how: ifAvailable ? 'now' : steal ? 'steal' : 'wait',
    ...(isGroup(key) && { group: { names: namesIn(key), resources: wish.resources ?? [] } }),
    ...waitsOf(wish),
  }
}

/** What they have in common is read from the first. */
function wantedAllOf(wishes: readonly Wish[]): WantedAll {
  const [wish] = wishes as readonly [Wish]
  const parts = wishes.map(({ name, mode }) => ({ name, mode }))
  return { parts, how: wish.ifAvailable ? 'now' : 'wait', ...waitsOf(wish) }
}

function waitsOf(wish: Wish): Waits {
  const { timeout = null, priority, waitForQuorum, info = null, holders = [] } = wish
  return { timeout, priority, waitForQuorum, info, holders }
}

/** In the same order, as many in each list as fit into a question. */
export function inQuestions(wishes: readonly Wish[]): readonly (readonly Wish[])[] {
  const lists: Wish[][] = []
  let room = 0
  for (const wish of wishes) {
    const length = JSON.stringify(wantedAllOf([wish])).length
    const part = JSON.stringify({ name: wish.name, mode: wish.mode }).length + 1
    if (part > room) {
      lists.push([])
      room = LONGEST_QUESTION - KIND_AND_TICKET - (length - part)
    }
    lists.at(-1)?.push(wish)
    room -= part
  }
  return lists
}

/** More characters than these two have in a question. */
const KIND_AND_TICKET = 100

/** What a client asks its daemon for. */
type Asked = Wanted | WantedAll | WantedJob

/** For people. */
export function nameIn(wanted: Asked): string {
  return 'parts' in wanted ? wanted.parts.map(({ name }) => name).join('", "') : wanted.name
}

/** Null if it is taken and the caller does not wait. A request that does not wait takes no signal. */
export async function request(mesh: Locks, wanted: Wanted, signal?: AbortSignal): Promise<Held | null> {
  const { what, name, permits, algorithm, mode, how } = wanted
  const options = optionsOf(wanted, signal)
  if (what === 'semaphore') return mesh.semaphore(name, permits, { algorithm }).acquire(options)
  if (what === 'election') return mesh.election(name).campaign(options)
  if (what === 'group') return requestStay(mesh, wanted, options)
  return mesh.locks.acquire(name, { ...options, ...ofLock(wanted), mode, steal: how === 'steal' })
}

/** One lock, several, or that of a job, as `request`. */
export async function requestAll(
  mesh: Locks & Backing,
  wanted: Asked,
  signal: AbortSignal,
): Promise<readonly Held[] | null> {
  if ('parts' in wanted) {
    const options = { ...optionsOf(wanted, signal), ...ofLock(wanted) }
    return (await mesh.locks.acquire(wanted.parts, options))?.locks ?? null
  }
  const held = await requestOne(mesh, wanted, signal)
  return held === null ? null : [held]
}

function requestOne(
  mesh: Locks & Backing,
  wanted: Wanted | WantedJob,
  signal: AbortSignal,
): Promise<Held | null> {
  return 'what' in wanted ? request(mesh, wanted, signal) : requestJob(mesh, wanted, signal)
}

async function requestStay(mesh: Locks, wanted: Wanted, options: WaitOptions): Promise<Held> {
  const { name, group, how } = wanted
  if (group === undefined || how !== 'wait')
    throw new TypeError(`a request to the group "${name}" says which names, and waits`)
  const stray = group.resources.find((each) => each >= group.names.length)
  if (stray !== undefined)
    throw new RangeError(`the group "${name}" has ${group.names.length} names, and none has number ${stray}`)
  const { ifAvailable: _, ...rest } = options
  // The numbers are those of the client's list. A group sorts its names.
  const taken = group.resources.map((each) => get(group.names, each))
  const all = mesh.group(name, group.names)
  return heldOf(await all.acquire(taken, { ...rest, holder: ofLock(wanted).holder ?? null }))
}

function requestJob(mesh: Backing, wanted: WantedJob, signal: AbortSignal): Promise<Held | null> {
  const options = { ...optionsOf({ ...wanted, how: 'wait' }, signal), priority: wanted.priority }
  const wish = readWish(wanted.name, options, () => mesh.assertOpen())
  return obtain(mesh, onceKey(wanted.name), wish)
}

function optionsOf(
  { how, timeout, waitForQuorum, info }: Waits & Pick<Wanted, 'how'>,
  signal?: AbortSignal,
): WaitOptions {
  return {
    waitForQuorum,
    ifAvailable: how === 'now',
    ...(how === 'wait' && signal !== undefined && { signal }),
    ...(timeout !== null && { timeout }),
    ...(info !== null && { info: JSON.parse(info) as unknown }),
  }
}

function ofLock({ priority, holders }: Waits): Pick<LockOptions, 'priority' | 'holder'> {
  return { priority, holder: holders.length === 0 ? null : new Holders(holders) }
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
