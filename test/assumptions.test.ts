import { catalogue, elections } from '@turnwise/algorithms/catalogue'
import { describe, expect, test } from 'vitest'
import { assumptionGrid, cellOf, DROPPED } from '../scripts/grid/cells.ts'
import { extent } from './extent.ts'

const grid = assumptionGrid()
const all = [...catalogue, ...elections]

test('the grid has a cell for each assumption that an algorithm makes, and no others (npm run grid NAME fills it)', () => {
  const cells = (name: string) => Object.keys(grid[name] ?? {})
  const wanted = all.map((algorithm) => [
    algorithm.facts.name,
    DROPPED.filter(({ isMade }) => isMade(algorithm)).map(({ name }) => name),
  ])
  expect(Object.keys(grid).toSorted()).toEqual(all.map(({ facts }) => facts.name).toSorted())
  expect(Object.fromEntries(all.map(({ facts }) => [facts.name, cells(facts.name)]))).toEqual(
    Object.fromEntries(wanted),
  )
})

describe('a cell says what the checker finds', () => {
  const FEW = ['raymond', 'central-coordinator']
  const MORE = ['token-queue', 'ricart-agrawala', 'singhal-heuristic', 'neilsen-mizuno', 'martin-ring']
  test.each(extent(FEW, [...FEW, ...MORE]))('%s', (name) => {
    const algorithm = all.find(({ facts }) => facts.name === name)
    for (const dropped of DROPPED) {
      const cell = algorithm === undefined ? null : cellOf(algorithm, dropped)
      expect({ [dropped.name]: cell ?? undefined }).toEqual({ [dropped.name]: grid[name]?.[dropped.name] })
    }
  })
})
