/** One simulated run of nodes that meet at a register: what the seed draws for the nodes, and what goes wrong at the engine. */
import { get } from '@turnwise/core/bounds'
import '../../check/texts.ts'
import { randomStream } from '@turnwise/core/random'
import { LEASE, type Plan, planFor, type Wishes } from '../simulation/plan.ts'

export interface EnginePlan {
  /** How long a call takes there and back, from so long to three times that. */
  readonly delay: number
  /** Chances: that a call takes up to three leases, that the answer is lost though it was done, that a list lacks a row. */
  readonly slow: number
  readonly unknown: number
  /** The chance that an answer takes up to a third of a lease after the call was done, so that it tells what was then. */
  readonly late: number
  readonly missing: number
  /** Mean time between outages; 0 for never. */
  readonly outages: number
  /** Mean times between deletions of the view, and between restorations of an old copy of all cells; 0 for never. */
  readonly wipes: number
  readonly restores: number
  /** Whether the kernel tells of processes that are gone. */
  readonly kernel: boolean
  /** The chance that a proposer is struck when it freezes members, and when it decides (`STRIKES`). */
  readonly strikes: number
  /** Whether the others hear that the connection to a process has ended that is killed or struck. */
  readonly hangups: boolean
}

/**
 * What happens to a proposer between its FREEZE and its decision: it is killed, it stops for a while, a network fault ends its
 * connections, its network is cut off, or it is told to leave.
 */
export const STRIKES = ['kill', 'stop', 'reset', 'cut', 'leave'] as const

export interface MeetingPlan {
  readonly plan: Plan
  readonly engine: EnginePlan
}

export interface MeetingWishes {
  readonly plan?: Wishes
  readonly engine?: Partial<EnginePlan>
}

export function meetingPlanFor(seed: number, wishes: MeetingWishes = {}): MeetingPlan {
  const random = randomStream(seed, 'engine')
  const oneOf = <T>(values: readonly T[]): T => get(values, random.below(values.length))
  const drawn: EnginePlan = {
    delay: oneOf([0.3, 1, 4]),
    slow: oneOf([0, 0, 0.02, 0.1]),
    unknown: oneOf([0, 0, 0.02, 0.1]),
    missing: oneOf([0, 0, 0.05]),
    outages: oneOf([0, 0, 0, 3, 8]) * LEASE,
    wipes: 0,
    restores: 0,
    kernel: random.chance(0.3),
    late: 0,
    strikes: oneOf([0, 0.2, 0.6]),
    hangups: random.chance(0.7),
  }
  const engine = { ...drawn, ...wishes.engine }
  // Without disks nothing is lost with them, and nobody votes.
  const plan = planFor(seed, {
    wishes: 0,
    suspends: 0,
    lostState: 0,
    restored: 0,
    leases: [],
    write: 0,
    outages: engine.outages,
    ...wishes.plan,
  })
  return { plan, engine }
}
