/** From a request to a held lock, at a member or through a daemon. */
import { type Held, limitHold } from './held.ts'
import type { Nesting } from './holders.ts'
import { tellWhileWaiting } from './on-wait.ts'
import type { Wish } from './options.ts'
import type { Lined } from './survey.ts'
import { admit } from './while-held.ts'

/** What a lock manager works with. */
export interface Backing {
  /** Null if requests are not connected with the callbacks around them. */
  readonly nesting: Nesting | null
  /** Throws if the node has left. */
  assertOpen(): void
  obtain(key: string, wish: Wish): Promise<Held>
  /** Null if it is held or awaited. */
  obtainIfAvailable(key: string, wish: Wish): Promise<Held | null>
  /** For a client of a daemon, which can ask for several locks in one question. */
  readonly together?: Together
  /**
   * Throws if semaphores cannot use this algorithm. A client of a daemon cannot know this: there the request for a permit is
   * refused.
   */
  requireServable(algorithm: string): void
  /** All holders and waiters, by node, for one name or for all. */
  survey(key?: string): Promise<Lined['nodes']>
  /** The same for one name, and the place of the caller with this wish. */
  lineFor(key: string, isMine: (wish: Wish) => boolean): Promise<Lined>
}

/** Several locks in one question: all of them or none. */
export interface Together {
  /** Lists that fit into one question each, in the same order. */
  lists(wishes: readonly Wish[]): readonly (readonly Wish[])[]
  /** Null only comes with `ifAvailable`. */
  obtain(wishes: readonly Wish[]): Promise<readonly Held[] | null>
}

/** Handles the options of a request: signal, `ifAvailable`, `maxHold`, `onWait`. Null only comes with `ifAvailable`. */
export async function obtain(backing: Backing, key: string, wish: Wish): Promise<Held | null> {
  const { signal, ifAvailable, maxHold, onWait } = wish
  signal?.throwIfAborted()
  const isOver = onWait && tellWhileWaiting(() => backing.lineFor(key, (each) => each === wish), wish, onWait)
  try {
    const held = ifAvailable ? await backing.obtainIfAvailable(key, wish) : await backing.obtain(key, wish)
    return held === null ? null : limitHold(admit(held, signal), maxHold)
  } finally {
    isOver?.()
  }
}
