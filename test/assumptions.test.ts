import { catalogue, elections } from '@turnwise/algorithms/catalogue'
import { checkInstance, type PropertyName } from '@turnwise/checker'
import { DROPPED } from '@turnwise/workshop/dropped-assumptions'
import { describe, expect, test } from 'vitest'
import { assumptionGrid, cellOf } from '../scripts/grid/cells.ts'
import { instanceOf, lengthOf } from '../scripts/models.ts'
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

describe('a cell says what the checker finds, and so does each of its commands', () => {
  const FEW = ['central-coordinator']
  const MORE = [
    'raymond',
    'token-queue',
    'ricart-agrawala',
    'singhal-heuristic',
    'neilsen-mizuno',
    'martin-ring',
  ]
  test.each(extent(FEW, MORE, [...FEW, ...MORE]))('%s', (name) => {
    const algorithm = all.find(({ facts }) => facts.name === name)
    if (algorithm === undefined) throw new Error(`no algorithm ${name}`)
    for (const dropped of DROPPED) {
      const cell = cellOf(algorithm, dropped) ?? undefined
      expect({ [dropped.name]: cell }).toEqual({ [dropped.name]: grid[name]?.[dropped.name] })
      for (const [property, { nodes, requests, fails }] of Object.entries(cell ?? {})) {
        // As the command of the document asks it.
        const only = [property as PropertyName]
        const { failure } = checkInstance(
          instanceOf(algorithm, { ...dropped.world, nodes, requests, only }),
          50_000,
        )
        const shown = failure === null ? null : [failure.name, lengthOf(failure)]
        expect([dropped.name, shown]).toEqual([dropped.name, fails === null ? null : [property, fails]])
      }
    }
  })
})
