/** Measures of a quorum system: whether it is a coterie, whether another dominates it, its load, what it survives. */
import type { NodeId } from '../algorithm.ts'
import { get, increase } from '../bounds.ts'
import { randomStream } from '../random.ts'
import type { QuorumFamily } from './family.ts'
import { fewestToHit } from './fewest-to-hit.ts'
import { largest } from './linear-program.ts'

type Sets = readonly (readonly NodeId[])[]

/** With so many nodes all sets of them can be looked at. */
export const MOST_NODES_FOR_ALL_SETS = 16

/**
 * Two quorums that keep a system from being a coterie (Garcia-Molina and Barbara 1985): they do not meet, or one
 * holds the other. Null if there are none.
 */
export function coterieFault(quorums: Sets): {
  readonly fault: 'disjoint' | 'contained'
  readonly a: readonly NodeId[]
  readonly b: readonly NodeId[]
} | null {
  const sets = quorums.map((quorum) => new Set(quorum))
  for (let i = 0; i < sets.length; i += 1) {
    for (let j = i + 1; j < sets.length; j += 1) {
      const common = get(quorums, i).filter((node) => get(sets, j).has(node)).length
      if (common === 0) return { fault: 'disjoint', a: get(quorums, i), b: get(quorums, j) }
      if (common === get(sets, i).size) return { fault: 'contained', a: get(quorums, i), b: get(quorums, j) }
      if (common === get(sets, j).size) return { fault: 'contained', a: get(quorums, j), b: get(quorums, i) }
    }
  }
  return null
}

/**
 * A set that shows a coterie to be dominated, or null if nothing dominates it: it holds no quorum and meets every quorum,
 * so it could be one more (Garcia-Molina and Barbara 1985). It meets every quorum exactly if the nodes outside hold none.
 */
export function dominationOf({ nodes, isMet }: QuorumFamily): readonly NodeId[] | null {
  const [inside, outside] = [setOf(0, nodes), setOf(0, nodes)]
  for (let code = 0; code < 2 ** nodes; code += 1) {
    fill(inside, code)
    fill(outside, 2 ** nodes - 1 - code)
    if (!isMet(inside) && !isMet(outside)) return [...inside.keys()].filter((node) => inside[node])
  }
  return null
}

export interface Load {
  readonly value: number
  /** How it was found: exactly, or for one way to choose quorums, which the best way may beat. */
  readonly by: 'closed form' | 'fairness' | 'linear program' | 'own quorums'
}

/** Beyond this the program takes too long, and every node asking its own quorum must do. */
export const MOST_COLUMNS = 1000

/**
 * The load of Naor and Wool 1998: quorums are chosen at random, in the way that makes the busiest node least busy;
 * the load is how often that node is chosen. Where all quorums are equally large and all nodes are in equally many
 * it is size / n. Otherwise a linear program finds it.
 */
export function loadOf(family: QuorumFamily, own: (node: NodeId) => readonly NodeId[]): Load {
  const { nodes, quorums } = family
  if (family.load !== undefined) return { value: family.load, by: 'closed form' }
  if (quorums !== null && isFair(quorums, nodes))
    return { value: get(quorums, 0).length / nodes, by: 'fairness' }
  if (quorums !== null && quorums.length <= MOST_COLUMNS)
    return { value: 1 / packing(quorums, nodes), by: 'linear program' }
  return { value: busiest(nodes, own), by: 'own quorums' }
}

/** How often the busiest node is asked if each node asks its own set equally often. */
export function busiest(nodes: number, own: (node: NodeId) => readonly NodeId[]): number {
  const asked = Array.from({ length: nodes }, () => 0)
  for (let node = 0; node < nodes; node += 1) for (const member of own(node)) increase(asked, member)
  return asked.reduce((a, b) => Math.max(a, b)) / nodes
}

export function isFair(quorums: Sets, nodes: number): boolean {
  const within = Array.from({ length: nodes }, () => 0)
  for (const quorum of quorums) for (const node of quorum) increase(within, node)
  return (
    quorums.every(({ length }) => length === get(quorums, 0).length) &&
    within.every((count) => count === within[0])
  )
}

/**
 * The most that can be given to quorums in all if no node may have more than 1 in its quorums together. Given out
 * in proportion, that is the best way to choose: then the busiest node is busy 1 / most of the time.
 */
function packing(quorums: Sets, nodes: number): number {
  const within = membership(quorums, nodes)
  const rows = within.map((coefficients) => ({ coefficients, limit: 1 }))
  return largest(
    rows,
    quorums.map(() => 1),
  )
}

/** For each node a row: 1 where it is in the set, else 0. */
export function membership(sets: Sets, nodes: number): number[][] {
  const rows = Array.from({ length: nodes }, () => sets.map(() => 0))
  sets.forEach((set, column) => {
    for (const node of set) get(rows, node)[column] = 1
  })
  return rows
}

/** The most failures that always leave a quorum; null if finding it would take too long. */
export function resilienceOf(family: QuorumFamily): number | null {
  const within = resilienceWithin(family)
  return within !== null && within.least === within.most ? within.least : null
}

/** Two bounds for it, the same where it is known exactly. */
export interface Resilience {
  readonly least: number
  readonly most: number
}

/** Null where no closed form is known, and there are too many quorums to list and sets to look at. */
export function resilienceWithin(family: QuorumFamily): Resilience | null {
  const { nodes, quorums, resilience } = family
  if (resilience !== undefined) return { least: resilience, most: resilience }
  if (quorums !== null) {
    const { least, most } = fewestToHit(quorums, nodes)
    return { least: least - 1, most: most - 1 }
  }
  if (nodes > MOST_NODES_FOR_ALL_SETS) return null
  const found = resilienceOverAllSets(family)
  return { least: found, most: found }
}

export function resilienceOverAllSets({ nodes, isMet }: QuorumFamily): number {
  let fewest = nodes
  const up = setOf(0, nodes)
  for (let code = 0; code < 2 ** nodes; code += 1) {
    const down = nodes - fill(up, code)
    if (down < fewest && !isMet(up)) fewest = down
  }
  return fewest - 1
}

export interface Availability {
  readonly value: number
  /** 99 % sure to hold the true value; the value itself where it is exact. */
  readonly low: number
  readonly high: number
  readonly exact: boolean
}

const MOST_SAMPLES = 100_000
const LEAST_SAMPLES = 10_000
/** Nodes drawn in all, between these bounds. */
const DRAWS = 10_000_000
/** Standard errors that hold 99 % of a normal distribution. */
const Z_99 = 2.576

/** How likely some quorum is up, if each node is with the given probability: exactly where it can be, or sampled. */
export function availabilityOf(family: QuorumFamily, up: number, seed = 1): Availability {
  const { nodes } = family
  if (family.availability !== undefined) return exactly(family.availability(up))
  if (nodes <= MOST_NODES_FOR_ALL_SETS) return exactly(chanceOverAllSets(family, up))
  const random = randomStream(seed, 'availability')
  const samples = Math.ceil(Math.min(MOST_SAMPLES, Math.max(LEAST_SAMPLES, DRAWS / nodes)))
  let met = 0
  const living = setOf(0, nodes)
  for (let i = 0; i < samples; i += 1) {
    for (let node = 0; node < nodes; node += 1) living[node] = random.chance(up)
    if (family.isMet(living)) met += 1
  }
  return wilson(met, samples)
}

function chanceOverAllSets({ nodes, isMet }: QuorumFamily, up: number): number {
  let sum = 0
  const set = setOf(0, nodes)
  for (let code = 0; code < 2 ** nodes; code += 1) {
    const living = fill(set, code)
    if (isMet(set)) sum += up ** living * (1 - up) ** (nodes - living)
  }
  return sum
}

function exactly(value: number): Availability {
  return { value, low: value, high: value, exact: true }
}

/** Wilson's interval (1927), which stays within 0 and 1 also where almost all or almost none were met. */
function wilson(met: number, samples: number): Availability {
  const value = met / samples
  const spread = Z_99 ** 2 / samples
  const centre = (value + spread / 2) / (1 + spread)
  const reach = (Z_99 * Math.sqrt((value * (1 - value)) / samples + spread / (4 * samples))) / (1 + spread)
  return { value, low: Math.max(0, centre - reach), high: Math.min(1, centre + reach), exact: false }
}

/** Makes it the set of this number, and counts who is in it. There are too many sets to make a list of each. */
function fill(set: boolean[], code: number): number {
  let count = 0
  for (let node = 0; node < set.length; node += 1) {
    const isIn = ((code >> node) & 1) === 1
    set[node] = isIn
    if (isIn) count += 1
  }
  return count
}

function setOf(code: number, nodes: number): boolean[] {
  return Array.from({ length: nodes }, (_, node) => ((code >> node) & 1) === 1)
}
