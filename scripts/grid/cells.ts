/** The grid of assumptions: what becomes of each property of an algorithm in a small world when one assumption is dropped. */
import { readFileSync } from 'node:fs'
import { checkInstance } from '@turnwise/checker'
import { type PropertyName, propertiesOf } from '@turnwise/checker/property'
import type { AnyProtocol } from '@turnwise/core/algorithm'
import { searchTiming } from '@turnwise/core/facts'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { instanceOf, lengthOf, type Model } from '../models.ts'

/** An assumption, and the world without it. */
export interface Dropped {
  readonly name: string
  readonly title: string
  readonly world: Partial<Model>
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

export const GRID = new URL('../../packages/algorithms/assumptions.json', import.meta.url)

export function assumptionGrid(): Grid {
  return JSON.parse(readFileSync(GRID, 'utf8')) as Grid
}

/** Worlds to try, small ones first: a failure in a small one is easy to read, and one that holds in a larger one says more. */
const WORLDS = [
  { nodes: 2, requests: 1 },
  { nodes: 2, requests: 2 },
  { nodes: 3, requests: 1 },
  { nodes: 3, requests: 2 },
]

/** States that are borne. */
const MOST_STATES = 40_000

/** The properties of a cell: those of the algorithm, and that no handler meets a case that its paper excludes. */
export function judged(algorithm: AnyProtocol): PropertyName[] {
  return [...propertiesOf(algorithm), 'rules']
}

/** Null if the algorithm does not assume it. */
export function cellOf(algorithm: AnyProtocol, { world, isMade }: Dropped): Cell | null {
  if (!isMade(algorithm)) return null
  const cell: Record<string, Verdict> = {}
  let isCut = false
  for (const size of WORLDS) {
    // Who claims to survive a crash may need a majority, and of two nodes one is none.
    if (size.nodes === 2 && (world.crashes ?? 0) > 0 && algorithm.facts.faults.includes('crash')) continue
    // What a smaller world leaves open, the largest does too.
    if (isCut && size === WORLDS.at(-1)) break
    const names = judged(algorithm).filter((name) => (cell[name]?.fails ?? null) === null)
    const found = verdictsIn(algorithm, { ...world, ...size }, names)
    for (const [name, fails] of Object.entries(found)) {
      if ((cell[name]?.fails ?? null) === null) cell[name] = { ...size, fails }
    }
    isCut ||= names.some((name) => !(name in found))
  }
  return inOrder(algorithm, cell)
}

/** Steps to its failure for each that fails, null for each that holds. One that fails is put aside, and the others are asked again. */
function verdictsIn(
  algorithm: AnyProtocol,
  model: Model,
  asked: readonly PropertyName[],
): Record<string, number | null> {
  const found: Record<string, number | null> = {}
  let only = asked
  try {
    while (only.length > 0) {
      const { properties, failure } = checkInstance(instanceOf(algorithm, { ...model, only }), MOST_STATES)
      if (failure === null) {
        for (const { name, holds } of properties) if (holds === true) found[name] = null
        return found
      }
      found[failure.name] = lengthOf(failure)
      only = only.filter((name) => name !== failure.name)
    }
  } catch (error) {
    // There is no such world: a plane of so many lines, say.
    if (!(error instanceof InvalidInput)) throw error
  }
  return found
}

function inOrder(algorithm: AnyProtocol, cell: Cell): Cell {
  const names = judged(algorithm)
  return Object.fromEntries(names.flatMap((name) => (cell[name] === undefined ? [] : [[name, cell[name]]])))
}
