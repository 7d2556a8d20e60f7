/** A caller of a client that waits for its daemon. */
import { lockTimedOut } from '../locks/errors.ts'
import type { Held } from '../locks/held.ts'
import type { Wish } from '../locks/options.ts'
import type { Fence } from '../protocol/fence.ts'
import { ticketsOf } from './control-messages.ts'

export interface Caller {
  /** One, or several locks that are requested together. */
  readonly keys: readonly string[]
  readonly wishes: readonly Wish[]
  /** The first of them. Signal and time limit are the same for all. */
  readonly wish: Wish
  readonly resolve: (held: readonly Held[] | null) => void
  readonly reject: (reason: unknown) => void
  /** Removes the timer and the listener at the signal. */
  forget: () => void
  /** The ticket of its last request; 0 while there is no daemon to ask. */
  ticket: number
}

/** The tickets of what it may hold. */
export function holdsOf({ ticket, keys }: Caller): readonly number[] {
  return ticket === 0 ? [] : ticketsOf(ticket, keys.length)
}

export interface Granted {
  readonly caller: Caller
  readonly fences: readonly Fence[]
}

/** The callers of a client that have asked its daemon, by ticket. */
export class Callers {
  readonly #waiting = new Map<number, Caller>()
  /** Granted, but only another beat can say for how long. */
  readonly granted = new Map<number, Granted>()

  get size(): number {
    return this.#waiting.size + this.granted.size
  }

  get all(): readonly Caller[] {
    return [...this.#waiting.values(), ...[...this.granted.values()].map(({ caller }) => caller)]
  }

  waiting(ticket: number): Caller | undefined {
    return this.#waiting.get(ticket)
  }

  /** The ticket of the caller with this wish; null if none has asked with it. */
  ticketWith(isMine: (wish: Wish) => boolean): number | null {
    for (const [ticket, { wish }] of this.#waiting) if (isMine(wish)) return ticket
    return null
  }

  add(caller: Caller): void {
    this.#waiting.set(caller.ticket, caller)
  }

  grant(caller: Caller, fences: readonly Fence[]): void {
    this.#waiting.delete(caller.ticket)
    this.granted.set(caller.ticket, { caller, fences })
  }

  delete({ ticket }: Caller): void {
    this.#waiting.delete(ticket)
    this.granted.delete(ticket)
  }

  /** Whom this hold was granted, if that caller has not heard of it yet. */
  ofHold(hold: number): Caller | undefined {
    const found = [...this.granted.values()].find(({ caller }) => holdsOf(caller).includes(hold))
    return found?.caller
  }
}

/**
 * Ends the wait by the signal and the timeout; returns the function that removes both. The daemon counts the time too. This timer
 * is for a daemon that does not answer. With a timeout of 0 only the daemon can decide, so the timer waits for a lease. Only the
 * daemon can say which of several locks was awaited, so it gets a moment to do so.
 */
export function limited(
  { wish, wishes }: Caller,
  leaseMs: number,
  giveUp: (reason: unknown) => void,
): () => void {
  const { signal, timeout } = wish
  const abort = () => giveUp(signal?.reason)
  signal?.addEventListener('abort', abort)
  const names = wishes.map(({ name }) => name).join('", "')
  const more = timeout === 0 ? leaseMs : wishes.length > 1 ? leaseMs / 10 : 0
  const timer =
    timeout === undefined
      ? undefined
      : setTimeout(() => giveUp(lockTimedOut(names, timeout)), Math.min(timeout + more, LONGEST_TIMER))
  return () => {
    signal?.removeEventListener('abort', abort)
    clearTimeout(timer)
  }
}

/** Of `setTimeout`. */
export const LONGEST_TIMER = 2 ** 31 - 1

/** Whether it waits for a daemon that comes back. */
export function isPatient({ ifAvailable, timeout }: Wish): boolean {
  return !ifAvailable && timeout !== 0
}
