import { catalogue } from '@turnwise/algorithms/catalogue'
import { lamport } from '@turnwise/algorithms/permission/lamport'
import { ricartAgrawala } from '@turnwise/algorithms/permission/ricart-agrawala'
import { ricartAgrawalaMembership } from '@turnwise/algorithms/permission/ricart-agrawala-membership'
import { maekawa } from '@turnwise/algorithms/quorum/maekawa'
import { helaryPlouzeauRaynalReconfiguration } from '@turnwise/algorithms/token/helary-plouzeau-raynal-reconfiguration'
import { nishioLiManning } from '@turnwise/algorithms/token/nishio-li-manning'
import { raymondRecovery } from '@turnwise/algorithms/token/raymond-recovery'
import { suzukiKasami } from '@turnwise/algorithms/token/suzuki-kasami'
import type { AnyAlgorithm } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { describe, expect, test } from 'vitest'
import { extent, isLong } from '../../../test/extent.ts'
import type { Instance as AnyInstance } from '../src/instance.ts'
import { Search } from '../src/search.ts'
import { StateStore } from '../src/state-store.ts'
import { Worlds } from '../src/worlds.ts'
import { type Counted, countWorlds } from './dumb-explorer.ts'
import { instanceOf, type SmallWorld } from './harness.ts'
import { copyingRing, desk, dice, fickle, heir, rightNeighbour, ring, treadmill } from './toys.ts'
import { choir, crowd, lender, stickler, tidy } from './world-toys.ts'

type Instance = AnyInstance<AnyAlgorithm>

/** How many worlds are how far from the first, by the way on which each was found. */
function levelsOf(store: StateStore): number[] {
  const depths = [0]
  const levels = [1]
  for (let state = 1; state < store.length; state += 1) {
    const depth = get(depths, store.parentOf(state)) + 1
    depths.push(depth)
    levels[depth] = (levels[depth] ?? 0) + 1
  }
  return levels
}

/** The checker's worlds and steps: so many levels, without a judge that ends the search where something fails. */
function countUnjudged(instance: Instance, depth: number): Counted {
  const worlds = new Worlds(instance, { followFences: false, concrete: false })
  const store = new StateStore()
  const world = new Int32Array(2048)
  store.add(world, worlds.initial(world), 0)
  let transitions = 0
  for (let level = 0, state = 0; level < depth; level += 1) {
    for (const end = store.length; state < end; state += 1) {
      worlds.expand(world, store.read(state, world), (next, size) => {
        transitions += 1
        store.add(next, size, state)
      })
    }
  }
  return { levels: levelsOf(store).slice(0, depth), transitions }
}

function searchOf(instance: Instance, slice = 100_000): { search: Search; slices: number } {
  const search = new Search(instance, { mostStates: 100_000, edges: true, followFences: false })
  let slices = 1
  while (!search.run(slice)) slices += 1
  return { search, slices }
}

/** Both find the same; and so does a search, unless it ends where something fails. */
function expectSame(instance: Instance, most: number): boolean {
  const { complete, ...dumb } = countWorlds(instance, most)
  expect(countUnjudged(instance, dumb.levels.length)).toEqual(dumb)
  if (!complete) return false
  const { search } = searchOf(instance)
  if (!search.isComplete) return false
  expect(levelsOf(search.store)).toEqual(dumb.levels)
  expect(search.transitions).toBe(dumb.transitions)
  expect(search.depth).toBe(dumb.levels.length - 1)
  return true
}

const CHANNELS = extent(['unordered'] as const, ['fifo', 'unordered'] as const)

describe('the checker finds the worlds and the steps that a dumb explorer finds', () => {
  const MOST = extent(20, 70, 300)

  test.each(catalogue.map((algorithm) => [algorithm.facts.name, algorithm] as const))(
    '%s',
    (_name, algorithm) => {
      for (const channels of CHANNELS) {
        if (isLong) expectSame(instanceOf(algorithm, { nodes: 2, requests: 1, channels }), MOST)
        expectSame(instanceOf(algorithm, { nodes: 2, requests: 2, channels }), MOST)
        if (isLong) expectSame(instanceOf(algorithm, { nodes: 3, requests: 1, channels }), MOST)
      }
    },
  )

  test.each<[name: string, algorithm: AnyAlgorithm, world: SmallWorld]>([
    // Two thousand worlds, of which each is copied again and again.
    ...(isLong ? CHANNELS : []).map((channels): [string, AnyAlgorithm, SmallWorld] => [
      'ricart-agrawala',
      ricartAgrawala,
      { nodes: 3, channels },
    ]),
    ['suzuki-kasami', suzukiKasami, { nodes: 3 }],
    ['maekawa', maekawa, { nodes: 3 }],
    ['lamport', lamport, { nodes: 2, requests: 2 }],
  ])('%s, to the last world', (_name, algorithm, world) => {
    expect(expectSame(instanceOf(algorithm, world), 10_000)).toBe(true)
  })
})

describe('with trouble, beyond what fails', () => {
  const TROUBLE = ['crashes', 'drops', 'duplicates', 'withdrawals', 'suspicions'] as const
  const MOST = extent(12, 50, 80)

  test.each(catalogue.map((algorithm) => [algorithm.facts.name, algorithm] as const))(
    '%s',
    (_name, algorithm) => {
      for (const channels of CHANNELS) {
        for (const kind of isLong ? TROUBLE : [])
          expectSame(instanceOf(algorithm, { nodes: 2, channels, budgets: { [kind]: 2 } }), MOST)
        const all = Object.fromEntries(TROUBLE.map((kind) => [kind, 1]))
        expectSame(instanceOf(algorithm, { nodes: 2, channels, budgets: all }), MOST)
      }
    },
  )
})

describe('with nodes and channels that come and go', () => {
  const MOST = extent(15, 60, 150)
  const rows: [what: string, algorithm: AnyAlgorithm, world: SmallWorld][] = [
    ['raymond-recovery', raymondRecovery, { nodes: 2, budgets: { crashes: 1, restarts: 1 } }],
    ['nishio-li-manning', nishioLiManning, { nodes: 2, budgets: { crashes: 1, restarts: 1, joins: 1 } }],
    [
      'ricart-agrawala-membership',
      ricartAgrawalaMembership,
      { nodes: 2, budgets: { crashes: 2, restarts: 2 } },
    ],
    ['ricart-agrawala-membership', ricartAgrawalaMembership, { nodes: 3, budgets: { joins: 2, leaves: 1 } }],
    [
      'ricart-agrawala-membership',
      ricartAgrawalaMembership,
      { nodes: 2, budgets: { crashes: 1, leaves: 1, joins: 1 } },
    ],
    ['lamport', lamport, { nodes: 2, budgets: { crashes: 2, restarts: 1 } }],
    [
      'bequest of crashed ones',
      heir(false),
      { nodes: 3, budgets: { crashes: 2, restarts: 2, suspicions: 1 } },
    ],
    ['requests taken back by a crash', fickle, { nodes: 2, budgets: { crashes: 1, restarts: 1, drops: 1 } }],
    ...(['line', 'ring'] as const).flatMap((topology): typeof rows => {
      const changing = { nodes: 3, topology }
      const row = (budgets: SmallWorld['budgets']) =>
        [
          'helary-plouzeau-raynal-reconfiguration',
          helaryPlouzeauRaynalReconfiguration,
          { ...changing, budgets },
        ] as (typeof rows)[number]
      return [
        row({ unlinks: 1, links: 1, duplicates: 1 }),
        row({ joins: 1, leaves: 1 }),
        row({ crashes: 1, restarts: 1, unlinks: 1, links: 1 }),
        row({ crashes: 1, leaves: 1, drops: 1 }),
      ]
    }),
  ]

  test.each(rows)('%s %#', (_what, algorithm, world) => {
    for (const channels of CHANNELS) {
      for (const memory of extent(['either'] as const, ['kept', 'lost', 'either'] as const))
        expectSame(instanceOf(algorithm, { ...world, channels, memory }), MOST)
    }
  })
})

describe('where the catalogue does not reach: timers, steps, chance, media, failure detectors', () => {
  const wanders = ring((here) => (here.self + 1 + here.random(2)) % here.setup.nodes)
  const hurried = { ...lender, facts: { ...lender.facts, timers: { silence: 'round-trip' } } } as const
  const rows: [what: string, algorithm: AnyAlgorithm, world: SmallWorld][] = [
    ['a token that turns for ever', ring(rightNeighbour), { nodes: 3 }],
    ['a token that is copied', copyingRing, { nodes: 2 }],
    ['a token that goes anywhere', wanders, { nodes: 3 }],
    ['dice', dice, { nodes: 2, requests: 2 }],
    ['steps of their own', tidy, { nodes: 3 }],
    ['bounded time-outs', lender, { nodes: 2, requests: 2, timing: 'bounded' }],
    ['bounded round trips', hurried, { nodes: 2, requests: 2, timing: 'bounded' }],
    ['time-outs at any moment', lender, { nodes: 2, requests: 2, timing: 'any' }],
    ['an ordered medium', choir, { nodes: 3, channels: 'fifo' }],
    ['a medium without order', crowd, { nodes: 3 }],
    ['what cannot happen, and happens', stickler, { nodes: 3 }],
    ['ticking for ever', treadmill, { nodes: 3, budgets: { withdrawals: 1 } }],
    ['a request taken back', fickle, { nodes: 3, requests: 2, budgets: { withdrawals: 1 } }],
    ['a failure detector', heir(false), { nodes: 3, budgets: { crashes: 2, suspicions: 1 } }],
    ['a failure detector, and a pace', heir(true), { nodes: 2, requests: 2, budgets: { crashes: 1 } }],
    ['somebody inside at first', desk, { nodes: 3, setup: { inside: [1], entries: 2 } }],
  ]

  test.each(rows)('%s', (_what, algorithm, world) => {
    expectSame(instanceOf(algorithm, world), extent(60, 300, 800))
  })
})

test('a search in slices finds what a search in one go finds', () => {
  const instance = instanceOf(lamport, { nodes: 2, requests: 2 })
  const { search: whole } = searchOf(instance)
  const { search: sliced, slices } = searchOf(instance, 7)
  expect(slices).toBe(Math.ceil((whole.states + 1) / 7))
  expect(levelsOf(sliced.store)).toEqual(levelsOf(whole.store))
  expect(sliced.transitions).toBe(whole.transitions)
})
