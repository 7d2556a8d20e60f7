/**
 * The grid of assumptions: what becomes of each property of an algorithm in small worlds when one assumption is dropped.
 * `npm run grid` fills it; the document and the page show it.
 */
import { askableOf, type PropertyName } from '@turnwise/checker/property'
import type { AnyProtocol } from '@turnwise/core/algorithm'
import { searchTiming } from '@turnwise/core/facts'
import type { World } from './world.ts'

/** An assumption, and the world without it. */
export interface Dropped {
  /** Its name in the records. */
  readonly name: string
  /** What happens without it. */
  readonly title: string
  /** The world without it. */
  readonly world: Partial<World>
  /** Whether the algorithm makes the assumption at all. */
  readonly isMade: (algorithm: AnyProtocol) => boolean
}

const always = () => true

export const DROPPED: readonly Dropped[] = [
  {
    name: 'order',
    title: 'messages overtake each other',
    world: { channels: 'unordered' },
    isMade: ({ facts }) => facts.channels === 'fifo',
  },
  { name: 'loss', title: 'one message is lost', world: { drops: 1 }, isMade: always },
  { name: 'twice', title: 'one message arrives twice', world: { duplicates: 1 }, isMade: always },
  { name: 'crash', title: 'one node crashes', world: { crashes: 1 }, isMade: always },
  {
    name: 'restart',
    title: 'it restarts with its memory',
    world: { crashes: 1, restarts: 1, memory: 'kept' },
    isMade: always,
  },
  {
    name: 'amnesia',
    title: 'it restarts without memory',
    world: { crashes: 1, restarts: 1, memory: 'lost' },
    isMade: always,
  },
  {
    name: 'delay',
    title: 'delays have no bound',
    world: { timing: 'any' },
    isMade: ({ facts }) => searchTiming(facts) === 'bounded',
  },
]

/** What becomes of a property, and the world that shows it. What is not there is open: the worlds are too large to tell. */
export interface Verdict {
  /** How many nodes the world has. */
  readonly nodes: number
  /** Of each node. */
  readonly requests: number
  /** It fails, after so many steps at least; null if it holds. */
  readonly fails: number | null
}

/** By property. */
export type Cell = Readonly<Record<string, Verdict>>

/** By algorithm and assumption. */
export type Grid = Readonly<Record<string, Readonly<Record<string, Cell>>>>

const SAFETY: ReadonlySet<string> = new Set([
  'exclusion',
  'one-token',
  'fences-rise',
  'one-coordinator',
  'rules',
])

/** What becomes of an algorithm without an assumption; `properties` fail or are open. */
export interface Standing {
  readonly is: 'not assumed' | 'holds' | 'blocks' | 'unsafe' | 'open'
  /** Those that fail, or that are not decided. */
  readonly properties: readonly string[]
}

export function standingOf(algorithm: AnyProtocol, cell: Cell | undefined): Standing {
  if (cell === undefined) return { is: 'not assumed', properties: [] }
  const lost = Object.keys(cell).filter((name) => (cell[name]?.fails ?? null) !== null)
  if (lost.some((name) => SAFETY.has(name))) return { is: 'unsafe', properties: lost }
  if (lost.length > 0) return { is: 'blocks', properties: lost }
  const open = openIn(algorithm, cell)
  return { is: open.length === 0 ? 'holds' : 'open', properties: open }
}

export function openIn(algorithm: AnyProtocol, cell: Cell): PropertyName[] {
  return askableOf(algorithm).filter((name) => !(name in cell))
}
