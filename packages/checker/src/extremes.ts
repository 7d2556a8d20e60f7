import type { NodeId } from '@turnwise/core/algorithm'
import { floatAt, get, intAt } from '@turnwise/core/bounds'
import { components } from './components.ts'
import type { Explored } from './explored.ts'
import { waitingGraph } from './starvation.ts'

/** The largest is null when there is no bound; the whole is null when no run comes to rest, or the graph is too large. */
export type Range = { readonly min: number; readonly max: number | null } | null

/** Exact bounds, over all runs. */
export interface Extremes {
  /** Over runs in which all requests were served: messages sent divided by entries. */
  readonly messagesPerEntry: Range
  /** Entries of others between a request and its entry, at most; null when there is no bound. */
  readonly maxOvertaking: number | null
}

export function extremesOf(explored: Explored): Extremes {
  return { messagesPerEntry: messagesPerTurn(explored), maxOvertaking: maxOvertaking(explored) }
}

/**
 * The longest way, counted in entries of others, through the states in which a node waits. A loop among them
 * in which someone enters makes it unbounded.
 */
function maxOvertaking(explored: Explored): number | null {
  let most = 0
  for (let node = 0; node < explored.nodes; node += 1) {
    const longest = overtakingOf(explored, node)
    if (longest === null) return null
    most = Math.max(most, longest)
  }
  return most
}

function overtakingOf(explored: Explored, node: NodeId): number | null {
  const { edges, states } = explored
  const { of, count } = components(waitingGraph(explored, node))
  const longest = new Int32Array(count)
  const byComponent = statesByComponent(of, count, states)
  // Edges lead to components with smaller numbers, whose longest ways are known already.
  for (let component = 0; component < count; component += 1) {
    for (const state of get(byComponent, component)) {
      for (let edge = edges.from(state); edge < edges.to(state); edge += 1) {
        const entered = edges.entered(edge)
        if (entered === node) continue
        const target = intAt(of, edges.target(edge))
        const others = entered === -1 ? 0 : 1
        if (target === component && others === 1) return null
        const rest = target === -1 || target === component ? 0 : intAt(longest, target)
        longest[component] = Math.max(intAt(longest, component), others + rest)
      }
    }
  }
  return longest.reduce((a, b) => Math.max(a, b), 0)
}

function statesByComponent(of: Int32Array, count: number, states: number): number[][] {
  const lists: number[][] = Array.from({ length: count }, () => [])
  for (let state = 0; state < states; state += 1)
    if (of[state] !== -1) get(lists, intAt(of, state)).push(state)
  return lists
}

/** Larger graphs take too long: the search for the best ratio visits every edge many times. */
const MOST_EDGES = 40_000_000

/**
 * The least and the largest ratio of messages to entries over all runs that end at rest. Dinkelbach's method:
 * guess a ratio, look for a run that beats it, guess that run's ratio, until none does. A loop that beats the
 * guess counts as a run, since it can be repeated until what comes before and after no longer matters.
 */
export function messagesPerTurn(explored: Explored): Range {
  if (explored.edges.length > MOST_EDGES) return null
  const min = bestRatio(explored, -1)
  return min === null ? null : { min, max: bestRatio(explored, 1) }
}

interface Ratio {
  readonly messages: number
  readonly entries: number
}

/** `sign` 1 looks for the largest ratio, -1 for the smallest. Null if there is no run, or no bound. */
function bestRatio(explored: Explored, sign: 1 | -1): number | null {
  let best: Ratio | null = null
  for (;;) {
    const better = runBeyond(explored, sign, best)
    if (better === null) return best === null ? null : best.messages / best.entries
    // Messages without an entry, over and over: no ratio is the largest.
    if (better.entries === 0) return null
    best = better
  }
}

/**
 * A run to rest whose ratio beats the given one, by Bellman and Ford's relaxation; with null, any run with an
 * entry. Weights are whole numbers: messages times the guess's entries less entries times its messages.
 */
function runBeyond(explored: Explored, sign: 1 | -1, guess: Ratio | null): Ratio | null {
  const { edges, states } = explored
  const value = new Float64Array(states).fill(Number.NEGATIVE_INFINITY)
  const cameBy = new Float64Array(states).fill(-1)
  const cameFrom = new Int32Array(states).fill(-1)
  value[0] = 0
  const weight = (state: number, edge: number): number => {
    const entries = explored.turnsOn(state, edge)
    if (guess === null) return entries
    return sign * (edges.messages(edge) * guess.entries - entries * guess.messages)
  }
  for (let round = 0; round <= states; round += 1) {
    let changed = -1
    for (let state = 0; state < states; state += 1) {
      if (value[state] === Number.NEGATIVE_INFINITY) continue
      for (let edge = edges.from(state); edge < edges.to(state); edge += 1) {
        const target = edges.target(edge)
        const reached = floatAt(value, state) + weight(state, edge)
        if (reached <= floatAt(value, target)) continue
        value[target] = reached
        cameBy[target] = edge
        cameFrom[target] = state
        changed = target
      }
    }
    if (changed === -1) break
    const loop = loopBehind(explored, changed, cameBy, cameFrom)
    if (loop !== null) return loop
  }
  let last = -1
  for (let state = 0; state < states; state += 1) {
    if (
      explored.isAtRest(state) &&
      floatAt(value, state) > 0 &&
      (last === -1 || floatAt(value, state) > floatAt(value, last))
    )
      last = state
  }
  return last === -1 ? null : sumUp(explored, last, 0, cameBy, cameFrom)
}

/** A loop among the predecessors of a state: there is one only if it gains at every turn. */
function loopBehind(
  explored: Explored,
  state: number,
  cameBy: Float64Array,
  cameFrom: Int32Array,
): Ratio | null {
  const seen = new Set<number>()
  let at = state
  while (at !== -1 && !seen.has(at)) {
    seen.add(at)
    at = intAt(cameFrom, at)
  }
  if (at === -1) return null
  const first = sumUp(explored, at, at, cameBy, cameFrom)
  return first.entries === 0 && first.messages === 0 ? null : first
}

/** What was sent and who entered on the way back from one state to another, at least one step. */
function sumUp(
  explored: Explored,
  from: number,
  to: number,
  cameBy: Float64Array,
  cameFrom: Int32Array,
): Ratio {
  const { edges } = explored
  let messages = 0
  let entries = 0
  let at = from
  do {
    if (cameFrom[at] === -1) break
    messages += edges.messages(floatAt(cameBy, at))
    entries += explored.turnsOn(intAt(cameFrom, at), floatAt(cameBy, at))
    at = intAt(cameFrom, at)
  } while (at !== to)
  return { messages, entries }
}
