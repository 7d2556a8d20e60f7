/**
 * Several locks at once: all of them, or none. They are requested one after another in the order of their names, whatever order a
 * caller uses. So callers that request everything at once cannot wait for each other in a circle: the caller that holds the last
 * name of such a circle would wait for none of them. A client of a daemon sends the list, and the daemon requests them so.
 */
import type { Mode } from '@turnwise/core/algorithm'
import { lockKey } from '../protocol/names.ts'
import { shown } from '../transport/checks.ts'
import { LockTimeoutError, notSupported } from './errors.ts'
import { type Held, limitHold } from './held.ts'
import { holdersOfAll, type Nesting } from './holders.ts'
import { type Backing, obtain } from './obtain.ts'
import { type LockOptions, readWish, type Wish } from './options.ts'

/** One of several locks: its name, or its name and mode. */
export type LockRequest = string | { readonly name: string; readonly mode?: Mode }

/** The options of a request for several locks. `mode` applies to those without their own. */
export type SeveralOptions = Omit<LockOptions, 'steal'>

/**
 * Several held locks.
 *
 * ```js
 * await using both = await mesh.locks.acquire(['orders/7', 'stock/12'])
 * await move(both.get('orders/7').fence, both.get('stock/12').fence, both.signal)
 * ```
 */
export class HeldLocks {
  readonly #locks: readonly Held[]
  #signal: AbortSignal | null = null

  constructor(locks: readonly Held[]) {
    this.#locks = locks
  }

  /** The locks in the order in which they were given. A name that was given twice is there once. */
  get locks(): readonly Held[] {
    return this.#locks
  }

  /** The lock of this name, with its own fence. Throws if it was not asked for. */
  get(name: string): Held {
    const found = this.#locks.find((held) => held.name === name)
    if (found !== undefined) return found
    const names = this.#locks.map((held) => `"${held.name}"`).join(', ')
    throw new TypeError(`"${name}" is not among the locks ${names}`)
  }

  /** Aborts when any of them is lost. Reading it checks the clock. */
  get signal(): AbortSignal {
    const signals = this.#locks.map((held) => held.signal)
    this.#signal ??= AbortSignal.any(signals)
    return this.#signal
  }

  /** Whether all of them are held at this moment. */
  get isHeld(): boolean {
    return this.#locks.every((held) => held.isHeld)
  }

  /** Throws if one of them is not held at this moment. */
  assertHeld(): void {
    for (const held of this.#locks) held.assertHeld()
  }

  /** Releases all of them. A second call does nothing. */
  release(): void {
    for (const held of this.#locks) held.release()
  }

  /** Releases all of them, for `using`. */
  [Symbol.dispose](): void {
    this.release()
  }

  /** Releases all of them, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    this.release()
    return Promise.resolve()
  }
}

/** As read: one request for each name, in the order given. Other options apply to all of them together. */
export interface Wishes {
  readonly each: readonly Wish[]
  readonly timeout: number | undefined
  readonly maxHold: number | undefined
  /** A caller that waits for one of them holds others. */
  readonly holders: readonly string[]
}

/** A name that is given in several modes gets the strongest: exclusive, then update. */
export function readWishes(
  requests: readonly unknown[],
  options: unknown,
  isOpen: () => void,
  nesting: Nesting | null,
): Wishes {
  if (requests.length === 0) throw new TypeError('expected at least one name, got an empty list')
  const wishes = new Map<string, Wish>()
  let shared: Pick<Wish, 'timeout' | 'maxHold' | 'holder'> | null = null
  for (const request of requests) {
    const { name, mode } = readRequest(request)
    const wish = readWish(name, mode === undefined ? options : { ...(options as object), mode }, isOpen)
    if (wish.steal) throw notSupported('steal takes one lock, not a list of them')
    shared = wish
    const known = wishes.get(wish.name)
    if (known === undefined || known.mode === 'shared' || wish.mode === 'exclusive')
      wishes.set(wish.name, wish)
  }
  const { timeout, maxHold, holder } = shared ?? {}
  const holders = holdersOfAll({ holder }, nesting)
  const each = [...wishes.values()].map((wish) => ({ ...wish, holders }))
  return { each, timeout, maxHold, holders }
}

function readRequest(request: unknown): { readonly name: unknown; readonly mode?: unknown } {
  if (typeof request === 'string') return { name: request }
  if (typeof request === 'object' && request !== null && 'name' in request) return request
  throw new TypeError(
    `each of several locks is a name, or an object with a name and a mode: got ${shown(request)}`,
  )
}

/** Null only comes with `ifAvailable`. */
export async function obtainAll(backing: Backing, wishes: Wishes): Promise<HeldLocks | null> {
  const { each, timeout, maxHold } = wishes
  const left = timeLeft(timeout)
  for (;;) {
    const had = await obtainInOrder(backing, wishes, left)
    if (had === null) return null
    const all = new HeldLocks(each.flatMap(({ name }) => had.get(name) ?? []))
    if (all.isHeld) {
      for (const held of all.locks) limitHold(held, maxHold)
      return all
    }
    // A lock was lost while this waited for others, so all are requested again.
    all.release()
  }
}

async function obtainInOrder(
  backing: Backing,
  wishes: Wishes,
  left: () => number | undefined,
): Promise<ReadonlyMap<string, Held> | null> {
  const had = new Map<string, Held>()
  const giveBack = () => {
    for (const held of had.values()) held.release()
  }
  for (const list of listsFor(backing, wishes)) {
    const timeout = left()
    try {
      const all = await obtainList(
        backing,
        list.map((wish) => ({ ...wish, timeout, maxHold: undefined })),
      )
      if (all !== null) {
        for (const held of all) had.set(held.name, held)
        continue
      }
    } catch (error) {
      giveBack()
      throw error instanceof LockTimeoutError ? timedOut(error, list, wishes) : error
    }
    giveBack()
    return null
  }
  return had
}

/** What is left of the time to wait. The first request gets all of it, so that a daemon that times out names the time that was given. */
function timeLeft(ms: number | undefined): () => number | undefined {
  const begun = performance.now()
  let isFirst = true
  return () => {
    const left = ms === undefined || isFirst ? ms : Math.max(0, Math.ceil(begun + ms - performance.now()))
    isFirst = false
    return left
  }
}

/** In the order of their names. `onWait` tells of one name, so then each is requested alone. */
function listsFor({ together }: Backing, { each }: Wishes): readonly (readonly Wish[])[] {
  const inOrder = each.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const isOneByOne = together === undefined || each.some(({ onWait }) => onWait !== undefined)
  if (isOneByOne) return inOrder.map((wish) => [wish])
  const lists = together.lists(inOrder)
  // The daemon puts one list in order itself, and names them in the order given.
  return lists.length === 1 ? [each] : lists
}

/** Null only comes with `ifAvailable`. */
async function obtainList(backing: Backing, list: readonly Wish[]): Promise<readonly Held[] | null> {
  const [wish] = list as readonly [Wish]
  if (list.length === 1 || backing.together === undefined) {
    const held = await obtain(backing, lockKey(wish.name), wish)
    return held === null ? null : [held]
  }
  wish.signal?.throwIfAborted()
  const all = await backing.together.obtain(list)
  if (wish.signal?.aborted !== true) return all
  for (const held of all ?? []) held.release()
  throw wish.signal.reason
}

/** If one question was for all of them, the daemon has said which one was waited for. */
function timedOut(error: LockTimeoutError, list: readonly Wish[], { each, timeout }: Wishes): Error {
  if (list.length > 1 && list.length === each.length) return error
  const [awaited, all] = [list, each].map((wishes) => wishes.map(({ name }) => `"${name}"`).join(', '))
  return new LockTimeoutError(
    `timed out after ${Math.round(timeout ?? 0)} ms waiting for ${awaited} of ${all}`,
  )
}
