import { catalogue } from '@turnwise/algorithms/catalogue'
import type { AnyAlgorithm } from '@turnwise/core/algorithm'
import { describe, expect, test } from 'vitest'
import { extent } from '../../../test/extent.ts'
import { Explored } from '../src/explored.ts'
import { starvation } from '../src/starvation.ts'
import { conveyor } from './clock-toys.ts'
import { starving } from './dumb-fairness.ts'
import { checked, failures, open, propertyOf, type SmallWorld, searched, told } from './harness.ts'
import { rightNeighbour, ring } from './toys.ts'

const TWO = { nodes: 2, setup: { entries: 2 } }

describe('messages that are renamed on the way', () => {
  test('a row in which each is the first when it arrives starves who waits for the second', () => {
    const result = checked(conveyor, TWO)
    expect(result.complete).toBe(true)
    expect(failures(result)).toEqual(['no-starvation'])
    const { trace, repeatsFrom } = propertyOf(result, 'no-starvation')
    const types = told({
      ...propertyOf(result, 'no-starvation'),
      trace: trace?.slice(repeatsFrom ?? 0) ?? [],
    })
    expect(types).toContain('1 receive parcel')
  })

  test.each([2, 3, 9])('and so it does with gaps of %i, where it is open', (gaps) => {
    const result = checked(conveyor, { ...TWO, gaps })
    expect(result.complete).toBe(true)
    expect(open(result)).toEqual(['can-enter', 'no-starvation'])
  })
})

describe('who starves is the same if every message is followed', () => {
  function expectSame(algorithm: AnyAlgorithm, world: SmallWorld, most = extent(100, 3000)): number[] | null {
    const search = searched(algorithm, world, most)
    if (!search.isComplete) return null
    const nodes = starving(search)
    const lasso = starvation(new Explored(search))
    if (lasso === null) expect(nodes).toEqual([])
    else expect(nodes).toContain(lasso.node)
    return nodes
  }

  const timeless = catalogue.filter(({ facts }) =>
    Object.values(facts.timers).every((kind) => kind === 'pace'),
  )

  test.each(timeless.map((algorithm) => [algorithm.facts.name, algorithm] as const))(
    '%s',
    (_name, algorithm) => {
      for (const nodes of [2, 3])
        for (const channels of ['fifo', 'unordered'] as const)
          expectSame(algorithm, { nodes, requests: 'any', channels })
    },
  )

  test('toys and variants that starve a node', () => {
    expect(expectSame(conveyor, TWO, 200)).toEqual([1])
    expect(
      expectSame(
        ring(({ self }) => (self === 0 ? 2 : 0)),
        { nodes: 3, requests: 'any' },
        200,
      ),
    ).toEqual([1])
    expect(expectSame(ring(rightNeighbour), { nodes: 2, requests: 'any' })).toEqual([])
  })
})
