/** One simulated run, drawn from its seed: how many nodes, which algorithm inside the views, and how much goes wrong. */
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
  /** Faults end here; null for a run without a quiet tail. */
  readonly quietFrom: number
  readonly end: number
  /** From here on every node must enter every name; null without a quiet tail. */
  readonly mustEnterFrom: number | null
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

/** Wishes override what the seed draws: a script that looks for one flaw stays on one kind of world. */
export type Wishes = Partial<Omit<Plan, 'seed'>>

export function planFor(seed: number, wishes: Wishes = {}): Plan {
  const random = randomStream(seed, 'plan')
  const oneOf = <T>(values: readonly T[]): T => values[random.below(values.length)]
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
    quietFrom,
    end: quiet ? quietFrom + 18 * LEASE : quietFrom,
    mustEnterFrom: quiet ? quietFrom + 6 * LEASE : null,
  }
  return { seed, ...drawn, ...wishes }
}
