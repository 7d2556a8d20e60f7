import { catalogue } from '@turnwise/algorithms/catalogue'
import { lamport } from '@turnwise/algorithms/permission/lamport'
import { describe, expect, test } from 'vitest'
import type { Instance } from '../src/instance.ts'
import { Search } from '../src/search.ts'
import { StateStore } from '../src/state-store.ts'
import { Worlds } from '../src/worlds.ts'
import { type Counted, countWorlds } from './dumb-explorer.ts'
import { instanceOf, searched } from './harness.ts'

const WORLDS = [
  { nodes: 2, requests: 1 },
  { nodes: 2, requests: 2 },
  { nodes: 3, requests: 1 },
]
const CHANNELS = ['fifo', 'unordered'] as const

/** How many worlds are how far from the first, by the way on which each was found. */
function levelsOf(store: StateStore): number[] {
  const depths = [0]
  const levels = [1]
  for (let state = 1; state < store.length; state += 1) {
    const depth = depths[store.parentOf(state)] + 1
    depths.push(depth)
    levels[depth] = (levels[depth] ?? 0) + 1
  }
  return levels
}

/** The checker's worlds and steps, all of them: without a judge that ends the search where something fails. */
function countUnjudged(instance: Instance, deepest = Number.POSITIVE_INFINITY): Counted {
  const worlds = new Worlds(instance, { followFences: false, concrete: false })
  const store = new StateStore()
  const world = new Int32Array(2048)
  store.add(world, worlds.initial(world), 0)
  let transitions = 0
  let levelEnd = 1
  for (let state = 0, depth = 0; state < store.length; state += 1) {
    if (state === levelEnd) {
      depth += 1
      levelEnd = store.length
    }
    if (depth > deepest) break
    worlds.expand(world, store.read(state, world), (next, size) => {
      transitions += 1
      store.add(next, size, state)
    })
  }
  return { levels: levelsOf(store).slice(0, deepest + 1), transitions }
}

describe('the checker finds the worlds and the steps that a dumb explorer finds', () => {
  const small = catalogue.flatMap((algorithm) =>
    WORLDS.flatMap((world) => CHANNELS.map((channels) => ({ algorithm, ...world, channels }))),
  )
  // Three nodes of Lamport have too many worlds to be explored in a dumb way, and on unordered channels the search
  // ends where it fails: both are compared below.
  const holding = small.filter(
    ({ algorithm, nodes, channels }) =>
      algorithm.facts.name !== 'lamport' || (nodes === 2 && channels === 'fifo'),
  )

  test.each(
    holding.map(
      (world) => [world.algorithm.facts.name, world.nodes, world.requests, world.channels, world] as const,
    ),
  )('%s, %i nodes, %i requests, %s', (_name, _nodes, _requests, _channels, { algorithm, ...world }) => {
    const search = searched(algorithm, world)
    expect(search.isComplete).toBe(true)
    const { levels, transitions } = countWorlds(instanceOf(algorithm, world))
    expect(levelsOf(search.store)).toEqual(levels)
    expect(search.transitions).toBe(transitions)
    expect(search.depth).toBe(levels.length - 1)
  })

  test.each([1, 2])('lamport on unordered channels, beyond its failure, %i requests', (requests) => {
    const instance = instanceOf(lamport, { nodes: 2, requests, channels: 'unordered' })
    expect(countUnjudged(instance)).toEqual(countWorlds(instance))
  })

  test.each(CHANNELS)('lamport, three nodes, %s: the first eight levels', (channels) => {
    const instance = instanceOf(lamport, { nodes: 3, channels })
    const dumb = countWorlds(instance, 7)
    expect(dumb.levels).toHaveLength(8)
    expect(countUnjudged(instance, 7)).toEqual(dumb)
  })
})

describe('with trouble, beyond what fails', () => {
  test.each(
    catalogue.flatMap((algorithm) =>
      CHANNELS.map((channels) => [algorithm.facts.name, channels, algorithm] as const),
    ),
  )('%s, %s', (_name, channels, algorithm) => {
    for (const trouble of ['crashes', 'drops', 'duplicates', 'withdrawals'] as const) {
      const instance = instanceOf(algorithm, { nodes: 2, channels, budgets: { [trouble]: 2 } })
      expect(countUnjudged(instance), trouble).toEqual(countWorlds(instance))
    }
    const budgets = { crashes: 1, drops: 1, duplicates: 1, withdrawals: 1 }
    const instance = instanceOf(algorithm, { nodes: 2, channels, budgets })
    expect(countUnjudged(instance, 6)).toEqual(countWorlds(instance, 6))
  })
})

test('a search in slices finds what a search in one go finds', () => {
  const instance = instanceOf(lamport, { nodes: 2, requests: 2 })
  const whole = searched(lamport, { nodes: 2, requests: 2 })
  const sliced = new Search(instance, { mostStates: 10_000, edges: true, followFences: false })
  let slices = 1
  while (!sliced.run(7)) slices += 1
  expect(slices).toBe(Math.ceil((whole.states + 1) / 7))
  expect(levelsOf(sliced.store)).toEqual(levelsOf(whole.store))
  expect(sliced.transitions).toBe(whole.transitions)
})
