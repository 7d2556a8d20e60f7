import { performance } from 'node:perf_hooks'

/** The node's own clock: monotonic, in milliseconds, the same in all threads of the process. It detects sleep. */
export interface Clock {
  now(): number
  /**
   * Whether the machine slept since the last call. Monotonic time stands still in a suspended machine while leases run out
   * elsewhere, so all holds must count as lost ("Pauses and sleep" in docs/mesh-protocol.md).
   */
  slept(now: number): boolean
}

/**
 * How far one clock is ahead of the other. The two are not read at the same moment: if the thread must wait in between, the
 * result is too low, never too high. So the highest of several readings counts.
 */
export function difference(one: () => number, other: () => number): number {
  let highest = Number.NEGATIVE_INFINITY
  for (let i = 0; i < READINGS; i += 1) highest = Math.max(highest, one() - other())
  return highest
}

const READINGS = 100

/**
 * In Node, `hrtime` has the same origin in all threads, while `performance.now()` counts from the start of its thread. On Bun and
 * Deno `hrtime` does too. There a time noted by one thread would mean another time in the other, and a promise could end too
 * soon.
 */
export const haveThreadsOneClock = !('bun' in process.versions || 'deno' in process.versions)

/**
 * The monotonic clock that all processes of a machine share, in milliseconds: CLOCK_MONOTONIC on Linux. It stands still while the machine
 * sleeps, and begins anew with each boot. On Bun and Deno it begins with the process.
 */
export function machineTime(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

const origin = difference(machineTime, () => performance.now())

export function monotonic(): number {
  return performance.now() + origin
}

/** Counts it as sleep if wall and monotonic time progress differently by more than `tolerance` milliseconds, either way. */
export function systemClock(tolerance: number): Clock {
  let before = monotonic()
  let apart = Date.now() - before
  return {
    now: monotonic,
    slept(now) {
      // Reading the time of day is slow, and every event asks. So a sleep is noticed up to one millisecond late. Messages sent
      // within that millisecond must be stopped by the fence, as always.
      if (now >= before && now - before < 1) return false
      let nowApart = Date.now() - now
      // A thread that had to wait between its two readings has not slept. On a busy machine that happens often.
      if (Math.abs(nowApart - apart) > tolerance) nowApart = difference(Date.now, monotonic)
      const hasSlept = Math.abs(nowApart - apart) > tolerance || now < before
      before = now
      // The wall clock may be corrected slowly for ever. Only jumps count.
      apart = nowApart
      return hasSlept
    },
  }
}
