/** Runs a round again with less and less of its schedule, each time with fresh processes. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PlanOptions, plan, type Round } from './plan.ts'
import { judgesOf, type Shrunk, smallerRound } from './shrink.ts'
import { type RoundReport, Torture } from './torture.ts'
import type { StageOptions } from './torture-stage.ts'

/** A stage without the places for its records. */
export type BareStage = Omit<StageOptions, 'directory' | 'audits'>

/** The smaller round, or why there is none. `tell` hears of each that is tried. */
export async function shrinkRound(
  stage: BareStage,
  planned: PlanOptions,
  { round, findings }: Pick<RoundReport, 'round' | 'findings'>,
  stop: AbortSignal,
  tell: (text: string) => void,
): Promise<Shrunk | string> {
  const judges = findings.map(({ judge }) => judge)
  if (judges.length === 0) return 'no judge objects to the round itself: nothing to make smaller'
  const small = await smallerRound(round.parts ?? 0, judges, async (parts) => {
    const found = await judgesOfRound(stage, roundWith(planned, round.number, parts), stop)
    tell(`round ${round.number} with parts ${parts.join() || 'none'}: ${found.join(', ') || 'nothing found'}`)
    return found
  })
  return small ?? `round ${round.number}, run again alone, does not fail: nothing to make smaller`
}

export function roundWith(planned: PlanOptions, number: number, parts: readonly number[] | null): Round {
  const round = plan({ ...planned, parts }).find((each) => each.number === number)
  if (round === undefined) throw new RangeError(`the schedule has no round ${number}`)
  return round
}

async function judgesOfRound(stage: BareStage, round: Round, stop: AbortSignal): Promise<string[]> {
  if (stop.aborted) return []
  const directory = mkdtempSync(join(tmpdir(), 'turnwise-torture-part-'))
  const reports: RoundReport[] = []
  try {
    await Torture.run({ ...stage, directory, audits: null }, [round], stop, {
      began: () => {},
      ended: (report) => reports.push(report),
    })
    return judgesOf(reports)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
