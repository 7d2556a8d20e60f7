/** A reduced search against the full one: the same verdict on every property that it keeps, and the same standstills. */

import { ricartAgrawalaMedium } from '@turnwise/algorithms/permission/ricart-agrawala-medium'
import { raymond } from '@turnwise/algorithms/token/raymond'
import { suzukiKasami } from '@turnwise/algorithms/token/suzuki-kasami'
import { tokenRingElection } from '@turnwise/algorithms/token/token-ring-election'
import { type Algorithm, type AnyAlgorithm, ImpossibleError } from '@turnwise/core/algorithm'
import { describe, expect, test } from 'vitest'
import { extent } from '../../../test/extent.ts'
import { traceTo } from '../src/path.ts'
import type { PropertyName } from '../src/property.ts'
import { reducibleOf } from '../src/reducible.ts'
import type { Search } from '../src/search.ts'
import { MOST_NUMBERS } from '../src/world-layout.ts'
import { checked, instanceOf, type SmallWorld, searched } from './harness.ts'
import { randomProtocol } from './random-protocol.ts'
import { happened, replay } from './stage-replay.ts'
import { copyingRing, desk, FENCE, FENCE_VALUE, generousDesk, toyFacts } from './toys.ts'

/** The worlds in which nothing can happen any more but requests, in the numbers of another search; -1 where it has not seen one. */
function standstills(search: Search, other: Search): number[] {
  const found: number[] = []
  const world = new Int32Array(MOST_NUMBERS)
  const adopted = new Int32Array(MOST_NUMBERS)
  for (let state = 0; state < search.states; state += 1) {
    const size = search.store.read(state, world)
    search.worlds.expand(world, size, () => {})
    if (search.worlds.couldProgress) continue
    found.push(other.store.find(adopted, other.worlds.adopt(search.worlds, world, size, adopted)))
  }
  return found
}

/** Compares property by property, so that none hides behind another; returns those that fail. */
function compared(algorithm: AnyAlgorithm, world: SmallWorld): PropertyName[] {
  return reducibleOf(algorithm).filter((name) => {
    const only = [name]
    const full = searched(algorithm, { ...world, only })
    const reduced = searched(algorithm, { ...world, only, reduced: true })
    expect(reduced.failure?.property, `${algorithm.facts.name}: ${name}`).toBe(full.failure?.property)
    if (reduced.failure === null) return false
    const trace = traceTo(reduced, reduced.failure.state)
    const play = () => replay(instanceOf(algorithm, world), trace)
    if (name === 'rules') expect(play).toThrow(ImpossibleError)
    else expect(happened(play().events)).toEqual(happened(trace))
    return true
  })
}

describe('protocols drawn at random', () => {
  for (const channels of ['fifo', 'unordered'] as const)
    test(`${channels} channels`, () => {
      const failing = new Set<PropertyName>()
      let [all, left] = [0, 0]
      for (let seed = 0; seed < extent(10, 100, 1000); seed += 1) {
        const algorithm = randomProtocol(seed, channels)
        for (const name of compared(algorithm, { nodes: 3 })) failing.add(name)
        const only: PropertyName[] = []
        const full = searched(algorithm, { nodes: 3, only })
        const reduced = searched(algorithm, { nodes: 3, only, reduced: true })
        expect(standstills(full, reduced)).not.toContain(-1)
        all += full.states
        left += reduced.states
      }
      // Each property fails in some protocols, and there is something to leave out.
      expect([...failing].toSorted()).toEqual(reducibleOf(randomProtocol(0, channels)).toSorted())
      expect(left).toBeLessThan(0.8 * all)
    })
})

test('toys that are right, and toys that are wrong', () => {
  const world = { nodes: 3, requests: 2 }
  expect(compared(desk, world)).toEqual([])
  expect(compared(generousDesk, world)).toEqual(['exclusion'])
  expect(compared(copyingRing, world)).toContain('one-token')
})

test('runs of any length are reduced too: a cycle never hides what another node can still do', () => {
  for (const algorithm of [raymond, desk])
    expect(compared(algorithm, { nodes: 3, requests: 'any' })).toEqual([])
})

/** Lets everyone in at once, without a word. Node 0 may turn round and round meanwhile. */
function open(turns: boolean): Algorithm<{ fence: number }, { readonly type: 'none' }> {
  return {
    facts: toyFacts('open', { timers: { turn: 'pace' } }),
    options: {},
    shapes: { state: { fence: FENCE_VALUE }, messages: { none: {} }, fence: FENCE },
    init: () => ({ fence: 0 }),
    start: (_node, here) => (turns && here.self === 0 ? here.setTimer('turn', 1) : undefined),
    timeout: (_node, here) => here.setTimer('turn', 1),
    request: (_node, here) => here.enter(0),
    release: () => undefined,
    receive: { none: () => undefined },
  }
}

test('a node that leaves does not hide that others come in meanwhile', () => {
  expect(compared(open(false), { nodes: 2 })).toEqual(['exclusion'])
})

test('a step that leads back does not put off the steps of others for ever', () => {
  expect(compared(open(true), { nodes: 3, setup: { inside: [0] } })).toEqual(['exclusion'])
})

test('only properties of single worlds are told', () => {
  const { properties, extremes, complete } = checked(suzukiKasami, { nodes: 3, reduced: true })
  expect(complete).toBe(true)
  expect(extremes).toBeNull()
  expect(properties.map(({ name, holds }) => [name, holds])).toEqual([
    ['exclusion', true],
    ['one-token', true],
    ['no-deadlock', true],
    ['rules', true],
  ])
})

test('where the order of steps matters, a reduction is refused', () => {
  const refusals: [AnyAlgorithm, SmallWorld, string][] = [
    [raymond, { nodes: 2, budgets: { crashes: 1 } }, 'reduction: crashes are not steps of one node'],
    [suzukiKasami, { nodes: 2, gaps: 2 }, 'reduction: with bounded gaps the order of steps matters'],
    [
      raymond,
      { nodes: 2, only: ['no-starvation'] },
      'reduction: no-starvation needs every run; it keeps exclusion, one-token, no-deadlock, rules',
    ],
    [
      ricartAgrawalaMedium,
      { nodes: 2 },
      'reduction: ricart-agrawala-medium broadcasts in one order, so the order of steps matters',
    ],
    [
      raymond,
      { nodes: 2, setup: { dead: [1] } },
      'reduction: the crash of a node that is dead at first is noticed elsewhere',
    ],
  ]
  for (const [algorithm, world, complaint] of refusals)
    expect(() => instanceOf(algorithm, { ...world, reduced: true })).toThrow(complaint)
  // Whether a token is void depends on its receiver.
  expect(reducibleOf(tokenRingElection)).toEqual(['exclusion', 'no-deadlock', 'rules'])
})
