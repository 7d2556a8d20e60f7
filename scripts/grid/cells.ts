/** Fills the grid of assumptions. */
import { readFileSync } from 'node:fs'
import { checkInstance } from '@turnwise/checker'
import { askableOf, type PropertyName } from '@turnwise/checker/property'
import type { AnyProtocol } from '@turnwise/core/algorithm'
import { InvalidInput } from '@turnwise/core/invalid-input'
import type { Cell, Dropped, Grid, Verdict } from '@turnwise/workshop/dropped-assumptions'
import { instanceOf, lengthOf, type Model } from '../models.ts'

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
    const names = askableOf(algorithm).filter((name) => (cell[name]?.fails ?? null) === null)
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
  const names = askableOf(algorithm)
  return Object.fromEntries(names.flatMap((name) => (cell[name] === undefined ? [] : [[name, cell[name]]])))
}
