/** One broken rule under torture, for some rounds or until a judge finds it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { IDS, LOCKS } from '../../packages/cli/dist/torture/cast.js'
import { plan } from '../../packages/cli/dist/torture/plan.js'
import type { SetPiece } from '../../packages/cli/dist/torture/set-pieces.js'
import { type RoundReport, Torture } from '../../packages/cli/dist/torture/torture.js'

/** What the schedules of a rule are held to; the seed draws the rest. */
export interface Aim {
  readonly nodes: number
  readonly lease: number
  readonly beginWith: SetPiece | null
}

/** What became of it. */
export interface Trial {
  readonly rule: string
  readonly aim: Aim
  /** How many rounds were run, the one in which it was found too. */
  readonly rounds: number
  /** Which judges found something in the last of them. */
  readonly judges: readonly string[]
  readonly seconds: number
}

/** The longest round, and the calm after it, in leases. */
const LONGEST = 13

export async function tortureRule(
  rule: string,
  aim: Aim,
  limits: { readonly seed: number; readonly rounds: number; readonly ownNamespace: boolean },
  stop: AbortSignal,
): Promise<Trial> {
  const { nodes, lease, beginWith } = aim
  const { seed } = limits
  const ids = IDS.slice(0, nodes)
  const milliseconds = limits.rounds * LONGEST * lease
  const rounds = plan({ seed, ids, lease, milliseconds, beginWith }).slice(0, limits.rounds)
  const directory = mkdtempSync(join(tmpdir(), 'turnwise-mutant-'))
  const started = performance.now()
  const reports: RoundReport[] = []
  try {
    const stage = {
      seed,
      ids,
      lease,
      locks: LOCKS,
      security: 'none',
      algorithm: 'carvalho-roucairol',
      ownNamespace: limits.ownNamespace,
    } as const
    await Torture.run({ ...stage, broken: rule, directory }, rounds, stop, {
      began: () => {},
      ended: (report) => reports.push(report),
    })
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
  const judges = [...new Set(reports.flatMap(({ findings }) => findings.map(({ judge }) => judge)))]
  return { rule, aim, rounds: reports.length, judges, seconds: (performance.now() - started) / 1000 }
}
