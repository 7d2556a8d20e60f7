/** The mesh, explored within bounds: the first violation found has a shortest schedule. */
import { type Exploration, explore as exploreModel, type Progress } from '@turnwise/checker/explore'
import { SOUND } from '../broken/under.ts'
import type { Rules } from '../src/protocol/rules.ts'
import type { Bounds } from './bounds.ts'
import type { Finding } from './draft.ts'
import { Machine } from './machine.ts'
import { ALL, type Reductions } from './reductions.ts'
import { Worlds } from './worlds.ts'

export interface Explored extends Omit<Exploration<Finding>, 'violation'> {
  /** Different processes, and different messages. */
  readonly processes: number
  readonly items: number
  readonly violation: (Finding & { readonly steps: readonly string[] }) | null
  readonly sometimes: ReadonlyMap<string, number>
}

export function explore(
  bounds: Bounds,
  rules: Rules = SOUND,
  watch: (progress: Progress) => boolean = () => true,
  reductions: Reductions = ALL,
): Explored {
  const machine = new Machine(bounds, rules, reductions)
  const worlds = new Worlds(machine)
  const explored = exploreModel(worlds, watch)
  const { violation } = explored
  return {
    ...explored,
    processes: machine.processes.list.length,
    items: machine.items.list.length,
    violation: violation && { ...violation.finding, steps: violation.steps },
    sometimes: worlds.sometimes,
  }
}
