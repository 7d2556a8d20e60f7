import type { PropertyName } from '@turnwise/checker/property'
import type { AnyProtocol } from '@turnwise/core/algorithm'
import {
  type Cell,
  DROPPED,
  type Dropped,
  type Grid,
  openIn,
  type Standing,
  standingOf,
} from '@turnwise/workshop/dropped-assumptions'
import type { World } from '@turnwise/workshop/world'
import { commandFor } from '@turnwise/workshop/world-command'
import { known } from '../../run/spec.ts'
import type { Query } from '../../shell/address.ts'
import { inGroups } from '../algorithm-order.ts'
import { queryOfWorld } from '../checking/check-question.ts'

/** An algorithm without an assumption. */
export interface Place {
  readonly algorithm: AnyProtocol
  readonly dropped: Dropped
}

/** What became of a property there. */
export interface Finding {
  readonly property: string
  /** It fails after so many steps at least; null if it does not. */
  readonly fails: number | null
  readonly is: 'holds' | 'fails' | 'open'
  /** The largest world in which it holds, the smallest in which it fails, or one that is too large. */
  readonly world: World
  /** The world as a command. */
  readonly command: string
  /** The words by which the room Check asks the same. */
  readonly query: Query
}

function cellAt(grid: Grid, { algorithm, dropped }: Place): Cell | undefined {
  return grid[algorithm.facts.name]?.[dropped.name]
}

export function standingAt(grid: Grid, place: Place): Standing {
  return standingOf(place.algorithm, cellAt(grid, place))
}

/** The world in which an open property is asked about: larger than those that were decided. */
const OPEN_WORLD = { nodes: 3, requests: 1 } as const

export function findingsAt(grid: Grid, place: Place): Finding[] {
  const { algorithm, dropped } = place
  const cell = cellAt(grid, place)
  if (cell === undefined) return []
  const finding = (property: string, size: Pick<World, 'nodes' | 'requests'>, fails: number | null) => {
    const world: World = { ...dropped.world, ...size, only: [property as PropertyName] }
    const { name } = algorithm.facts
    return { property, fails, world, command: commandFor(name, world), query: queryOfWorld(name, world) }
  }
  return [
    ...Object.entries(cell).map(([property, { nodes, requests, fails }]) => ({
      ...finding(property, { nodes, requests }, fails),
      is: fails === null ? ('holds' as const) : ('fails' as const),
    })),
    ...openIn(algorithm, cell).map((property) => ({
      ...finding(property, OPEN_WORLD, null),
      is: 'open' as const,
    })),
  ]
}

/** What the table shows, as the address says it. */
export interface Filter {
  /** A part of an algorithm's name or title. */
  readonly algorithm: string
  /** The name of an assumption; empty for all. */
  readonly without: string
  /** What becomes of it; empty for all. */
  readonly result: string
}

export function filterOf(query: Query): Filter {
  return {
    algorithm: query['algorithm'] ?? '',
    without: query['without'] ?? '',
    result: query['result'] ?? '',
  }
}

/** The rows and columns that a filter leaves: of the rows, those in which some cell of the columns is as it asks. */
export function shownBy(
  grid: Grid,
  { algorithm, without, result }: Filter,
): { readonly columns: readonly Dropped[]; readonly rows: readonly AnyProtocol[] } {
  const columns = DROPPED.filter(({ name }) => without === '' || name === without)
  const words = algorithm.trim().toLowerCase()
  const rows = inGroups(known)
    .flatMap(({ list }) => list)
    .filter(
      (each) =>
        `${each.facts.name} ${each.facts.title}`.toLowerCase().includes(words) &&
        (result === '' ||
          columns.some((dropped) => standingAt(grid, { algorithm: each, dropped }).is === result)),
    )
  return { columns, rows }
}

/** The cell that an address names, such as `raymond/loss`; null if there is none. */
export function placeNamed(word: string | undefined): Place | null {
  const [name, without] = (word ?? '').split('/')
  const algorithm = known.find(({ facts }) => facts.name === name)
  const dropped = DROPPED.find((each) => each.name === without)
  return algorithm === undefined || dropped === undefined ? null : { algorithm, dropped }
}

export function nameOf({ algorithm, dropped }: Place): string {
  return `${algorithm.facts.name}/${dropped.name}`
}
