/**
 * A failing round made smaller: parts of its schedule are left out, by halves and then one by one, for as long as the same judge still
 * objects. A part is what a fault does to one process, to one way of a link, to the voters or to the engine, together with
 * its repair. So every smaller schedule keeps to what the protocol promises, and ends in repair.
 *
 * Real processes never do the same twice. So a smaller schedule is tried more than once before it is given up.
 */
import type { RoundReport } from './torture.ts'

/** How often a smaller schedule may be without a finding before it counts as harmless. */
const TRIES = 2
/** Rounds that are run at most. */
const MOST_TRIALS = 40

export interface Shrunk {
  /** Of the round, from 1. */
  readonly parts: readonly number[]
  /** How many rounds were run for it. */
  readonly trials: number
}

/** What is asked of a round with these parts only: which judges object. */
export type Trying = (parts: readonly number[]) => Promise<readonly string[]>

/** Null if the whole round, run again, does not fail: then nothing smaller is known to. */
export async function smallerRound(
  parts: number,
  judges: readonly string[],
  run: Trying,
): Promise<Shrunk | null> {
  let trials = 0
  const fails = async (some: readonly number[]): Promise<boolean> => {
    for (let i = 0; i < TRIES && trials < MOST_TRIALS; i += 1) {
      trials += 1
      const found = await run(some)
      if (found.some((judge) => judges.includes(judge))) return true
    }
    return false
  }
  let kept: readonly number[] = Array.from({ length: parts }, (_, i) => i + 1)
  if (!(await fails(kept))) return null
  for (let size = Math.ceil(kept.length / 2); ; size = Math.max(1, Math.floor(size / 2))) {
    const before = kept.length
    // From the end: what is done last is least likely to matter.
    for (let end = kept.length; end > 0; end = Math.min(end - size, kept.length)) {
      const without = kept.toSpliced(Math.max(0, end - size), Math.min(size, end))
      if (await fails(without)) kept = without
    }
    if (trials >= MOST_TRIALS || (size === 1 && kept.length === before)) return { parts: kept, trials }
  }
}

export function judgesOf(reports: readonly RoundReport[]): string[] {
  return [...new Set(reports.flatMap(({ findings }) => findings.map(({ judge }) => judge)))]
}
