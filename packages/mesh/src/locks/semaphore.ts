import { InvalidInput } from '@turnwise/core/invalid-input'
import { semaphoreKey } from '../protocol/names.ts'
import type { Held } from './held.ts'
import { type Backing, obtain } from './obtain.ts'
import { readWait, type WaitingOptions, type WaitOptions } from './options.ts'
import { whileHeld } from './while-held.ts'

/** Up to `permits` callers at a time, on any nodes. Another number of permits is another semaphore. */
export interface Semaphore {
  /** The name that was given. */
  readonly name: string
  /** How many callers it lets in together. */
  readonly permits: number
  /**
   * Waits for a permit, which the caller releases. Fences distinguish permits. They rise for each permit, but not from one
   * permit to another: see docs/locks.md.
   */
  acquire(options?: WaitingOptions): Promise<Held>
  /** With `ifAvailable`: null if all permits are held or waited for. */
  acquire(options: WaitOptions): Promise<Held | null>
  /** Runs the callback with a permit; with `ifAvailable` with null if there is none. */
  request<Result>(callback: (permit: Held) => Result | PromiseLike<Result>): Promise<Awaited<Result>>
  request<Result>(
    options: WaitingOptions,
    callback: (permit: Held) => Result | PromiseLike<Result>,
  ): Promise<Awaited<Result>>
  request<Result>(
    options: WaitOptions,
    callback: (permit: Held | null) => Result | PromiseLike<Result>,
  ): Promise<Awaited<Result>>
}

/** Every member has a seat per permit, and all seats exchange messages. */
export const MOST_PERMITS = 64

export function semaphore(
  backing: Backing,
  name: string,
  permits: number,
  algorithm: string | null,
): Semaphore {
  if (!Number.isInteger(permits) || permits < 1 || permits > MOST_PERMITS) {
    throw new RangeError(`a semaphore has 1 to ${MOST_PERMITS} permits, not ${permits}`)
  }
  // The algorithm is part of the name, and a setting would end it there.
  if (algorithm?.includes(' '))
    throw new InvalidInput(`a semaphore takes an algorithm without settings, got "${algorithm}"`)
  if (algorithm !== null) backing.requireServable(algorithm)
  const key = semaphoreKey(name, permits, algorithm)
  return {
    name,
    permits,
    acquire(options?: WaitOptions): Promise<never> {
      return obtained(options) as Promise<never>
    },
    async request(...given: unknown[]) {
      const [options, callback] = given.length > 1 ? given : [undefined, given[0]]
      if (typeof callback !== 'function') throw new TypeError('the callback is not a function')
      const permit = await obtained(options)
      return (permit === null ? callback(null) : whileHeld([permit], () => callback(permit))) as never
    },
  }

  async function obtained(options: unknown): Promise<Held | null> {
    return obtain(
      backing,
      key,
      readWait(name, options, () => backing.assertOpen()),
    )
  }
}
