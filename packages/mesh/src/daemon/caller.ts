/** A caller of a client that waits for its daemon. */
import { lockTimedOut } from '../locks/errors.ts'
import type { Held } from '../locks/held.ts'
import type { Wish } from '../locks/options.ts'

export interface Caller {
  readonly key: string
  readonly wish: Wish
  readonly resolve: (held: Held | null) => void
  readonly reject: (reason: unknown) => void
  /** Removes the timer and the listener at the signal. */
  forget: () => void
  /** The ticket of its last request; 0 while there is no daemon to ask. */
  ticket: number
}

/**
 * Ends the wait by the signal and the timeout; returns the function that removes both. The daemon counts the time too. This timer
 * is for a daemon that does not answer. With a timeout of 0 only the daemon can decide, so the timer waits for a lease.
 */
export function limited({ wish }: Caller, lease: number, giveUp: (reason: unknown) => void): () => void {
  const { signal, timeout, name } = wish
  const abort = () => giveUp(signal?.reason)
  signal?.addEventListener('abort', abort)
  const timer =
    timeout === undefined
      ? undefined
      : setTimeout(() => giveUp(lockTimedOut(name, timeout)), timeout || lease)
  return () => {
    signal?.removeEventListener('abort', abort)
    clearTimeout(timer)
  }
}

/** Whether it waits for a daemon that comes back. */
export function isPatient({ ifAvailable, timeout }: Wish): boolean {
  return !ifAvailable && timeout !== 0
}
