/** The node's own clock: monotonic, in milliseconds, the same in all threads of the process, and watched for sleep. */
export interface Clock {
  now(): number
  /**
   * Whether the machine slept since it was last asked: monotonic time stands still in a suspended machine while leases
   * run out elsewhere, so what was held must be treated as lost (section 7 of the protocol).
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

/** What all threads have in common is the origin of `hrtime`; `performance.now()` counts from the start of its thread. */
const origin = difference(
  () => Number(process.hrtime.bigint()) / 1e6,
  () => performance.now(),
)

export function monotonic(): number {
  return performance.now() + origin
}

/** What a clock is read from: tests put their own in their place. */
export interface Readings {
  readonly monotonic: () => number
  readonly wall: () => number
}

/**
 * A difference between wall and monotonic progress beyond `tolerance` milliseconds counts as sleep, either way. A thread
 * that has to wait between reading the one and the other has not slept: where it looks like it, both are read with care.
 */
export function systemClock(
  tolerance: number,
  { monotonic: read, wall }: Readings = { monotonic, wall: Date.now },
): Clock {
  let before = read()
  let apart = difference(wall, read)
  return {
    now: read,
    slept(now) {
      let nowApart = wall() - now
      if (Math.abs(nowApart - apart) > tolerance) nowApart = difference(wall, read)
      const hasSlept = Math.abs(nowApart - apart) > tolerance || now < before
      before = now
      // The wall clock may be corrected a little at a time for ever: only jumps count.
      apart = nowApart
      return hasSlept
    },
  }
}
