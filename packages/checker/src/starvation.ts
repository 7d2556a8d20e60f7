import type { NodeId } from '@turnwise/core/algorithm'
import { components, type Subgraph } from './components.ts'
import type { Explored } from './explored.ts'
import { CRASHED, MOST_NUMBERS } from './layout.ts'
import type { Step, Worlds } from './worlds.ts'

/** A run that goes on for ever without a node that waits: a way to a state, and steps that lead back to it. */
export interface Lasso {
  readonly node: NodeId
  /** Where the loop begins. */
  readonly state: number
  /** The steps from there, the last of which leads to `state` again. */
  readonly loop: readonly Move[]
}

interface Move {
  readonly name: string
  /** Its name, and which message it is about. */
  readonly what: string
  readonly to: number
}

/**
 * Looks for a node that waits for ever although the world is fair: a message that stays deliverable is
 * delivered, a node inside leaves, a scheduled step and a node's own pace go on, a crash is noticed. Requests
 * need not come. A time-out need not fire while its timer is started anew again and again; one that just runs
 * on must.
 *
 * Such a run ends up in a set of states that can all reach each other, in all of which the node waits. It is
 * fair if everything that can happen in all of these states happens in one of them. Of several such sets the
 * one that is reached soonest is told.
 */
export function starvation(explored: Explored): Lasso | null {
  let first: Lasso | null = null
  for (let node = 0; node < explored.nodes; node += 1) {
    const lasso = starvationOf(explored, node)
    if (lasso !== null && (first === null || lasso.state < first.state)) first = lasso
  }
  return first
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
  // Nearest first: states are numbered by distance, and members come in that order.
  const turning = members.filter((_, component) => turns[component] === 1).toSorted(([a], [b]) => a - b)
  for (const component of turning) {
    const [state] = component
    const loop = fairLoop(explored, component, (member) => of[member] === of[state])
    if (loop !== null) return { node, state, loop }
  }
  return null
}

/** What can happen in a state, and where in the component it leads. */
interface Moves {
  readonly enabled: ReadonlySet<string>
  readonly steps: readonly Move[]
  /** Time-outs that run, and those that steps within the component start, anew or not; by the names of their steps. */
  readonly running: ReadonlySet<string>
  readonly started: ReadonlySet<string>
}

/** A fair closed walk through the component from its first state, or null if there is none. */
function fairLoop(
  explored: Explored,
  members: readonly number[],
  isMember: (state: number) => boolean,
): Move[] | null {
  const [start] = members
  const moves = new Map(members.map((state) => [state, movesOf(explored, state, isMember)]))
  const all = [...moves.values()]
  const happens = new Set(all.flatMap(({ steps }) => steps.map(({ what }) => what)))
  if (inAll(all.map(({ enabled }) => enabled)).some((what) => !happens.has(what))) return null
  const restarts = new Set(
    all.flatMap(({ steps, started }) => [...started, ...steps.map(({ name }) => name)]),
  )
  if (inAll(all.map(({ running }) => running)).some((name) => !restarts.has(name))) return null

  const walk: Move[] = []
  let at = start
  const go = (isGoal: (state: number, what: string | null) => boolean) => {
    const path = shortestWalk(moves, at, isGoal)
    walk.push(...path)
    at = path.at(-1)?.to ?? at
  }
  // What can happen at the start is satisfied by happening, or by a state in which it cannot.
  for (const owed of (moves.get(start) as Moves).enabled) {
    go((state, what) => what === owed || !(moves.get(state) as Moves).enabled.has(owed))
  }
  if (walk.length === 0) go((_state, what) => what !== null)
  if (at !== start) go((state) => state === start)
  return walk
}

function inAll(sets: readonly ReadonlySet<string>[]): string[] {
  const [first, ...others] = sets
  return [...first].filter((item) => others.every((set) => set.has(item)))
}

function movesOf({ search }: Explored, state: number, isMember: (state: number) => boolean): Moves {
  const { worlds, store } = search
  const world = new Int32Array(MOST_NUMBERS)
  const enabled = new Set<string>()
  const steps: Move[] = []
  const started = new Set<string>()
  const size = store.read(state, world)
  worlds.expand(world, size, (next, nextSize) => {
    const name = stepName(worlds.step)
    const what = `${name} ${worlds.step.envelope}`
    if (isFair(worlds, world)) enabled.add(what)
    const to = store.find(next, nextSize)
    if (!isMember(to)) return
    steps.push({ name, what, to })
    const { node, outcome } = worlds.step
    for (const timer of outcome?.started ?? [])
      started.add(stepName({ event: { is: 'timeout', timer }, node }))
  })
  return { enabled, steps, running: timeoutsIn(worlds, world), started }
}

function timeoutsIn(worlds: Worlds, world: Int32Array): Set<string> {
  const { setup, algorithm } = worlds.instance
  const running = new Set<string>()
  for (let node = 0; node < setup.nodes; node += 1) {
    for (const timer of worlds.layout.localOf(world, node).timers) {
      if (algorithm.facts.timers[timer] === 'time-out')
        running.add(stepName({ event: { is: 'timeout', timer }, node }))
    }
  }
  return running
}

/** What a step is called, apart from the message it is about: those have other numbers in other worlds. */
export function stepName({ event, node }: Pick<Step, 'event' | 'node'>): string {
  const detail = event.is === 'timeout' ? event.timer : event.is === 'suspect' ? event.peer : ''
  return `${event.is} ${node} ${detail}`
}

/** Whether the step from this world has to be taken if it stays possible. */
function isFair(worlds: Worlds, world: Int32Array): boolean {
  const { event } = worlds.step
  if (event.is === 'timeout') return worlds.instance.algorithm.facts.timers[event.timer] === 'pace'
  if (event.is === 'suspect') return (worlds.layout.flagsOf(world, event.peer) & CRASHED) !== 0
  return event.is === 'receive' || event.is === 'leave' || event.is === 'proceed'
}

/** Breadth first from a state; the steps from it to the goal. Empty if it is there already. */
function shortestWalk(
  moves: ReadonlyMap<number, Moves>,
  from: number,
  isGoal: (state: number, what: string | null) => boolean,
): Move[] {
  if (isGoal(from, null)) return []
  const cameBy = new Map<number, { from: number; move: Move }>()
  const queue = [from]
  for (const state of queue) {
    for (const move of (moves.get(state) as Moves).steps) {
      if (isGoal(move.to, move.what)) {
        const path = [move]
        for (let last = cameBy.get(state); last !== undefined; last = cameBy.get(last.from))
          path.unshift(last.move)
        return path
      }
      if (move.to === from || cameBy.has(move.to)) continue
      cameBy.set(move.to, { from: state, move })
      queue.push(move.to)
    }
  }
  throw new Error('a component is strongly connected, so every goal in it can be reached')
}
