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
  /**
   * The chance that a call that is answered takes up to a third of a lease. It is late on its way there, so that its answer tells
   * of a later moment than the one at which it was asked, or on its way back, so that its answer tells what was then.
   */
  readonly late: number
  readonly missing: number
  /** Mean time between outages; 0 for never. */
  readonly outages: number
  /** Mean times between deletions of the view, and between restorations of an old copy of all cells; 0 for never. */
  readonly wipes: number
  readonly restores: number
  /**
   * When an operator restores an old copy of all cells as M14 asks: all members are stopped, and a lease passes before it. 0 for
   * never.
   */
  readonly restoredAt: number
  /**
   * How many seconds pass in a lease, for the lowest epoch (M12). With few of them proposers choose the same epoch again and again.
   * With one for each unit of time an epoch is never chosen twice, and views change less than once a second, as damage requires.
   */
  readonly seconds: number
  /** Whether the kernel tells of processes that are gone. */
  readonly kernel: boolean
  /** The chance that a proposer is struck when it freezes members, and when it decides, and how. */
  readonly strikes: number
  readonly kinds: readonly Strike[]
  /** Whether the others hear that the connection to a process has ended that is killed or struck. */
  readonly hangups: boolean
}

/**
 * What happens to a proposer between its FREEZE and its decision: it is killed, it stops for a while, a network fault ends its
 * connections, its network is cut off, or it is told to leave.
 */
export const STRIKES = ['kill', 'stop', 'reset', 'cut', 'leave'] as const
export type Strike = (typeof STRIKES)[number]

export interface MeetingPlan {
  readonly plan: Plan
  readonly engine: EnginePlan
}

export interface MeetingWishes {
  readonly plan?: Wishes
  readonly engine?: Partial<EnginePlan>
}

/** In one run of ten somebody deletes the view every three leases. In one of ten an operator restores an old copy. */
function harm(share: number, leases: number): Partial<EnginePlan> {
  if (share === 0) return { wipes: 3 * LEASE }
  return share === 1 ? { restoredAt: (3 + leases) * LEASE } : {}
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
    restoredAt: 0,
    kernel: random.chance(0.3),
    strikes: oneOf([0, 0.2, 0.6]),
    kinds: STRIKES,
    hangups: random.chance(0.7),
    late: oneOf([0, 0, 0.1, 0.4]),
    seconds: oneOf([0, 2, 2, LEASE]),
    ...harm(random.below(10), random.below(8)),
  }
  const wanted = { ...drawn, ...wishes.engine }
  const isHarmed = wanted.wipes > 0 || wanted.restores > 0 || wanted.restoredAt > 0
  const engine = isHarmed ? { ...wanted, seconds: LEASE } : wanted
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
