/**
 * For which fire times a job has run, as it is remembered: a short list, and a time up to which nothing is known. Whatever is forgotten raises
 * that time, so that nobody takes what was forgotten for what never was.
 */

/** One run of a job. Times are milliseconds since 1970, by the clock of the machine that ran it. */
export interface Run {
  /** The fire time that it ran for. */
  readonly time: number
  /** The node that ran it. */
  readonly by: string
  /** When it was noted: `most` before the job began, `least` after it returned. */
  readonly at: number
  /** Whether the job is known to have returned. */
  readonly isDone: boolean
}

export interface Runs {
  /** Of fire times up to this one only those listed are known; null if all are. */
  readonly before: number | null
  /** In the order of their fire times. */
  readonly list: readonly Run[]
}

export const NO_RUNS: Runs = { before: null, list: [] }

/** Of one name. More are forgotten, the earliest first. */
export const MOST_RUNS = 256

export type Finding =
  | { readonly kind: 'ran'; readonly run: Run }
  | { readonly kind: 'new' }
  /** It may have run: so early a fire time has been forgotten. */
  | { readonly kind: 'unknown'; readonly before: number }

/** Two fire times within `skew` are the same. */
export function find({ before, list }: Runs, time: number, skew: number): Finding {
  const near = list.filter((run) => Math.abs(run.time - time) <= skew)
  const nearest = near.toSorted((a, b) => Math.abs(a.time - time) - Math.abs(b.time - time))[0]
  if (nearest !== undefined) return { kind: 'ran', run: nearest }
  // One that was forgotten had a fire time of `before` or less, so it can be the same only if this is within `skew` of that.
  return before !== null && time - skew <= before ? { kind: 'unknown', before } : { kind: 'new' }
}

/** With this run, and without those that were noted before `since`. */
export function withRun(runs: Runs, run: Run, since: number): Runs {
  const list = [...runs.list.filter(({ time }) => time !== run.time), run].toSorted((a, b) => a.time - b.time)
  const recent = list.filter(({ at }) => at >= since)
  const kept = recent.slice(-MOST_RUNS)
  const forgotten = list.filter((each) => !kept.includes(each)).map(({ time }) => time)
  return { before: laterOf(runs.before, forgotten), list: kept }
}

/** Of fire times up to this one no more is known than is listed. */
export function forgetting(runs: Runs, before: number | null): Runs {
  return { ...runs, before: before === null ? runs.before : laterOf(runs.before, [before]) }
}

function laterOf(before: number | null, times: readonly number[]): number | null {
  return times.length === 0 && before === null ? null : Math.max(before ?? Number.NEGATIVE_INFINITY, ...times)
}

/** As text, short: there may be many, and each is written with every run. */
export function writeRuns({ before, list }: Runs): string {
  return JSON.stringify({ before, runs: list.map(({ time, by, at, isDone }) => [time, by, at, isDone]) })
}

/** Null for what `writeRuns` does not write. */
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
