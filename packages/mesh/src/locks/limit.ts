/** Limits concurrency, by turns between keys: a tenant with a thousand jobs does not delay another with two. */
import { get } from '@turnwise/core/bounds'
import { shown } from '../transport/checks.ts'
import { lockTimedOut, NoQuorumError } from './errors.ts'
import { type Held, limitHold } from './held.ts'
import { readWait, requireKnown, type WaitingOptions, type Wish } from './options.ts'
import { MOST_PERMITS, type Semaphore } from './semaphore.ts'
import { whileHeld } from './while-held.ts'

/** How many callers at a time. */
export interface LimitOptions {
  /** How many callers are inside at a time, on all nodes together. */
  readonly concurrent: number
  /** How many of one key. Default: no separate limit. */
  readonly perKey?: number
}

/** The options of a request. */
export type LimitRequest = Omit<WaitingOptions, 'ifAvailable' | 'onWait' | 'info'>

/** Up to `concurrent` callers at a time, on any nodes, and by turns between keys. */
export interface Limit {
  /** The name that was given. */
  readonly name: string
  /** How many callers it lets in together. */
  readonly concurrent: number
  /** How many of one key; null without a separate limit. */
  readonly perKey: number | null
  /**
   * Runs the callback when it is the turn of its key. Keys of this node take turns, and so do nodes. Requests of one key are
   * served in order.
   */
  request<Result>(
    key: string,
    callback: (permit: Held) => Result | PromiseLike<Result>,
  ): Promise<Awaited<Result>>
  request<Result>(
    key: string,
    options: LimitRequest,
    callback: (permit: Held) => Result | PromiseLike<Result>,
  ): Promise<Awaited<Result>>
}

export function limit(
  semaphoreOf: (name: string, permits: number) => Semaphore,
  name: string,
  options: LimitOptions,
): Limit {
  requireKnown(options, ['concurrent', 'perKey'], 'a limit')
  const { concurrent, perKey = null } = options ?? {}
  requireCount('concurrent', concurrent)
  if (perKey !== null) requireCount('perKey', perKey)
  const turns = new Turns(semaphoreOf(name, concurrent))
  const ofKey = (key: string) => (perKey === null ? null : semaphoreOf(`${name}/${key}`, perKey))
  return {
    name,
    concurrent,
    perKey,
    async request(...given: unknown[]) {
      const [key, asked, callback] = given.length > 2 ? given : [given[0], undefined, given[1]]
      if (typeof key !== 'string') throw new TypeError(`a key is a text, not ${typeof key}`)
      if (typeof callback !== 'function') throw new TypeError('the callback is not a function')
      requireKnown(asked, KNOWN, 'a limit')
      const wish = readWait(name, asked, () => {}, 'a limit')
      const began = performance.now()
      const own = (await ofKey(key)?.acquire(waitOf(wish))) ?? null
      const held = own === null ? [] : [own]
      try {
        held.push(await turns.next(key, wish, began))
        // It may have been lost while this waited for the other one.
        own?.assertHeld()
      } catch (error) {
        for (const each of held) each.release()
        throw error
      }
      const permit = get(held, held.length - 1)
      return whileHeld(held, () => callback(permit)) as never
    },
  }
}

function requireCount(option: string, count: number): void {
  if (!Number.isInteger(count) || count < 1 || count > MOST_PERMITS)
    throw new RangeError(`${option}: ${shown(count)} is not a whole number from 1 to ${MOST_PERMITS}`)
}

const KNOWN: readonly (keyof LimitRequest)[] = ['signal', 'timeout', 'maxHold', 'waitForQuorum']

function waitOf({ signal, timeout, waitForQuorum }: Wish): WaitingOptions {
  return { waitForQuorum, ...(signal && { signal }), ...(timeout !== undefined && { timeout }) }
}

interface Waiter {
  readonly wish: Wish
  readonly admitted: (permit: Held) => void
  readonly refused: (error: unknown) => void
}

/** A request for a permit, for the first waiter when it comes. */
interface Asking {
  readonly ending: AbortController
  readonly waitForQuorum: boolean
}

/**
 * The callers of this node that wait for a permit. However many there are, it requests no more permits than the semaphore has.
 */
class Turns {
  readonly #semaphore: Semaphore
  /** By key. The key that was served longest ago comes first. */
  readonly #lines = new Map<string, Set<Waiter>>()
  readonly #asked = new Set<Asking>()
  #count = 0
  /** How many of them do not wait for a quorum. */
  #impatient = 0

  constructor(semaphore: Semaphore) {
    this.#semaphore = semaphore
  }

  next(key: string, wish: Wish, began: number): Promise<Held> {
    const { signal, timeout, maxHold, name } = wish
    signal?.throwIfAborted()
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined
      const over = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', aborted)
      }
      const waiter: Waiter = {
        wish,
        admitted: (permit) => {
          over()
          resolve(limitHold(permit, maxHold))
        },
        refused: (error) => {
          over()
          reject(error)
        },
      }
      const giveUp = (error: unknown) => {
        this.#remove(key, waiter)
        this.#ask()
        waiter.refused(error)
      }
      const aborted = () => giveUp(signal?.reason)
      signal?.addEventListener('abort', aborted)
      if (timeout !== undefined) {
        const left = Math.max(0, began + timeout - performance.now())
        timer = setTimeout(() => giveUp(lockTimedOut(name, timeout)), left)
      }
      this.#add(key, waiter)
      this.#ask()
    })
  }

  #add(key: string, waiter: Waiter): void {
    const line = this.#lines.get(key) ?? new Set()
    this.#lines.set(key, line.add(waiter))
    this.#count += 1
    if (!waiter.wish.waitForQuorum) this.#impatient += 1
  }

  #remove(key: string, waiter: Waiter): void {
    const line = this.#lines.get(key)
    if (!line?.delete(waiter)) return
    if (line.size === 0) this.#lines.delete(key)
    this.#count -= 1
    if (!waiter.wish.waitForQuorum) this.#impatient -= 1
  }

  /** The first waiter of the key that was served longest ago. That key goes to the end. */
  #take(): Waiter | null {
    for (const [key, line] of this.#lines) {
      for (const waiter of line) {
        this.#remove(key, waiter)
        if (this.#lines.delete(key)) this.#lines.set(key, line)
        return waiter
      }
    }
    return null
  }

  /** Requests one permit per waiter, up to all permits. */
  #ask(): void {
    const wanted = Math.min(this.#count, this.#semaphore.permits)
    for (const asking of this.#asked) {
      const isTooPatient = asking.waitForQuorum && this.#impatient > 0
      if (this.#asked.size <= wanted && !isTooPatient) continue
      this.#asked.delete(asking)
      asking.ending.abort()
    }
    while (this.#asked.size < wanted) void this.#obtain()
  }

  async #obtain(): Promise<void> {
    const asking = { ending: new AbortController(), waitForQuorum: this.#impatient === 0 }
    const { ending, waitForQuorum } = asking
    this.#asked.add(asking)
    try {
      const permit = await this.#semaphore.acquire({ signal: ending.signal, waitForQuorum })
      this.#asked.delete(asking)
      this.#give(permit)
    } catch (error) {
      // Otherwise it was given up, because no caller waits any more.
      if (this.#asked.delete(asking)) this.#refuse(error)
    }
    this.#ask()
  }

  #give(permit: Held): void {
    const waiter = permit.isHeld ? this.#take() : null
    if (waiter === null) permit.release()
    else waiter.admitted(permit)
  }

  /** Without a quorum, callers with `waitForQuorum` go on waiting. */
  #refuse(error: unknown): void {
    const stays = ({ wish }: Waiter) => error instanceof NoQuorumError && wish.waitForQuorum
    for (const [key, line] of this.#lines) {
      for (const waiter of line) {
        if (stays(waiter)) continue
        this.#remove(key, waiter)
        waiter.refused(error)
      }
    }
  }
}
