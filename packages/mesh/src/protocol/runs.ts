/**
 * The fire times for which a job has run: a short list, and a time up to which the list may be incomplete. Forgetting a run
 * raises that time, so a forgotten run is never taken for one that did not happen.
 */

/** One run of a job. Times are milliseconds since 1970, by the clock of the machine that ran it. */
export interface Run {
  /** The fire time that it ran for. */
  readonly time: number
  /** The node that ran it. */
  readonly by: string
  /** When it was noted: before the job began for `most`, after it returned for `least`. */
  readonly at: number
  /** Whether the job is known to have returned. */
  readonly isDone: boolean
}

export interface Runs {
  /** Up to this fire time the list may be incomplete. Null if it is complete. */
  readonly before: number | null
  /** In the order of their fire times. */
  readonly list: readonly Run[]
}

export const NO_RUNS: Runs = { before: null, list: [] }

/** For one name. Beyond this, the earliest runs are forgotten, but never the one that is noted. */
export const MOST_RUNS = 256

/** Milliseconds by which clocks may differ, at most. */
export const MOST_SKEW = 3_600_000

export type Finding =
  | { readonly kind: 'ran'; readonly run: Run }
  | { readonly kind: 'new' }
  /** It may have run: runs with such an early fire time have been forgotten. */
  | { readonly kind: 'unknown'; readonly before: number }

/** Two fire times within `skew` count as the same. */
export function find({ before, list }: Runs, time: number, skew: number): Finding {
  const near = list.filter((run) => Math.abs(run.time - time) <= skew)
  const nearest = near.toSorted((a, b) => Math.abs(a.time - time) - Math.abs(b.time - time))[0]
  if (nearest !== undefined) return { kind: 'ran', run: nearest }
  // A forgotten run has a fire time of `before` or less. It can match only if this one is within `skew` of that.
  return before !== null && time - skew <= before ? { kind: 'unknown', before } : { kind: 'new' }
}

/** Adds this run, and forgets those noted before `since`. */
export function withRun(runs: Runs, run: Run, since: number): Runs {
  const others = runs.list.filter(({ time }) => time !== run.time)
  const kept = others.filter(({ at }) => at >= since).slice(1 - MOST_RUNS)
  const forgotten = others.filter((each) => !kept.includes(each)).map(({ time }) => time)
  return {
    before: laterOf(runs.before, forgotten),
    list: [...kept, run].toSorted((a, b) => a.time - b.time),
  }
}

/** Marks that the list may be incomplete up to this fire time. */
export function forgetting(runs: Runs, before: number | null): Runs {
  return { ...runs, before: before === null ? runs.before : laterOf(runs.before, [before]) }
}

function laterOf(before: number | null, times: readonly number[]): number | null {
  return times.length === 0 && before === null ? null : Math.max(before ?? Number.NEGATIVE_INFINITY, ...times)
}

/** As short text, because the whole list is written with every run. */
export function writeRuns({ before, list }: Runs): string {
  return JSON.stringify({ before, runs: list.map(({ time, by, at, isDone }) => [time, by, at, isDone]) })
}

/** Null for text that `writeRuns` did not write. */
export function readRuns(text: string): Runs | null {
  const { before, runs } = parsed(text)
  if (!(before === null || isTime(before)) || !Array.isArray(runs) || runs.length > MOST_RUNS) return null
  const list = runs.map(readRun)
  return list.every((run) => run !== null) ? { before, list } : null
}

function readRun(value: unknown): Run | null {
  if (!Array.isArray(value) || value.length !== 4) return null
  const [time, by, at, isDone] = value as readonly unknown[]
  const isRun = isTime(time) && typeof by === 'string' && isTime(at) && typeof isDone === 'boolean'
  return isRun ? { time, by, at, isDone } : null
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

function parsed(text: string): { readonly before?: unknown; readonly runs?: unknown } {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
