/**
 * The fewest nodes that meet every quorum: if they all fail no quorum is left, and with one less some quorum always is.
 * Finding them is hard in general, so the search has a budget; what it has not decided by then is an interval.
 *
 * Some node of each quorum must fail. So take a quorum that is not met yet, the one with the fewest nodes that may
 * still be chosen, and try its nodes in turn; what was tried once need not be chosen again beside it. A number of
 * failures is out of reach if even the nodes that are in the most of the remaining quorums would not meet them all.
 */
import type { NodeId } from '../algorithm.ts'
import { get, increase, outOfBounds } from '../bounds.ts'

export interface Fewest {
  readonly least: number
  /** The same as `least` where the search came to its end. */
  readonly most: number
}

type Sets = readonly (readonly NodeId[])[]

/** Members of sets that are looked at before the search gives up: a second or two. */
const MOST_LOOKS = 25_000_000

export function fewestToHit(sets: Sets, nodes: number, mostLooks = MOST_LOOKS): Fewest {
  const most = Math.min(greedyHit(sets, nodes), smallestHit(sets))
  const search = new HittingSearch(sets, nodes, mostLooks)
  for (let least = 1; least < most; least += 1) {
    const found = search.canHit(least)
    if (found === null) return { least, most }
    if (found) return { least, most: least }
  }
  return { least: most, most }
}

/** Always the node that is in the most of those that are not met yet. */
function greedyHit(sets: Sets, nodes: number): number {
  let left = sets
  let chosen = 0
  for (; left.length > 0; chosen += 1) {
    const within = countWithin(left, nodes)
    const best = within.indexOf(within.reduce((a, b) => Math.max(a, b)))
    left = left.filter((set) => !set.includes(best))
  }
  return chosen
}

/** A quorum that meets all others, as in a coterie every one does. */
function smallestHit(sets: Sets): number {
  const smallest = sets.reduce((a, b) => (b.length < a.length ? b : a))
  const isMember = new Set(smallest)
  return sets.every((set) => set.some((node) => isMember.has(node))) ? smallest.length : Infinity
}

function countWithin(sets: Sets, nodes: number): number[] {
  const within = Array.from({ length: nodes }, () => 0)
  for (const set of sets) for (const node of set) increase(within, node)
  return within
}

class HittingSearch {
  private readonly sets: Sets
  private readonly setsOf: readonly (readonly number[])[]
  /** How often each set is met by the nodes chosen so far. */
  private readonly met: Int32Array
  private readonly isExcluded: Uint8Array
  /** For each node, in how many sets that are not met. */
  private readonly within: Int32Array
  private unmet: number
  /** Of all sets together. */
  private readonly members: number
  private looksLeft: number

  constructor(sets: Sets, nodes: number, mostLooks: number) {
    this.sets = sets
    const setsOf = Array.from({ length: nodes }, (): number[] => [])
    sets.forEach((set, place) => {
      for (const node of set) get(setsOf, node).push(place)
    })
    this.setsOf = setsOf
    this.met = new Int32Array(sets.length)
    this.isExcluded = new Uint8Array(nodes)
    this.within = Int32Array.from(countWithin(sets, nodes))
    this.unmet = sets.length
    this.members = sets.reduce((sum, { length }) => sum + length, 0)
    this.looksLeft = mostLooks
  }

  /** Whether so many more nodes can meet what is not met; null if the budget ends before that is known. */
  canHit(more: number): boolean | null {
    if (this.unmet === 0) return true
    if (more === 0 || this.mostMetBy(more) < this.unmet) return false
    this.looksLeft -= this.members
    if (this.looksLeft < 0) return null
    const tried: NodeId[] = []
    let answer: boolean | null = false
    for (const node of this.narrowest()) {
      if (answer !== false) break
      this.choose(node)
      answer = this.canHit(more - 1)
      this.takeBack(node)
      this.isExcluded[node] = 1
      tried.push(node)
    }
    for (const node of tried) this.isExcluded[node] = 0
    return answer
  }

  private mostMetBy(more: number): number {
    const most = new Int32Array(more)
    for (let node = 0; node < this.within.length; node += 1) {
      if (this.isExcluded[node] === 1) continue
      let count = this.within[node] ?? outOfBounds()
      for (let place = 0; place < more && count > 0; place += 1) {
        const less = most[place] ?? outOfBounds()
        if (count <= less) continue
        most[place] = count
        count = less
      }
    }
    return most.reduce((a, b) => a + b, 0)
  }

  /** The nodes left of the unmet set with the fewest of them, the most useful first. */
  private narrowest(): NodeId[] {
    let best = -1
    let fewest = Number.POSITIVE_INFINITY
    for (const [place, set] of this.sets.entries()) {
      if (this.met[place] !== 0) continue
      let allowed = 0
      for (const node of set) allowed += 1 - (this.isExcluded[node] ?? outOfBounds())
      if (allowed < fewest) [best, fewest] = [place, allowed]
    }
    return get(this.sets, best)
      .filter((node) => this.isExcluded[node] === 0)
      .toSorted((a, b) => (this.within[b] ?? outOfBounds()) - (this.within[a] ?? outOfBounds()))
  }

  private choose(node: NodeId): void {
    for (const place of get(this.setsOf, node)) {
      if (add(this.met, place, 1) > 1) continue
      this.unmet -= 1
      for (const member of get(this.sets, place)) add(this.within, member, -1)
    }
  }

  private takeBack(node: NodeId): void {
    for (const place of get(this.setsOf, node)) {
      if (add(this.met, place, -1) > 0) continue
      this.unmet += 1
      for (const member of get(this.sets, place)) add(this.within, member, 1)
    }
  }
}

function add(counts: Int32Array, place: number, by: number): number {
  const sum = (counts[place] ?? outOfBounds()) + by
  counts[place] = sum
  return sum
}
