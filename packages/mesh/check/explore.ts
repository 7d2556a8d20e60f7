/** Breadth-first through all worlds within the bounds: the first violation found has a shortest schedule. */
import { StateStore } from '@turnwise/checker/state-store'
import { SOUND } from '../broken/under.ts'
import type { Rules } from '../src/protocol/rules.ts'
import type { Bounds } from './bounds.ts'
import { type Finding, MOST_THINGS } from './draft.ts'
import { Machine } from './machine.ts'
import { ALL, type Reductions } from './reductions.ts'
import { Worlds } from './worlds.ts'

export interface Explored {
  /** Everything within the bounds was seen. */
  readonly isComplete: boolean
  readonly states: number
  /** What the states take. */
  readonly bytes: number
  readonly transitions: number
  readonly depth: number
  /** Different processes, and different messages. */
  readonly processes: number
  readonly things: number
  readonly violation: (Finding & { readonly steps: readonly string[] }) | null
  readonly sometimes: ReadonlyMap<string, number>
}

export interface Progress {
  readonly states: number
  readonly expanded: number
  readonly depth: number
}

/** `watch` is asked now and then, and ends the exploration by answering false. */
export function explore(
  bounds: Bounds,
  rules: Rules = SOUND,
  watch: (progress: Progress) => boolean = () => true,
  reductions: Reductions = ALL,
): Explored {
  const machine = new Machine(bounds, rules, reductions)
  const worlds = new Worlds(machine)
  const store = new StateStore()
  const world = new Int32Array(MOST_THINGS)
  store.add(world, worlds.initial(world), 0)
  let transitions = 0
  let depth = 0
  let levelEnd = 1
  let expanded = 0
  let failure: { from: number; finding: Finding; tell: string } | null = null
  let goesOn = true
  while (expanded < store.length && failure === null && goesOn) {
    if (expanded === levelEnd) {
      depth += 1
      levelEnd = store.length
    }
    const from = expanded
    const size = store.read(from, world)
    expanded += 1
    worlds.expand(world, size, (next, nextSize, finding, tell) => {
      transitions += 1
      if (finding !== null) failure ??= { from, finding, tell: tell() }
      else store.add(next, nextSize, from)
    })
    if (expanded % 4096 === 0) goesOn = watch({ states: store.length, expanded, depth })
  }
  const found = failure as { from: number; finding: Finding; tell: string } | null
  return {
    isComplete: found === null && expanded === store.length,
    states: store.length,
    bytes: store.memory,
    transitions,
    depth,
    processes: machine.processes.list.length,
    things: machine.things.list.length,
    violation:
      found === null
        ? null
        : { ...found.finding, steps: [...schedule(store, worlds, found.from), found.tell] },
    sometimes: worlds.sometimes,
  }
}

/** The steps of a shortest way into a state. */
function schedule(store: StateStore, worlds: Worlds, state: number): string[] {
  const steps: string[] = []
  const world = new Int32Array(MOST_THINGS)
  for (let to = state; to !== 0; to = store.parentOf(to)) {
    const size = store.read(store.parentOf(to), world)
    let step: string | null = null
    worlds.expand(world, size, (next, nextSize, _finding, tell) => {
      if (step === null && store.find(next, nextSize) === to) step = tell()
    })
    steps.push(step ?? '?')
  }
  return steps.toReversed()
}
