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

/** Settles with the callback, after the release; or with the loss, whatever the callback goes on to do. */
export function whileHeld(held: Held, callback: () => unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    whenLost(held, reject)
    const settle = (outcome: () => void) => {
      held.release()
      outcome()
    }
    new Promise((done) => done(callback())).then(
      (value) => settle(() => resolve(value)),
      (reason: unknown) => settle(() => reject(reason)),
    )
  })
}
