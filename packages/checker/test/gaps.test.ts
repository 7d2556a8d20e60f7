import { variant as comparesInside } from '@turnwise/algorithms/broken/carvalho-roucairol-compares-inside'
import { variant as withoutTieBreak } from '@turnwise/algorithms/broken/ricart-agrawala-without-tie-break'
import { carvalhoRoucairol } from '@turnwise/algorithms/permission/carvalho-roucairol'
import { lamport } from '@turnwise/algorithms/permission/lamport'
import { ricartAgrawala } from '@turnwise/algorithms/permission/ricart-agrawala'
import { ricartAgrawalaMembership } from '@turnwise/algorithms/permission/ricart-agrawala-membership'
import { sanders } from '@turnwise/algorithms/quorum/sanders'
import { helaryPlouzeauRaynal } from '@turnwise/algorithms/token/helary-plouzeau-raynal'
import { expect, test } from 'vitest'
import { LONG } from '../../../test/extent.ts'
import { type CheckOptions, check } from '../src/index.ts'
import type { Search } from '../src/search.ts'
import { MOST_NUMBERS } from '../src/world-layout.ts'
import { tally } from './clock-toys.ts'
import { searched } from './harness.ts'

const WORLDS = [
  { algorithm: ricartAgrawala, options: { nodes: 2, requests: 3 } },
  { algorithm: lamport, options: { nodes: 2, requests: 2 }, isLarge: true },
  { algorithm: carvalhoRoucairol, options: { nodes: 3 }, isLarge: true },
  { algorithm: sanders, options: { nodes: 2, requests: 2 } },
].map((each) => ({ ...each, name: each.algorithm.facts.name }))

for (const { name, isLarge = false, algorithm, options } of WORLDS) {
  const title = `${name}: with gaps no world is missing, and with gaps that no clock reaches none is added`
  test(title, isLarge ? LONG : {}, () => {
    const full = searched(algorithm, options)
    expect(full.isComplete).toBe(true)
    for (const gaps of [1, 2]) {
      const coarse = searched(algorithm, { ...options, gaps })
      const missing = Array.from({ length: full.states }, (_, state) => state).filter(
        (state) => placeOf(full, state, coarse) === -1,
      )
      expect(missing).toEqual([])
    }
    const { states, transitions, depth } = searched(algorithm, { ...options, gaps: 99 })
    expect({ states, transitions, depth }).toEqual({
      states: full.states,
      transitions: full.transitions,
      depth: full.depth,
    })
  })
}

/** The number of a world of one search in another, or -1. */
function placeOf(search: Search, state: number, other: Search): number {
  const world = new Int32Array(MOST_NUMBERS)
  const adopted = new Int32Array(MOST_NUMBERS)
  const size = search.store.read(state, world)
  return other.store.find(adopted, other.worlds.adopt(search.worlds, world, size, adopted))
}

test('runs of any length: a node that hears of nothing falls behind only so far', () => {
  const any: CheckOptions = { nodes: 3, requests: 'any', mostStates: 20_000 }
  expect(check(carvalhoRoucairol, any).complete).toBe(false)
  const { complete, failure, properties, extremes } = check(carvalhoRoucairol, { ...any, gaps: 2 })
  expect({ complete, failure, extremes }).toEqual({ complete: true, failure: null, extremes: null })
  expect(Object.fromEntries(properties.map(({ name, holds }) => [name, holds]))).toEqual({
    exclusion: true,
    'no-deadlock': true,
    rules: true,
    'can-enter': true,
    'no-starvation': true,
    'fences-rise': null,
  })
})

test('with too small a gap, a run that does not exist starves a node: that is open, and no failure', () => {
  const { failure, properties } = check(carvalhoRoucairol, { nodes: 3, requests: 'any', gaps: 1 })
  expect(failure).toBeNull()
  expect(properties.find(({ name }) => name === 'no-starvation')).toMatchObject({ holds: null })
})

test('a real failure is found with gaps too, and told by a run of the algorithm', () => {
  for (const { algorithm } of [withoutTieBreak, comparesInside]) {
    const full = check(algorithm, { nodes: 2, requests: 2 })
    const coarse = check(algorithm, { nodes: 2, requests: 'any', gaps: 1 })
    expect(coarse.failure).toMatchObject({ name: full.failure?.name, trace: expect.any(Array) })
  }
})

test('a node that runs again raises its clock by one, and the worlds are those without gaps', () => {
  const world = { nodes: 2, requests: 2, memory: 'kept', budgets: { crashes: 1, restarts: 1 } } as const
  const full = searched(ricartAgrawalaMembership, world)
  expect(searched(ricartAgrawalaMembership, { ...world, gaps: 2 }).states).toBe(full.states)
})

test('a rule that asks whether a value is exactly one above another is refused where gaps do not tell', () => {
  const world = {
    nodes: 2,
    requests: 2,
    channels: 'fifo',
    setup: { entries: 2 },
    budgets: { drops: 1 },
  } as const
  expect(searched(tally, world).failure).toMatchObject({ property: 'rules' })
  expect(() => searched(tally, { ...world, gaps: 1 })).toThrow(
    'gaps: a step depends on whether clock values are 1 or more apart; larger gaps may do',
  )
  expect(searched(tally, { ...world, gaps: 2 }).failure).toMatchObject({ property: 'rules' })
})

test('a step that raises a clock by two is refused: distances of one more would not be enough', () => {
  expect(() => check(helaryPlouzeauRaynal, { nodes: 3, requests: 'any', gaps: 2 })).toThrow(
    'gaps: a step raises a clock value by more than one',
  )
})
