/**
 * Looks for the information structure that serves a workload best.
 *
 * Only inform sets have to be searched. Given them, the theorem (Sanders 1987, section 4) tells the smallest request
 * sets: the nodes that a node tells, and every node whose inform set does not meet its own. A larger request set costs
 * messages, never saves delay, and fails more often, so the smallest is best by every measure.
 *
 * A cost only grows as inform sets are added, one node after another: that bounds the exact search, which is made
 * for few nodes. For more, inform sets are improved one change at a time from many beginnings, and what is found is
 * the best seen, not proved best.
 */
import type { NodeId } from '../algorithm.ts'
import { get, increase, outOfBounds } from '../bounds.ts'
import { InvalidInput } from '../invalid-input.ts'
import type { Random } from '../random.ts'
import { sharesOf, type Workload } from './expected.ts'
import { type Structure, structureOf } from './structure.ts'

export const OBJECTIVES = ['messages', 'delay', 'availability'] as const
export type Objective = (typeof OBJECTIVES)[number]

export interface Wanted extends Workload {
  readonly objective: Objective
  /** The largest share of entries for which a node may be asked by others; 1 for no limit. */
  readonly maxLoad: number
}

export interface Design {
  readonly structure: Structure
  /** Whether every structure was weighed. */
  readonly isExact: boolean
}

/** Sets of nodes are the bits of a number. */
export const MOST_NODES = 30
/** Above, the exact search takes minutes. */
export const MOST_NODES_EXACT = 5

/** Yields the share of the work done; returns the best, or null if no structure stays below the largest load. */
export function* design(
  wanted: Wanted,
  beginnings: readonly Structure[],
  random: Random,
  effort = EFFORT,
): Generator<number, Design | null> {
  const nodes = wanted.demand.length
  if (nodes > MOST_NODES)
    throw new InvalidInput(`"${nodes}" is too many nodes to design for: at most ${MOST_NODES}`)
  const costs = new Costs(wanted)
  const isExact = nodes <= MOST_NODES_EXACT
  const known = beginnings.map(masksOf)
  const best = isExact ? yield* exact(costs, known) : yield* improve(costs, known, random, effort)
  return best === null ? null : { structure: structureFromMasks(best, costs), isExact }
}

/** Inform sets, one number per node; 0 for a node that has none yet. */
type Masks = number[]
/** Violated limits come first: 0 if there are none. Then the wanted measure, then what decides between equals. */
type Cost = readonly [forbidden: number, wanted: number, then: number, last: number]

/** Sums of shares are off in their last digits; rounded, equal costs are equal and a climb comes to an end. */
const DIGITS = 1e9

function rounded(value: number): number {
  return Math.round(value * DIGITS) / DIGITS
}

class Costs {
  readonly nodes: number
  /** The busiest first: their sets decide most of the cost. */
  readonly order: readonly NodeId[]
  readonly #shares: readonly number[]
  readonly #wanted: Wanted

  constructor(wanted: Wanted) {
    this.nodes = wanted.demand.length
    this.#wanted = wanted
    this.#shares = sharesOf(wanted.demand)
    this.order = [...this.#shares.keys()].toSorted(
      (a, b) => get(this.#shares, b) - get(this.#shares, a) || a - b,
    )
  }

  /**
   * The smallest request sets. Two nodes whose inform sets do not meet must watch each other, which takes that
   * each tells itself: `unwatched` counts the pairs that do not.
   */
  requests(inform: Masks): { request: Masks; unwatched: number } {
    const request = [...inform]
    let unwatched = 0
    for (let i = 0; i < this.nodes; i += 1) {
      const mine = inform[i] ?? outOfBounds()
      for (let j = i + 1; j < this.nodes; j += 1) {
        const other = inform[j] ?? outOfBounds()
        if (mine === 0 || other === 0 || (mine & other) !== 0) continue
        if ((mine & (1 << i)) === 0 || (other & (1 << j)) === 0) unwatched += 1
        request[i] = (request[i] ?? outOfBounds()) | (1 << j)
        request[j] = (request[j] ?? outOfBounds()) | (1 << i)
      }
    }
    return { request, unwatched }
  }

  of(inform: Masks): Cost {
    const { request, unwatched } = this.requests(inform)
    const forbidden = unwatched + Math.max(0, rounded(this.#load(request) - this.#wanted.maxLoad))
    let messages = 0
    let failures = 0
    for (let i = 0; i < this.nodes; i += 1) {
      const asked = count((request[i] ?? outOfBounds()) & ~(1 << i))
      const told = count((inform[i] ?? outOfBounds()) & ~(1 << i))
      const share = this.#shares[i] ?? outOfBounds()
      messages += share * (told + 2 * asked)
      failures += share * (1 - this.#wanted.available ** asked)
    }
    const costs = {
      messages: rounded(messages),
      failures: rounded(failures),
      delay: rounded(this.#delay(inform, request)),
    }
    switch (this.#wanted.objective) {
      case 'messages':
        return [forbidden, costs.messages, costs.delay, costs.failures]
      case 'delay':
        return [forbidden, costs.delay, costs.messages, costs.failures]
      case 'availability':
        return [forbidden, costs.failures, costs.messages, costs.delay]
    }
  }

  #load(request: Masks): number {
    let largest = 0
    for (let arbiter = 0; arbiter < this.nodes; arbiter += 1) {
      let asked = 0
      for (let i = 0; i < this.nodes; i += 1) {
        if (i === arbiter || ((request[i] ?? outOfBounds()) & (1 << arbiter)) === 0) continue
        asked += this.#shares[i] ?? outOfBounds()
      }
      if (asked > largest) largest = asked
    }
    return largest
  }

  /** Proportional to the expected delay: the divisor is the same for all structures. */
  #delay(inform: Masks, request: Masks): number {
    let delay = 0
    for (let next = 0; next < this.nodes; next += 1) {
      const asked = request[next] ?? outOfBounds()
      const share = this.#shares[next] ?? outOfBounds()
      for (let left = 0; left < this.nodes; left += 1) {
        const told = inform[left] ?? outOfBounds()
        if (next === left || inform[next] === 0 || told === 0) continue
        const through = told & asked & ~((1 << next) | (1 << left))
        delay += share * (this.#shares[left] ?? outOfBounds()) * (through === 0 ? 1 : 2)
      }
    }
    return delay
  }
}

/** Dearer than all that is allowed, cheaper than all that is not. */
const NOTHING_YET: Cost = [Number.MIN_VALUE, 0, 0, 0]

function isLess(a: Cost, b: Cost): boolean {
  for (const [i, cost] of a.entries()) if (cost !== b[i]) return cost < get(b, i)
  return false
}

function count(mask: number): number {
  let ones = 0
  for (let rest = mask; rest !== 0; rest &= rest - 1) ones += 1
  return ones
}

/** Depth first over all inform sets, cutting off those that already cost as much as the best known. */
function* exact(costs: Costs, known: readonly Masks[]): Generator<number, Masks | null> {
  const { nodes, order } = costs
  const sets = 2 ** nodes
  const inform: Masks = Array.from({ length: nodes }, () => 0)
  let best: Masks | null = null
  let least: Cost = NOTHING_YET
  for (const masks of known) {
    const cost = costs.of(masks)
    if (!isLess(cost, least)) continue
    best = masks
    least = cost
  }
  // The set tried for each place of the order; the first place tells how much is done.
  let place = 0
  while (place >= 0) {
    const node = get(order, place)
    const set = increase(inform, node)
    if (set === sets) {
      inform[node] = 0
      place -= 1
      continue
    }
    if (place === 0) yield set / sets
    const cost = costs.of(inform)
    if (!isLess(cost, least)) continue
    if (place < nodes - 1) place += 1
    else {
      best = [...inform]
      least = cost
    }
  }
  return best
}

/** About how many weighings of two nodes against each other the search for many nodes may take. */
const EFFORT = 100_000_000

/** Climbs from each beginning and then, again and again, from the best with a few sets changed at random. */
function* improve(
  costs: Costs,
  beginnings: readonly Masks[],
  random: Random,
  effort: number,
): Generator<number, Masks | null> {
  const { nodes } = costs
  const rounds = Math.max(20, Math.min(2000, Math.floor(effort / nodes ** 5)))
  let { inform: best, cost: least } = climbed(costs, get(beginnings, 0), random)
  for (let round = 1; round < beginnings.length + rounds; round += 1) {
    yield round / (beginnings.length + rounds)
    const { inform, cost } = climbed(costs, beginnings[round] ?? shaken(best, random), random)
    if (!isLess(cost, least)) continue
    best = inform
    least = cost
  }
  return isLess(least, NOTHING_YET) ? best : null
}

/** Takes the first change that helps, until none does. */
function climbed(costs: Costs, start: Masks, random: Random): { inform: Masks; cost: Cost } {
  const { nodes } = costs
  const inform = [...start]
  let cost = costs.of(inform)
  const first = random.below(nodes)
  for (let sinceLast = 0; sinceLast < nodes; sinceLast += 1) {
    const node = (first + sinceLast) % nodes
    const before = get(inform, node)
    let chosen = before
    for (const set of changesOf(inform, node)) {
      inform[node] = set
      const changed = costs.of(inform)
      if (!isLess(changed, cost)) continue
      cost = changed
      chosen = set
    }
    inform[node] = chosen
    // Another look at everyone: this change may have made room for theirs.
    if (chosen !== before) sinceLast = -1
  }
  return { inform, cost }
}

/** One node more or fewer, one exchanged for another, or the set of another node, with or without oneself. */
function changesOf(inform: Masks, node: NodeId): number[] {
  const set = get(inform, node)
  const changes: number[] = []
  for (const [other, its] of inform.entries()) {
    changes.push(set ^ (1 << other), its, its | (1 << node))
    if ((set & (1 << other)) === 0) continue
    for (let instead = 0; instead < inform.length; instead += 1) {
      if ((set & (1 << instead)) === 0) changes.push((set ^ (1 << other)) | (1 << instead))
    }
  }
  return changes.filter((change) => change !== 0 && change !== set)
}

function shaken(inform: Masks, random: Random): Masks {
  const result = [...inform]
  const nodes = result.length
  for (let times = 2 + random.below(3); times > 0; times -= 1) {
    result[random.below(nodes)] = 1 + random.below(2 ** nodes - 1)
  }
  return result
}

function masksOf({ inform }: Structure): Masks {
  return inform.map((told) => told.reduce((mask, node) => mask | (1 << node), 0))
}

function structureFromMasks(inform: Masks, costs: Costs): Structure {
  const members = (mask: number) =>
    Array.from({ length: costs.nodes }, (_, node) => node).filter((node) => (mask & (1 << node)) !== 0)
  return structureOf(inform.map(members), costs.requests(inform).request.map(members))
}
