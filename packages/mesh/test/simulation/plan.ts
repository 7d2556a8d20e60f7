/** One simulated run, drawn from its seed: how many nodes, which algorithm inside the views, and how much goes wrong. */
import { get } from '@turnwise/core/bounds'
import { randomStream } from '@turnwise/core/random'

/** T in units of virtual time; everything else is measured by it. */
export const LEASE = 100

export interface Plan {
  readonly seed: number
  readonly nodes: number
  readonly algorithm: string
  readonly names: readonly string[]
  readonly drift: number
  /** Chances per message. */
  readonly loss: number
  readonly duplication: number
  readonly tail: number
  /** Delay of an ordinary message, from `delay` to three times that; of one in the tail, up to `longest`. */
  readonly delay: number
  readonly longest: number
  /** Ordered pairs that are slow throughout, as `from * nodes + to`. */
  readonly slow: readonly number[]
  /** Mean times between faults of each kind over all nodes; 0 for never. */
  readonly crashes: number
  readonly cuts: number
  readonly pauses: number
  readonly renewals: number
  readonly leaves: number
  /** Chances: that a restart is quick, that a crash takes the disk along, that a cut is one-way. */
  readonly quick: number
  readonly lostState: number
  readonly oneWay: number
  /** Mean time inside, and between callers of one node. */
  readonly stay: number
  readonly idle: number
  readonly shared: number
  /** The chance that a caller of a lock steals it. */
  readonly steals: number
  /** The chance that an exclusive holder of a lock goes on as a reader. */
  readonly downgrades: number
  /** The chance that a caller of a lock wants to update. Half of them then upgrade, and some of these think better of it. */
  readonly updates: number
  /** The chance that a caller of a lock is more or less urgent than others. */
  readonly priorities: number
  /** How many callers of a node may follow each other (R5). */
  readonly localTurns: number
  /** Faults end here; null for a run without a quiet tail. */
  readonly quietFrom: number
  readonly end: number
  /** From here on every node must enter every name; null without a quiet tail. */
  readonly mustEnterFrom: number | null
  /** So many of the nodes vote at first; the others never, unless somebody wishes. */
  readonly voters: number
  /** Mean times between wishes for other voters, and between sleeps of the first node, which then has no callers. */
  readonly wishes: number
  readonly suspends: number
  /** Mean time between outages of the register, where one decides views; each lasts up to two leases. */
  readonly outages: number
  /** Chances: that a cut is a long one, that a node leaves for good, that one comes back with an old copy of its directory. */
  readonly longCuts: number
  readonly forGood: number
  readonly restored: number
  /** The leases of the nodes, in units of T; those not named have one. */
  readonly leases: readonly number[]
  /** The longest time that a write to disk takes. */
  readonly write: number
  /** Each life of a node is in one of so many zones, or in none; 0: nobody states a zone. */
  readonly zones: number
  /** The chance that a life of a voter can write a stamp (R19). Some writes fail. */
  readonly stamps: number
  /** Whether content voters ignore disturbers (R8). Without it there are more rival ballots. */
  readonly heedsRank: boolean
}

export const FAULTS = ['crash', 'cut', 'pause', 'renew', 'leave', 'wish', 'suspend', 'outage'] as const
export type Fault = (typeof FAULTS)[number]

/** Between two faults of a kind; 0 for never. */
export function meanTime(plan: Plan, fault: Fault): number {
  const { crashes, cuts, pauses, renewals, leaves, wishes, suspends, outages } = plan
  const means: Record<Fault, number> = {
    crash: crashes,
    cut: cuts,
    pause: pauses,
    renew: renewals,
    leave: leaves,
    wish: wishes,
    suspend: suspends,
    outage: outages,
  }
  return means[fault]
}

export const ALGORITHMS = [
  'central-coordinator',
  'suzuki-kasami',
  'ricart-agrawala',
  'carvalho-roucairol',
  'raymond',
  'naimi-trehel',
  'lamport',
  'maekawa',
]

/** Where a node runs in this life. One that starts again may be elsewhere. */
export function zoneIn({ seed, zones }: Plan, id: string, life: number): { readonly zone?: string } {
  const zone = zones === 0 ? 0 : randomStream(seed, `zone of ${id} in life ${life}`).below(zones + 1)
  return zone === 0 ? {} : { zone: `zone-${zone}` }
}

/** Wishes override what the seed draws: a script that looks for one flaw stays on one kind of world. */
export type Wishes = Partial<Omit<Plan, 'seed'>>

export function planFor(seed: number, wishes: Wishes = {}): Plan {
  const random = randomStream(seed, 'plan')
  const oneOf = <T>(values: readonly T[]): T => get(values, random.below(values.length))
  const nodes = oneOf([3, 3, 3, 3, 3, 3, 3, 5, 4, 2])
  const biased = random.chance(0.4)
  const quiet = random.chance(0.35)
  const quietFrom = 14 * LEASE
  const drawn: Omit<Plan, 'seed'> = {
    nodes,
    algorithm: oneOf(ALGORITHMS),
    names: biased || random.chance(0.5) ? ['L'] : ['L', 'M'],
    drift: oneOf([0, 0.002, 0.1]),
    loss: oneOf([0, 0, 0.02, 0.1, 0.3]),
    duplication: oneOf([0, 0.05, 0.2]),
    tail: oneOf([0, 0.01, 0.1]),
    delay: oneOf([0.3, 1, 2]),
    longest: oneOf([0.3, 1, 2.5]) * LEASE,
    slow: Array.from({ length: random.below(3) }, () => random.below(nodes * nodes)),
    crashes: oneOf([0, 1, 2, 4]) * LEASE * (biased ? 0.6 : 1),
    cuts: oneOf([0, 1, 2, 4]) * LEASE,
    pauses: oneOf([0, 0, 2, 5]) * LEASE,
    renewals: oneOf([0, 0, 0.3, 1, 3]) * LEASE,
    leaves: oneOf([0, 0, 5]) * LEASE,
    quick: biased ? 0.8 : oneOf([0.2, 0.5, 0.9]),
    lostState: oneOf([0, 0, 0.1, 0.3]),
    oneWay: oneOf([0, 0.3, 0.8]),
    stay: biased ? 1.2 * LEASE : oneOf([5, 20, 60]),
    idle: oneOf([10, 40, 100]),
    shared: oneOf([0, 0, 0.5, 0.8]),
    steals: 0,
    downgrades: 0,
    updates: 0,
    priorities: 0,
    localTurns: 16,
    quietFrom,
    end: quiet ? quietFrom + 18 * LEASE : quietFrom,
    mustEnterFrom: quiet ? quietFrom + 6 * LEASE : null,
    voters: Math.max(1, nodes - oneOf([0, 0, 0, 0, 1, 2])),
    wishes: oneOf([0, 0, 0, 2, 5]) * LEASE,
    suspends: oneOf([0, 0, 0, 0, 3]) * LEASE,
    outages: 0,
    longCuts: oneOf([0, 0, 0.3]),
    forGood: oneOf([0, 0, 0.5]),
    restored: oneOf([0, 0, 0.5]),
    leases: random.chance(0.25) ? Array.from({ length: nodes }, () => oneOf([0.7, 1, 1.5])) : [],
    write: oneOf([0, 0, 0, 1, 5]),
    zones: 0,
    heedsRank: random.chance(0.5),
    stamps: oneOf([0, 0.7, 1]),
  }
  return { seed, ...drawn, ...wishes }
}
