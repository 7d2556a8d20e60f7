import { isElection, type NodeId } from '@turnwise/core/algorithm'
import { outOfBounds } from '@turnwise/core/bounds'
import type { Edges } from './edges.ts'
import type { Search } from './search.ts'
import { INSIDE, MOST_NUMBERS, WAITING } from './world-layout.ts'

/** A whole state graph, with what the analyses ask of each state most. */
export class Explored {
  readonly search: Search
  readonly edges: Edges
  readonly states: number
  readonly nodes: number
  /** One bit per node. */
  readonly waiting: Uint32Array
  readonly inside: Uint32Array
  /** How many messages are under way, at most 255. */
  readonly underWay: Uint8Array
  readonly #holdsElections: boolean

  constructor(search: Search) {
    if (search.edges === null) throw new TypeError('the search kept no edges')
    this.search = search
    this.edges = search.edges
    this.states = search.states
    this.nodes = search.worlds.instance.setup.nodes
    this.#holdsElections = isElection(search.worlds.instance.algorithm)
    this.waiting = new Uint32Array(this.states)
    this.inside = new Uint32Array(this.states)
    this.underWay = new Uint8Array(this.states)
    const world = new Int32Array(MOST_NUMBERS)
    for (let state = 0; state < this.states; state += 1) {
      const size = search.store.read(state, world)
      this.underWay[state] = Math.min(255, size - search.worlds.layout.header)
      for (let node = 0; node < this.nodes; node += 1) {
        const flags = search.worlds.layout.flagsOf(world, node)
        if ((flags & WAITING) !== 0)
          this.waiting[state] = (this.waiting[state] ?? outOfBounds()) | (1 << node)
        // Who is inside leaves; who upgrades waits for that as others do.
        if ((flags & (INSIDE | WAITING)) === INSIDE)
          this.inside[state] = (this.inside[state] ?? outOfBounds()) | (1 << node)
      }
    }
  }

  waits(state: number, node: NodeId): boolean {
    return ((this.waiting[state] ?? outOfBounds()) & (1 << node)) !== 0
  }

  /** Whether a step completes what messages are counted by: an entry, or an election when it has come to rest. */
  turnsOn(state: number, edge: number): 0 | 1 {
    const came = this.edges.entered(edge) !== -1
    if (!this.#holdsElections) return came ? 1 : 0
    return this.isAtRest(this.edges.target(edge)) && (came || !this.isAtRest(state)) ? 1 : 0
  }

  /** Every request was served and nothing is under way. */
  isAtRest(state: number): boolean {
    return this.waiting[state] === 0 && this.inside[state] === 0 && this.underWay[state] === 0
  }
}

/**
 * A state in which some node waits and from which no run lets it in, with a shortest path; null if from every
 * state every waiting node can still enter. States are numbered by distance from the first, so most steps lead
 * to larger numbers, and sweeping backwards soon finds what can still be reached.
 */
export function cannotEnter(explored: Explored): { state: number; node: NodeId } | null {
  const { edges, states, nodes } = explored
  let worst: { state: number; node: NodeId } | null = null
  for (let node = 0; node < nodes; node += 1) {
    const canEnter = new Uint8Array(states)
    for (let changed = true; changed; ) {
      changed = false
      for (let state = states - 1; state >= 0; state -= 1) {
        if (canEnter[state] === 1) continue
        let can = !explored.waits(state, node)
        for (let edge = edges.from(state); !can && edge < edges.to(state); edge += 1) {
          // A request that is withdrawn, or dies with its node, has not been let in.
          const target = edges.target(edge)
          can = edges.entered(edge) === node || (canEnter[target] === 1 && explored.waits(target, node))
        }
        if (!can) continue
        canEnter[state] = 1
        changed = true
      }
    }
    const stuck = canEnter.indexOf(0)
    if (stuck !== -1 && (worst === null || stuck < worst.state)) worst = { state: stuck, node }
  }
  return worst
}
