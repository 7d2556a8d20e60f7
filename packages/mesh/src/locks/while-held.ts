/** From the grant to the release. */
import { type Held, whenLost } from './held.ts'

/** By the time the caller hears of its grant, it may have given up, or the lock may be lost. */
export function admit(held: Held, signal: AbortSignal | undefined): Held {
  if (signal?.aborted) {
    held.release()
    throw signal.reason
  }
  held.assertHeld()
  return held
}

/**
 * Settles with the callback after the release, or with the first loss, whatever the callback still does. Of several locks the
 * others stay held until the callback settles, because it may still work under them.
 */
export function whileHeld(locks: readonly Held[], callback: () => unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    for (const held of locks) whenLost(held, reject)
    const settle = (outcome: () => void) => {
      for (const held of locks) held.release()
      outcome()
    }
    new Promise((done) => done(callback())).then(
      (value) => settle(() => resolve(value)),
      (reason: unknown) => settle(() => reject(reason)),
    )
  })
}
