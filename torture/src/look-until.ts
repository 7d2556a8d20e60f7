import { setTimeout as sleep } from 'node:timers/promises'
import { monotonic } from '@turnwise/mesh/lease/clock'

/** What passes the time. */
export interface Time {
  now(): number
  sleep(milliseconds: number): Promise<unknown>
}

export interface Patience {
  /** When it looks no more, or so much later as this process was held up meanwhile. */
  readonly deadline: number
  /** Milliseconds between two looks. */
  readonly pause: number
  readonly stop: AbortSignal
  /** So many milliseconds from one look to the next, and this process was held up. */
  readonly tooLong: number
  /** Told before the next look, or what the others could not do meanwhile would be held against them. */
  readonly heldUp: (at: number, milliseconds: number) => void
}

const REAL: Time = { now: monotonic, sleep }

/** Looks again and again until it is so, it is stopped, or the time is over: whether it is so then. */
export async function lookUntil(isSo: () => boolean, patience: Patience, time = REAL): Promise<boolean> {
  const { pause, stop, tooLong, heldUp } = patience
  let { deadline } = patience
  let before = time.now()
  for (;;) {
    const now = time.now()
    const passed = now - before
    if (passed > tooLong) {
      heldUp(now, passed)
      deadline += passed
    }
    before = now
    if (isSo()) return true
    if (stop.aborted || time.now() > deadline) return false
    await time.sleep(pause)
  }
}
