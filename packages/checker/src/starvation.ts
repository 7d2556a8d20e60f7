import type { NodeId } from '@turnwise/core/algorithm'
import { components, type Subgraph } from './components.ts'
import type { Explored } from './explored.ts'

/** A run that goes on for ever without a node that waits: a way to a state, and steps that lead back to it. */
export interface Lasso {
  readonly node: NodeId
  /** Where the loop begins. */
  readonly state: number
  /** The states after it, the last being `state` again. */
  readonly loop: readonly number[]
}

/**
 * Looks for a node that waits for ever although the world is fair: a message that stays deliverable is
 * delivered, a node inside leaves, a scheduled step and a node's own pace go on. Requests need not come, and
 * time-outs need not fire.
 *
 * Such a run ends up in a set of states that can all reach each other, in all of which the node waits. It is
 * fair if everything that can happen in all of these states happens in one of them.
 */
export function starvation(explored: Explored): Lasso | null {
  for (let node = 0; node < explored.nodes; node += 1) {
    const lasso = starvationOf(explored, node)
    if (lasso !== null) return lasso
  }
  return null
}

/** The states in which a node waits. */
export function waitingGraph(explored: Explored, node: NodeId): Subgraph {
  const { states, edges } = explored
  return {
    vertices: states,
    keepsVertex: (state) => explored.waits(state, node),
    from: (state) => edges.from(state),
    to: (state) => edges.to(state),
    target: (edge) => edges.target(edge),
  }
}

function starvationOf(explored: Explored, node: NodeId): Lasso | null {
  const { edges, states } = explored
  const { of, count } = components(waitingGraph(explored, node))
  const members: number[][] = Array.from({ length: count }, () => [])
  const turns = new Uint8Array(count)
  for (let state = 0; state < states; state += 1) {
    if (of[state] === -1) continue
    members[of[state]].push(state)
    for (let edge = edges.from(state); edge < edges.to(state); edge += 1) {
      if (of[edges.target(edge)] === of[state]) turns[of[state]] = 1
    }
  }
  for (let component = 0; component < count; component += 1) {
    if (turns[component] === 0) continue
    const loop = fairLoop(explored, members[component], (state) => of[state] === component)
    if (loop !== null) return { node, state: members[component][0], loop }
  }
  return null
}

/** What can happen in a state, and where in the component it leads. */
interface Moves {
  readonly enabled: ReadonlySet<string>
  readonly steps: readonly { readonly what: string; readonly to: number }[]
}

/** A fair closed walk through the component from its first state, or null if there is none. */
function fairLoop(
  explored: Explored,
  members: readonly number[],
  isMember: (state: number) => boolean,
): number[] | null {
  const [start] = members
  const moves = new Map(members.map((state) => [state, movesOf(explored, state, isMember)]))
  const always = members.reduce<Set<string> | null>((common, state) => {
    const { enabled } = moves.get(state) as Moves
    return common === null ? new Set(enabled) : new Set([...common].filter((what) => enabled.has(what)))
  }, null)
  const happens = new Set([...moves.values()].flatMap(({ steps }) => steps.map(({ what }) => what)))
  if ([...(always ?? [])].some((what) => !happens.has(what))) return null

  const walk: number[] = []
  let at = start
  const go = (isGoal: (state: number, what: string | null) => boolean) => {
    const path = shortestWalk(moves, at, isGoal)
    walk.push(...path)
    at = path.at(-1) ?? at
  }
  // What can happen at the start is satisfied by happening, or by a state in which it cannot.
  for (const owed of (moves.get(start) as Moves).enabled) {
    go((state, what) => what === owed || !(moves.get(state) as Moves).enabled.has(owed))
  }
  if (walk.length === 0) go((_state, what) => what !== null)
  if (at !== start) go((state) => state === start)
  return walk
}

function movesOf({ search }: Explored, state: number, isMember: (state: number) => boolean): Moves {
  const { worlds, store } = search
  const world = new Int32Array(2048)
  const enabled = new Set<string>()
  const steps: { what: string; to: number }[] = []
  const size = store.read(state, world)
  worlds.expand(world, size, (next, nextSize) => {
    const { event, node, envelope } = worlds.step
    const what = `${event.is} ${node} ${event.is === 'timeout' ? event.timer : envelope}`
    if (isFair(event, worlds.instance.algorithm.facts.timers)) enabled.add(what)
    const to = store.find(next, nextSize)
    if (isMember(to)) steps.push({ what, to })
  })
  return { enabled, steps }
}

function isFair(event: { is: string; timer?: string }, timers: Readonly<Record<string, string>>): boolean {
  if (event.is === 'timeout') return timers[event.timer ?? ''] === 'pace'
  return event.is === 'receive' || event.is === 'leave' || event.is === 'proceed'
}

/** Breadth first from a state; the states after it, up to the goal. Empty if it is there already. */
function shortestWalk(
  moves: ReadonlyMap<number, Moves>,
  from: number,
  isGoal: (state: number, what: string | null) => boolean,
): number[] {
  if (isGoal(from, null)) return []
  const cameFrom = new Map<number, number>()
  const queue = [from]
  for (const state of queue) {
    for (const { what, to } of (moves.get(state) as Moves).steps) {
      if (isGoal(to, what)) {
        const path = [to]
        for (let at = state; at !== from; at = cameFrom.get(at) as number) path.unshift(at)
        return path
      }
      if (to === from || cameFrom.has(to)) continue
      cameFrom.set(to, state)
      queue.push(to)
    }
  }
  throw new Error('a component is strongly connected, so every goal in it can be reached')
}
