/** Durations counted in buckets. All buckets exist from the beginning, so recording a duration allocates nothing. */
import { floatAt } from '@turnwise/core/bounds'

/** Upper bounds of the buckets in seconds, from 10 µs to a minute. One more bucket has the longer ones. */
export const BUCKETS: readonly number[] = [
  0.000_01, 0.000_03, 0.000_1, 0.000_3, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 60,
]

/** The same in milliseconds, the unit of all measurements here. */
const BOUNDS = Float64Array.from(BUCKETS, (seconds) => seconds * 1000)

/** A histogram of durations. */
export interface HistogramReading {
  /** One for each bucket of docs/observe.md, not cumulative, and one for longer durations. */
  readonly counts: readonly number[]
  /** In seconds. */
  readonly sum: number
}

export class Histogram {
  readonly #counts = new Float64Array(BOUNDS.length + 1)
  #sumMs = 0

  record(milliseconds: number): void {
    let bucket = 0
    while (bucket < BOUNDS.length && milliseconds > floatAt(BOUNDS, bucket)) bucket += 1
    this.#counts[bucket] = floatAt(this.#counts, bucket) + 1
    this.#sumMs += milliseconds
  }

  read(): HistogramReading {
    return { counts: [...this.#counts], sum: this.#sumMs / 1000 }
  }
}

export function countIn({ counts }: HistogramReading): number {
  return counts.reduce((total, count) => total + count, 0)
}
