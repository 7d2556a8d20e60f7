/** From a wish to a lock that is held, whatever gives it out. */
import type { NameStanding } from '../protocol/messages.ts'
import { type Held, limitHold } from './held.ts'
import type { Nesting } from './holders.ts'
import { tellWhileWaiting } from './on-wait.ts'
import type { Wish } from './options.ts'
import { admit } from './while-held.ts'

/** What a lock manager works with. */
export interface Backing {
  /** Null if requests are not followed into the callbacks of others. */
  readonly nesting: Nesting | null
  /** Throws if the node is not there any more. */
  assertOpen(): void
  obtain(key: string, wish: Wish): Promise<Held>
  /** Null if somebody holds or awaits it. */
  obtainIfAvailable(key: string, wish: Wish): Promise<Held | null>
  /** Throws if semaphores cannot have this algorithm; who cannot know is told by the refusal of a permit. */
  requireServable(algorithm: string): void
  /** All that is held and awaited, of one name or of all, by node. */
  survey(key?: string): Promise<readonly { readonly id: string; readonly names: readonly NameStanding[] }[]>
}

/** Whatever the wish has: a signal, no time to wait, a limit to the hold. Null is for who does not wait. */
export async function obtain(backing: Backing, key: string, wish: Wish): Promise<Held | null> {
  const { signal, ifAvailable, maxHold, onWait, name } = wish
  signal?.throwIfAborted()
  const isOver = onWait && tellWhileWaiting((each) => backing.survey(each), key, name, onWait)
  try {
    const held = ifAvailable ? await backing.obtainIfAvailable(key, wish) : await backing.obtain(key, wish)
    return held === null ? null : limitHold(admit(held, signal), maxHold)
  } finally {
    isOver?.()
  }
}
