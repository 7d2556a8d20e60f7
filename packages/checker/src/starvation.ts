import type { NodeId } from '@turnwise/core/algorithm'
import { get, intAt } from '@turnwise/core/bounds'
import { components, type Subgraph } from './components.ts'
import type { Explored } from './explored.ts'
import { detailOf } from './local-steps.ts'
import type { Step } from './step.ts'
import { CRASHED, MOST_NUMBERS } from './world-layout.ts'
import type { Worlds } from './worlds.ts'

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
  /** What it settles: itself, timers that it starts anew, and the names that it takes from messages. */
  readonly settles: ReadonlySet<string>
  readonly to: number
}

/**
 * Looks for a node that waits for ever although the world is fair: a message that stays deliverable is delivered, a node
 * inside leaves, a scheduled step and a node's own pace go on, a crash is noticed, and what failed comes back if it still
 * can. Requests need not come. A time-out need not fire while its timer is restarted again and again. A timer that just
 * runs must fire; but with bounded delays, other events may hold it back as long as there are any.
 *
 * Such a run ends up in a set of states that can all reach each other, in all of which the node waits. It is
 * fair if everything that can happen in all of these states happens in one of them. Of several such sets the
 * one that is reached soonest is told.
 *
 * A message is known by its number, and a shift of its clock gives it another: the second message of a row becomes the first. So a number
 * that is there in all states may be that of one message after the other, all of which are delivered under other numbers. Hence a step that
 * renames a message settles what was owed to its old number. This overlooks no message that is never delivered. A shift stops at the smallest
 * value alive, and a message keeps its values alive. So a message that stays is renamed only so often, and then owed for ever under one
 * number. With gaps it may be renamed again and again; then an unfair run passes for a fair one, and the property stays open.
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
    get(members, intAt(of, state)).push(state)
    for (let edge = edges.from(state); edge < edges.to(state); edge += 1) {
      if (of[edges.target(edge)] === of[state]) turns[intAt(of, state)] = 1
    }
  }
  // Nearest first: states are numbered by distance, and members come in that order.
  const turning = members
    .filter((_, component) => turns[component] === 1)
    .toSorted((a, b) => get(a, 0) - get(b, 0))
  for (const component of turning) {
    const state = get(component, 0)
    const loop = fairLoop(explored, component, (member) => of[member] === of[state])
    if (loop !== null) return { node, state, loop }
  }
  return null
}

/** What can happen in a state, and where in the component it leads. */
interface Moves {
  readonly enabled: ReadonlySet<string>
  readonly steps: readonly Move[]
}

/** A fair closed walk through the component from its first state, or null if there is none. */
function fairLoop(
  explored: Explored,
  members: readonly number[],
  isMember: (state: number) => boolean,
): Move[] | null {
  const start = get(members, 0)
  const moves = new Map(members.map((state) => [state, movesOf(explored, state, isMember)]))
  const always = members.reduce<Set<string> | null>((common, state) => {
    const { enabled } = moves.get(state) as Moves
    return common === null ? new Set(enabled) : new Set([...common].filter((what) => enabled.has(what)))
  }, null)
  const happens = new Set(
    [...moves.values()].flatMap(({ steps }) => steps.flatMap(({ settles }) => [...settles])),
  )
  if ([...(always ?? [])].some((what) => !happens.has(what))) return null

  const walk: Move[] = []
  let at = start
  const go = (isGoal: Goal) => {
    const path = shortestWalk(moves, at, isGoal)
    walk.push(...path)
    at = path.at(-1)?.to ?? at
  }
  // What can happen at the start is satisfied by happening, or by a state in which it cannot.
  for (const owed of (moves.get(start) as Moves).enabled) {
    go((state, move) => move?.settles.has(owed) === true || !(moves.get(state) as Moves).enabled.has(owed))
  }
  if (walk.length === 0) go((_state, move) => move !== null)
  if (at !== start) go((state) => state === start)
  return walk
}

function movesOf({ search }: Explored, state: number, isMember: (state: number) => boolean): Moves {
  const { worlds, store } = search
  const world = new Int32Array(MOST_NUMBERS)
  const size = store.read(state, world)
  const mail = [...new Set(world.subarray(worlds.layout.header, size))]
  const enabled = new Set<string>(runningTimeouts(worlds, world))
  /** What is owed to each message. */
  const owed = new Map<number, string[]>(mail.map((envelope) => [envelope, []]))
  const found: { step: Omit<Move, 'settles'>; settled: readonly string[]; renamed: readonly number[] }[] = []
  worlds.expand(world, size, (next, nextSize) => {
    const { node, envelope, outcome } = worlds.step
    const name = stepName(worlds.step)
    const what = `${name} ${envelope}`
    if (isFair(worlds, world) && !enabled.has(what)) {
      enabled.add(what)
      owed.get(envelope)?.push(what)
    }
    const to = store.find(next, nextSize)
    if (!isMember(to)) return
    const restarts = (outcome?.started ?? []).map((timer) => timeoutOf(node, timer))
    const renamed = mail.filter((each) => worlds.renamed(each) !== each)
    found.push({ step: { name, what, to }, settled: [what, ...restarts], renamed })
  })
  const steps = found.map(({ step, settled, renamed }) => ({
    ...step,
    settles: new Set([...settled, ...renamed.flatMap((each) => owed.get(each) ?? [])]),
  }))
  return { enabled, steps }
}

/** The timers that go on running, whether or not they may fire in this very state. */
function runningTimeouts(worlds: Worlds, world: Int32Array): string[] {
  const { setup, algorithm } = worlds.instance
  return Array.from({ length: setup.nodes }, (_, node) => worlds.layout.localOf(world, node)).flatMap(
    ({ node, timers }) =>
      timers
        .filter((timer) => algorithm.facts.timers[timer] !== 'pace')
        .map((timer) => timeoutOf(node, timer)),
  )
}

/** As `movesOf` names it. */
function timeoutOf(node: NodeId, timer: string): string {
  return `timeout ${node} ${timer} -1`
}

/** What a step is called, apart from the message it is about: those have other numbers in other worlds. */
export function stepName({ event, node }: Step): string {
  const detail = event.is === 'lose' ? event.why : event.is === 'duplicate' ? '' : detailOf(event)
  return `${event.is} ${node} ${detail}`
}

/** Whether the step from this world has to be taken if it stays possible. */
function isFair(worlds: Worlds, world: Int32Array): boolean {
  const { event, node, returns } = worlds.step
  switch (event.is) {
    case 'timeout':
      return worlds.instance.algorithm.facts.timers[event.timer] === 'pace'
    case 'suspect': {
      const isLate = worlds.layout.localOf(world, node).churn?.late.includes(event.peer)
      return isLate === true || (worlds.layout.flagsOf(world, event.peer) & CRASHED) !== 0
    }
    case 'lose':
      return event.why !== 'drop'
    case 'receive':
    case 'undelivered':
    case 'leave':
    case 'proceed':
    case 'restore':
    case 'gone':
      return true
    default:
      return returns
  }
}

/** Whether the walk has reached its goal: this state, or the step into it; null at the start. */
type Goal = (state: number, move: Move | null) => boolean

/** Breadth first from a state; the steps from it to the goal. Empty if it is there already. */
function shortestWalk(moves: ReadonlyMap<number, Moves>, from: number, isGoal: Goal): Move[] {
  if (isGoal(from, null)) return []
  const cameBy = new Map<number, { from: number; move: Move }>()
  const queue = [from]
  for (const state of queue) {
    for (const move of (moves.get(state) as Moves).steps) {
      if (isGoal(move.to, move)) {
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
