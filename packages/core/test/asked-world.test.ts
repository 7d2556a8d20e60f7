/** Graphs, quorums and structures by their words, built for a number of nodes. */
import { catalogue } from '@turnwise/algorithms/catalogue'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { meansNumbers, soundWorld, takeAskedWorld, worldOfView } from '../src/asked-world.ts'
import { firstDisjointPair } from '../src/quorum/quorums.ts'
import { validate } from '../src/structure/validate.ts'

const factsOf = (name: string) => {
  const found = catalogue.find(({ facts }) => facts.name === name)
  if (found === undefined) throw new Error(`${name} is not in the catalogue`)
  return found.facts
}

test('words are divided from options', () => {
  expect(takeAskedWorld(['priority=20', 'quorum=grid', 'topology=tree:3', 'quorum=tree'])).toEqual({
    asked: { quorum: 'tree', topology: 'tree:3' },
    settings: ['priority=20'],
  })
})

test('whatever a mesh would take of these excludes, among any number of members', () => {
  const quorums = ['majority', 'grid', 'projective', 'tree', 'k-majority', 'k-singleton', 'disjoint']
  const structures = [
    'central',
    'central:2',
    'ricart-agrawala',
    'maekawa',
    'figure-2',
    '0/1:0.1/0.1',
    '0/1:0/1',
  ]
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 40 }),
      fc.constantFrom(...quorums),
      fc.constantFrom(...structures),
      (members, quorum, structure) => {
        const asking = worldOfView({ quorum }, factsOf('maekawa'), members)?.quorums
        if (asking !== undefined) expect(firstDisjointPair(asking)).toBeNull()
        const told = worldOfView({ structure }, factsOf('sanders'), members)?.structure
        if (told !== undefined) expect(validate(told).valid).toBe(true)
      },
    ),
  )
})

test.each([
  [
    'sanders',
    { structure: 'figure-3a' },
    3,
    '"figure-3a" does not exclude: condition b fails for nodes 0 and 1',
  ],
  ['sanders', { structure: '0/1:0/1' }, 2, '"0/1:0/1" does not exclude: condition b fails for nodes 0 and 1'],
  ['sanders', { structure: '0/1:0.1/0.1' }, 3, '"0/1:0.1/0.1" is for 2 nodes, not for 3'],
  ['sanders', { quorum: 'grid' }, 4, 'sanders asks no quorums, so there is nothing to choose'],
  [
    'raymond',
    { structure: 'central' },
    4,
    'raymond takes no information structure, so there is nothing to choose',
  ],
  ['maekawa', { quorum: 'gird' }, 4, '"gird" is not one of majority, grid'],
  ['ricart-agrawala', { topology: 'line' }, 4, 'line cannot carry ricart-agrawala'],
] as const)('%s refuses %j among %i', (name, asked, nodes, why) => {
  expect(() => soundWorld(asked, factsOf(name), nodes)).toThrow(why)
  expect(worldOfView(asked, factsOf(name), nodes)).toBeNull()
})

test('a structure means certain nodes, unless it is alike for all or has a node that may be any', () => {
  expect(meansNumbers({ structure: '0/1:0.1/0.1' })).toBe(true)
  expect(meansNumbers({ structure: 'central:1' })).toBe(true)
  expect(meansNumbers({ structure: 'central' })).toBe(false)
  expect(meansNumbers({ topology: 'line', quorum: 'grid' })).toBe(false)
})
