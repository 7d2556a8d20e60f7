/** From the grant to the release. */
import { type Held, whenLost } from './held.ts'

/** By the time its caller hears of a grant, the caller may have given up, or the lock may be gone again. */
export function admit(held: Held, signal: AbortSignal | undefined): Held {
  if (signal?.aborted) {
    held.release()
    throw signal.reason
  }
  held.assertHeld()
  return held
}

/**
 * Settles with the callback, after the release; or with the first loss, whatever the callback goes on to do. Of several locks those that
 * are not lost stay held until it settles: it may still be at work under them.
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
