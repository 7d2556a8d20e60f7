import { variant } from '@turnwise/algorithms/broken/ricart-agrawala-without-tie-break'
import { lamport } from '@turnwise/algorithms/permission/lamport'
import { ricartAgrawala } from '@turnwise/algorithms/permission/ricart-agrawala'
import { raymond } from '@turnwise/algorithms/token/raymond'
import { suzukiKasami } from '@turnwise/algorithms/token/suzuki-kasami'
import { get } from '@turnwise/core/bounds'
import { expect, test } from 'vitest'
import { check } from '../src/index.ts'
import { clocksOf } from '../src/parts.ts'

const UNREACHED = 99

test('with a bound that no clock reaches every property is decided, of worlds that differ in the values of clocks alone, too', () => {
  const world = { nodes: 2, requests: 3 }
  const shifted = check(ricartAgrawala, world)
  const asTheyAre = check(ricartAgrawala, { ...world, clock: UNREACHED })
  expect(asTheyAre).toMatchObject({ holds: true, complete: true, depth: shifted.depth })
  expect(asTheyAre.states).toBeGreaterThan(shifted.states)
  expect(asTheyAre.extremes).toEqual(shifted.extremes)
})

test('worlds beyond the bound are not entered, and nothing is claimed of them', () => {
  const { complete, holds, failure, extremes, properties } = check(lamport, {
    nodes: 2,
    requests: 'any',
    clock: 8,
  })
  expect({ complete, holds, failure, extremes }).toEqual({
    complete: true,
    holds: false,
    failure: null,
    extremes: null,
  })
  const within = 'holds while no clock passes 8'
  const beyond = 'some runs end where a clock would pass 8'
  expect(Object.fromEntries(properties.map((each) => [each.name, each.reason]))).toMatchObject({
    exclusion: within,
    'no-deadlock': within,
    'fences-rise': within,
    'can-enter': beyond,
    'no-starvation': beyond,
    'sometimes-enters': null,
  })
})

test('a bound lets in those within it: with each step there are more, until none is left out', () => {
  const sizes = [1, 2, 3, 4, 5, UNREACHED].map(
    (clock) => check(ricartAgrawala, { nodes: 2, requests: 2, clock }).states,
  )
  expect(sizes).toEqual(sizes.toSorted((a, b) => a - b))
  expect(sizes[0]).toBeLessThan(get(sizes, 1))
  expect(sizes.at(-2)).toBe(sizes.at(-1))
})

test('where too few can enter within the bound, it is not held against the algorithm', () => {
  const { failure, properties } = check(lamport, { nodes: 3, clock: 3 })
  expect(failure).toBeNull()
  expect(properties.find(({ name }) => name === 'sometimes-all-enter')).toMatchObject({ holds: null })
})

test('what fails within the bound fails', () => {
  expect(check(variant.algorithm, { nodes: 2, clock: 1 }).failure).toMatchObject({ name: 'exclusion' })
})

test('fences are no clocks: a bound on request numbers lets the token count on', () => {
  expect(clocksOf(suzukiKasami)).toEqual(['number'])
  expect(clocksOf(raymond)).toEqual([])
  const { properties } = check(suzukiKasami, { nodes: 1, requests: 5, clock: 1 })
  expect(properties.find(({ name }) => name === 'fences-rise')).toMatchObject({ holds: true })
})
