import { get } from '@turnwise/core/bounds'
import { TICKS_PER_UNIT } from '@turnwise/core/trace/trace'
import type { Timeline } from '../../run/timeline.ts'

/** Where a run is shown: after so many happenings, and what share of the way to the next. */
export interface Cursor {
  readonly position: number
  readonly share: number
}

type Steps = Pick<Timeline, 'happenings'>

/** At speed 1, in milliseconds. A unit of time is a second; what happens at once is shown one after another. */
const PER_UNIT = 1000
const LEAST = 700
const MOST = 2500

export const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 256] as const

/** How long the way from a position to the next lasts on the screen. */
export function durationAt({ happenings }: Steps, position: number, speed: number): number {
  const from = position === 0 ? 0 : get(happenings, position - 1).at
  const units = (get(happenings, position).at - from) / TICKS_PER_UNIT
  return Math.min(MOST, Math.max(LEAST, units * PER_UNIT)) / speed
}

/** The cursor so many milliseconds later; at the end it stays. */
export function advance(recording: Steps, cursor: Cursor, elapsed: number, speed: number): Cursor {
  const last = recording.happenings.length
  let { position, share } = cursor
  let left = elapsed
  while (position < last) {
    const duration = durationAt(recording, position, speed)
    const rest = (1 - share) * duration
    if (left < rest) return { position, share: share + left / duration }
    left -= rest
    position += 1
    share = 0
  }
  return { position: last, share: 0 }
}

/** When that is in the run, in ticks. */
export function timeOf({ happenings }: Steps, { position, share }: Cursor): number {
  const from = position === 0 ? 0 : get(happenings, position - 1).at
  const to = position < happenings.length ? get(happenings, position).at : from
  return from + share * (to - from)
}
