import { get, intAt } from '@turnwise/core/bounds'
import { StateStore } from './state-store.ts'

/**
 * What is explored: a protocol, or anything else that goes from world to world in steps. A world is a list of small whole
 * numbers, not below 0; two worlds are the same if their numbers are. `plain` makes a model of plain objects instead.
 */
export interface Model<Finding> {
  /** No world has more numbers. */
  readonly mostNumbers: number
  /** Writes the first world and returns its size. */
  initial(world: Int32Array): number
  /** Visits every world one step away. The array that is handed over may be used again for the next. */
  expand(world: Int32Array, size: number, visit: Visit<Finding>): void
}

/** `finding` tells what is wrong with the step or the world; `tell` the step in words, which most are never asked for. */
export type Visit<Finding> = (
  world: Int32Array,
  size: number,
  finding: Finding | null,
  tell: () => string,
) => void

/** What `explore` found. */
export interface Exploration<Finding> {
  /** Every world was seen, and nothing is wrong with any. */
  readonly isComplete: boolean
  /** How many different worlds. */
  readonly states: number
  /** What the states take. */
  readonly bytes: number
  /** Steps from one to another. */
  readonly transitions: number
  /** The longest shortest way from the first world. */
  readonly depth: number
  /** The first thing found wrong, and a shortest run to it. */
  readonly violation: { readonly finding: Finding; readonly steps: readonly string[] } | null
}

/** How far an exploration has come. */
export interface Progress {
  /** Worlds that were found. */
  readonly states: number
  /** Worlds whose steps were tried. */
  readonly expanded: number
  /** Steps from the first world to those. */
  readonly depth: number
}

/** Breadth-first through all worlds. `watch` is asked now and then, and ends the exploration by answering false. */
export function explore<Finding>(
  model: Model<Finding>,
  watch: (progress: Progress) => boolean = () => true,
): Exploration<Finding> {
  const store = new StateStore()
  const world = new Int32Array(model.mostNumbers)
  store.add(world, model.initial(world), 0)
  let transitions = 0
  let depth = 0
  let levelEnd = 1
  let expanded = 0
  let failure: { from: number; finding: Finding; tell: string } | null = null
  const found = () => failure
  let goesOn = true
  while (expanded < store.length && found() === null && goesOn) {
    if (expanded === levelEnd) {
      depth += 1
      levelEnd = store.length
    }
    const from = expanded
    const size = store.read(from, world)
    expanded += 1
    model.expand(world, size, (next, nextSize, finding, tell) => {
      transitions += 1
      if (finding !== null) failure ??= { from, finding, tell: tell() }
      else store.add(next, nextSize, from)
    })
    if (expanded % 4096 === 0) goesOn = watch({ states: store.length, expanded, depth })
  }
  const wrong = found()
  return {
    isComplete: wrong === null && expanded === store.length,
    states: store.length,
    bytes: store.memory,
    transitions,
    depth,
    violation: wrong && {
      finding: wrong.finding,
      steps: [...stepsTo(wrong.from, store, model), wrong.tell],
    },
  }
}

/** The steps of a shortest way into a state. */
function stepsTo<Finding>(state: number, store: StateStore, model: Model<Finding>): string[] {
  const steps: string[] = []
  const world = new Int32Array(model.mostNumbers)
  for (let to = state; to !== 0; to = store.parentOf(to)) {
    const size = store.read(store.parentOf(to), world)
    let step: string | null = null
    model.expand(world, size, (next, nextSize, _finding, tell) => {
      if (step === null && store.find(next, nextSize) === to) step = tell()
    })
    steps.push(step ?? '?')
  }
  return steps.toReversed()
}

/** What `plain` makes a model of. */
export interface PlainModel<State> {
  /** Plain data: what JSON can write. States are the same if their JSON is. */
  readonly initial: State
  /** Every step from a state that can happen, and where it leads. States are not changed. */
  steps(state: State): Iterable<{ readonly name: string; readonly to: State }>
  /** What must never be, in words; null if all is well. */
  violation(state: State): string | null
}

/** A model of worlds that are plain objects, for `explore`. */
export function plain<State>(given: PlainModel<State>): Model<string> {
  const states: State[] = []
  const numbers = new Map<string, number>()
  const next = new Int32Array(1)
  const numberOf = (state: State) => {
    const text = JSON.stringify(state)
    const known = numbers.get(text)
    if (known !== undefined) return known
    numbers.set(text, states.length)
    return states.push(state) - 1
  }
  return {
    mostNumbers: 1,
    initial(world) {
      world[0] = numberOf(given.initial)
      return 1
    },
    expand(world, size, visit) {
      const wrong = world[0] === 0 ? given.violation(given.initial) : null
      if (wrong !== null) return visit(world, size, wrong, () => 'it begins so')
      for (const { name, to } of given.steps(get(states, intAt(world, 0)))) {
        next[0] = numberOf(to)
        visit(next, size, given.violation(to), () => name)
      }
    },
  }
}
