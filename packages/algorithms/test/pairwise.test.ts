/**
 * The engine with readers and writers: all worlds of a few nodes by the checker, random walks of more by hand. The
 * checker asks for exclusive entries only; so here a request draws its mode, and tokens do the counting: a reader
 * inside holds one of n, a writer all n.
 */
import { Check } from '@turnwise/checker/check'
import { NO_TROUBLE } from '@turnwise/checker/instance'
import type { Mode } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { randomStream } from '@turnwise/core/random'
import { arrange } from '@turnwise/core/setup'
import { Stage } from '@turnwise/simulator/stage'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { extent } from '../../../test/extent.ts'
import { carvalhoRoucairol } from '../src/permission/carvalho-roucairol.ts'
import { singhalDynamic } from '../src/permission/singhal-dynamic.ts'

type Pairwise = typeof carvalhoRoucairol
const MODES: readonly Mode[] = ['exclusive', 'shared']

function drawsItsMode(algorithm: Pairwise, nodes: number): Pairwise {
  return {
    ...algorithm,
    tokens: {
      held: ({ mode, ours }) => (mode === null || ours !== null ? 0 : mode === 'shared' ? 1 : nodes),
      carried: () => 0,
    },
    request: (node, here, ask) => algorithm.request(node, here, { ...ask, mode: get(MODES, here.random(2)) }),
  }
}

function checked(algorithm: Pairwise, nodes: number, requests: number, channels: 'fifo' | 'unordered') {
  const { setup } = arrange(algorithm.facts, { nodes, options: {} })
  const check = new Check(
    {
      algorithm: drawsItsMode(algorithm, nodes),
      setup: { ...setup, entries: nodes },
      requests,
      channels,
      timing: 'any',
      budgets: NO_TROUBLE,
    },
    1_000_000,
  )
  while (!check.run(100_000));
  return check.result
}

test.each([
  [carvalhoRoucairol, 2, 3, 'unordered'],
  [carvalhoRoucairol, 3, 1, 'unordered'],
  [singhalDynamic, 2, 3, 'unordered'],
  [singhalDynamic, 3, 1, 'unordered'],
  ...extent([], [[singhalDynamic, 3, 2, 'fifo']] as const),
] as const)('readers and writers in every world: $facts.name', (algorithm, nodes, requests, channels) => {
  const { complete, properties } = checked(algorithm, nodes, requests, channels)
  expect(complete).toBe(true)
  expect(properties.filter(({ holds }) => holds !== true)).toEqual([])
})

describe.each([
  ['carvalho-roucairol', carvalhoRoucairol],
  ['singhal-dynamic', singhalDynamic],
] as const)('readers and writers: %s', (_name, algorithm) => {
  // shows ricart-agrawala-1981 6.6 Readers and Writers
  test('random walks: writers alone, fences rise, and everyone is served', () => {
    let readTogether = 0
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 6 }), fc.maxSafeNat(), (nodes, seed) => {
        const walk = randomWalk(algorithm, nodes, seed, 40)
        expect(walk.jury.violations).toEqual([])
        expect(walk.jury.entries).toBe(40)
        if (walk.jury.holds.exclusion.mostInside > 1) readTogether += 1
      }),
      { numRuns: extent(40, 150) },
    )
    expect(readTogether).toBeGreaterThan(0)
  })
})

describe.each([
  ['carvalho-roucairol', carvalhoRoucairol],
  ['singhal-dynamic', singhalDynamic],
] as const)('requests that are taken back: %s', (_name, algorithm) => {
  test('random walks: writers alone, fences rise, and everyone else is served', () => {
    let takenBack = 0
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 6 }), fc.maxSafeNat(), (nodes, seed) => {
        const walk = randomWalk(algorithm, nodes, seed, 40, 12)
        expect(walk.jury.violations).toEqual([])
        const waiting = Array.from({ length: nodes }, (_, node) => walk.statusOf(node))
        expect(waiting.every((status) => status === 'idle')).toBe(true)
        takenBack += 40 - walk.jury.entries
      }),
      { numRuns: extent(40, 150) },
    )
    expect(takenBack).toBeGreaterThan(150)
  })
})

test('a reader’s permission that let it write would be seen', () => {
  const careless: Pairwise = {
    ...carvalhoRoucairol,
    request(node, here, ask) {
      node.permission = node.permission.map((permission) => (permission === null ? null : 'exclusive'))
      carvalhoRoucairol.request(node, here, ask)
    },
  }
  const { properties } = checked(careless, 2, 2, 'fifo')
  expect(properties.find(({ holds }) => holds === false)?.name).toBe('one-token')
})

/** Asks, deliveries in any order, exits and withdrawals as they fall, until so many requests are made and served. */
function randomWalk(
  algorithm: Pairwise,
  nodes: number,
  seed: number,
  requests: number,
  withdrawals = 0,
): Stage {
  const { setup } = arrange(algorithm.facts, { nodes, options: {} })
  const stage = new Stage(algorithm, setup)
  const random = randomStream(seed, 'walk')
  const everyone = Array.from({ length: nodes }, (_, node) => node)
  let left = requests
  let leftToWithdraw = withdrawals
  for (;;) {
    const idle = left > 0 ? everyone.filter((node) => stage.statusOf(node) === 'idle') : []
    const inside = everyone.filter((node) => stage.statusOf(node) === 'inside')
    const waiting = leftToWithdraw > 0 ? everyone.filter((node) => stage.statusOf(node) === 'waiting') : []
    const acts = [
      ...waiting.map((node) => () => {
        leftToWithdraw -= 1
        stage.withdraw(node)
      }),
      ...idle.map((node) => () => {
        left -= 1
        stage.request(node, { mode: get(MODES, random.below(2)), priority: 0 })
      }),
      ...inside.map((node) => () => stage.release(node)),
      ...stage.underWay.map((envelope) => () => stage.deliver(envelope)),
    ]
    if (acts.length === 0) return stage
    get(acts, random.below(acts.length))()
  }
}
