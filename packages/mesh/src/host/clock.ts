import { performance } from 'node:perf_hooks'

/** The node's own clock: monotonic, in milliseconds, the same in all threads of the process, and watched for sleep. */
export interface Clock {
  now(): number
  /**
   * Whether the machine slept since it was last asked: monotonic time stands still in a suspended machine while leases
   * run out elsewhere, so what was held must be treated as lost ("Pauses and sleep" in docs/mesh-protocol.md).
   */
  slept(now: number): boolean
}

/**
 * How much one clock shows more than the other. They are not read at one moment: a thread may have to wait
 * between the two, and then the reading is too low by that, never too high. So the highest of several counts.
 */
export function difference(one: () => number, other: () => number): number {
  let highest = Number.NEGATIVE_INFINITY
  for (let i = 0; i < READINGS; i += 1) highest = Math.max(highest, one() - other())
  return highest
}

const READINGS = 100

/**
 * What all threads have in common is the origin of `hrtime`; `performance.now()` counts from the start of its thread. On Bun
 * and Deno `hrtime` does too: what one thread noted would be another time for the other, and a promise end too soon.
 */
export const haveThreadsOneClock = !('bun' in process.versions || 'deno' in process.versions)

const origin = difference(
  () => Number(process.hrtime.bigint()) / 1e6,
  () => performance.now(),
)

export function monotonic(): number {
  return performance.now() + origin
}

/** A difference between wall and monotonic progress beyond `tolerance` milliseconds counts as sleep, either way. */
export function systemClock(tolerance: number): Clock {
  let before = monotonic()
  let apart = Date.now() - before
  return {
    now: monotonic,
    slept(now) {
      // The time of day is dear, and every event asks: a sleep is noticed up to a millisecond of being awake later. Whoever
      // holds a lock does not ask more often either; what is sent in that time the fence has to turn away, as ever.
      if (now >= before && now - before < 1) return false
      let nowApart = Date.now() - now
      // A thread that had to wait between its two readings has not slept: on a busy machine that is often.
      if (Math.abs(nowApart - apart) > tolerance) nowApart = difference(Date.now, monotonic)
      const hasSlept = Math.abs(nowApart - apart) > tolerance || now < before
      before = now
      // The wall clock may be corrected a little at a time for ever: only jumps count.
      apart = nowApart
      return hasSlept
    },
  }
}
