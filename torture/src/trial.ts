/** One broken rule under torture, for some rounds or until a judge finds it. */
import { DEFAULT_ALGORITHM } from '@turnwise/mesh/protocol/serving'
import { IDS, LOCKS } from './cast.ts'
import type { PlaceName } from './deeds.ts'
import { plan } from './plan.ts'
import { roundWith, shrinkRound } from './rerun.ts'
import type { SetPiece } from './set-pieces.ts'
import { judgesOf, type Shrunk } from './shrink.ts'
import { type RoundReport, Torture } from './torture.ts'

/** What the schedules of a rule are held to; the seed draws the rest. */
export interface Aim {
  readonly nodes: number
  readonly leaseMs: number
  readonly beginWith: SetPiece | null
  /** Where they meet; absent if they are named. */
  readonly at?: PlaceName
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
  /** Parts of the last round that are enough, or why there are none; absent if it was not asked for. */
  readonly small?: Shrunk | string
}

export interface Limits {
  readonly seed: number
  readonly rounds: number
  readonly ownNamespace: boolean
  /** Only this round of the schedule, and of it only these parts. */
  readonly round?: number
  readonly parts?: readonly number[]
  /** Whether the round in which it is found is made smaller. */
  readonly shrink?: boolean
}

/** No rule of the protocol: a program that takes what it was once given for its own, whatever became of its lease. */
export const IGNORES_LOSS = 'ignores-loss'

/** The longest round, and the calm after it, in leases. */
const LONGEST = 13

export async function tortureRule(
  rule: string,
  aim: Aim,
  limits: Limits,
  stop: AbortSignal,
  directory: string,
  tell: (text: string) => void = () => {},
): Promise<Trial> {
  const { nodes, leaseMs, beginWith, at = null } = aim
  const { seed } = limits
  const ids = IDS.slice(0, nodes)
  const milliseconds = limits.rounds * LONGEST * leaseMs
  const planned = { seed, ids, leaseMs, milliseconds, beginWith, at }
  const rounds =
    limits.round === undefined
      ? plan(planned).slice(0, limits.rounds)
      : [roundWith(planned, limits.round, limits.parts ?? null)]
  const started = performance.now()
  const reports: RoundReport[] = []
  const stage = {
    seed,
    ids,
    leaseMs,
    at,
    locks: LOCKS,
    security: 'none',
    algorithm: DEFAULT_ALGORITHM,
    ownNamespace: limits.ownNamespace,
  } as const
  const mistake =
    rule === IGNORES_LOSS
      ? { ignoresLoss: true }
      : {
          program: {
            source: new URL('./broken-member.ts', import.meta.url),
            args: [rule, ...(at === null ? [] : [at])],
          },
        }
  const bare = { ...stage, ...mistake }
  // Whatever a broken rule does differs from what the rules say: the other judges must find the consequences.
  await Torture.run({ ...bare, directory, audits: null }, rounds, stop, {
    began: () => {},
    ended: (report) => reports.push(report),
  })
  const judges = judgesOf(reports)
  const seconds = (performance.now() - started) / 1000
  const trial = { rule, aim, rounds: limits.round ?? reports.length, judges, seconds }
  const last = reports.at(-1)
  if (limits.shrink !== true || judges.length === 0 || last === undefined) return trial
  return { ...trial, small: await shrinkRound(bare, planned, last, stop, tell) }
}
