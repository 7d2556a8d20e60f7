import { variant as ignoresHolder } from '@turnwise/algorithms/broken/central-coordinator-ignores-holder'
import { variant as withoutHearingAll } from '@turnwise/algorithms/broken/lamport-without-hearing-all'
import { variant as oneShotInquire } from '@turnwise/algorithms/broken/maekawa-one-shot-inquire'
import { variant as maekawaOriginal } from '@turnwise/algorithms/broken/maekawa-original'
import { variant as forgetsToAsk } from '@turnwise/algorithms/broken/raymond-forgets-to-ask'
import { variant as printed } from '@turnwise/algorithms/broken/ricart-agrawala-printed'
import { variant as withoutTieBreak } from '@turnwise/algorithms/broken/ricart-agrawala-without-tie-break'
import { variant as interruptibleRelease } from '@turnwise/algorithms/broken/suzuki-kasami-interruptible-release'
import type { BrokenVariant } from '@turnwise/algorithms/broken-variant'
import { centralCoordinator } from '@turnwise/algorithms/permission/central-coordinator'
import { lamport } from '@turnwise/algorithms/permission/lamport'
import { ricartAgrawala } from '@turnwise/algorithms/permission/ricart-agrawala'
import { raymond } from '@turnwise/algorithms/token/raymond'
import { suzukiKasami } from '@turnwise/algorithms/token/suzuki-kasami'
import type { AnyAlgorithm } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { describe, expect, test } from 'vitest'
import { isWhole } from '../../../test/extent.ts'
import { type Checked, checked, failures, fences, open, propertyOf, stepsOf, told } from './harness.ts'
import { SIX } from './six.ts'

describe('six algorithms hold at three nodes with one request each', () => {
  const all = SIX.filter((algorithm) => isWhole || algorithm !== lamport)
  test.each(all.map((algorithm) => [algorithm.facts.name, algorithm] as const))('%s', (name, algorithm) => {
    const result = checked(algorithm, { nodes: 3 })
    expect(result.complete).toBe(true)
    expect([...failures(result), ...open(result)]).toEqual([])
    expect(result.properties.every(({ trace, reason }) => trace === null && reason === null)).toBe(true)
    const { min, max } = algorithm.facts.messages.heavy(result.check.search.worlds.instance.setup)
    expect(result.extremes?.messagesPerEntry?.min).toBeGreaterThanOrEqual(min)
    expect(result.extremes?.messagesPerEntry?.max).toBeLessThanOrEqual(max)
    // Three nodes of Lamport have half a million states; once is enough.
    const world = name === 'lamport' ? { nodes: 2, requests: 2 } : { nodes: 3 }
    expect(fences(algorithm, world)).toMatchObject({ name: 'fences-rise', holds: true, reason: null })
  })

  test('which properties those are: tokens are counted where there are tokens', () => {
    const namesOf = (algorithm: AnyAlgorithm, nodes: number) =>
      checked(algorithm, { nodes }).properties.map(({ name }) => name)
    const rest = [
      'no-deadlock',
      'rules',
      'can-enter',
      'no-starvation',
      'sometimes-enters',
      'sometimes-all-enter',
    ]
    expect(namesOf(lamport, 2)).toEqual(['exclusion', ...rest, 'sometimes-compete'])
    expect(namesOf(raymond, 2)).toEqual(['exclusion', 'one-token', ...rest, 'sometimes-compete'])
    // A node alone competes with nobody, and is not expected to.
    expect(namesOf(lamport, 1)).toEqual(['exclusion', ...rest])
  })

  test('a node alone asks, enters and leaves', () => {
    for (const algorithm of SIX) {
      const result = checked(algorithm, { nodes: 1 })
      expect(result).toMatchObject({ complete: true, states: 3, transitions: 2, depth: 2 })
      expect([...failures(result), ...open(result)]).toEqual([])
    }
  })
})

/** The one property that fails, with everything that the search left open. */
function failureOf(result: Checked) {
  expect(result.complete).toBe(false)
  expect(failures(result)).toHaveLength(1)
  const failure = propertyOf(result, get(failures(result), 0))
  expect(open(result)).toEqual(expect.arrayContaining(['can-enter', 'no-starvation']))
  expect(failure.repeatsFrom).toBeNull()
  return { property: failure.name, reason: failure.reason, steps: told(failure) }
}

describe('lamport needs channels that keep order', () => {
  test('two nodes: the reply overtakes the request', () => {
    expect(failureOf(checked(lamport, { nodes: 2, channels: 'unordered' }))).toEqual({
      property: 'exclusion',
      reason: 'nodes 0, 1 are inside together',
      steps: ['0 request', '1 request', '0 receive request', '1 receive reply'],
    })
  })

  test.each([
    [2, 1],
    [2, 3],
    [2, null],
  ])('%i nodes, %s requests: the run is as short', (nodes, requests) => {
    expect(failureOf(checked(lamport, { nodes, requests, channels: 'unordered' })).steps).toHaveLength(4)
  })

  test('three nodes: seven steps', () => {
    const { property, steps } = failureOf(checked(lamport, { nodes: 3, channels: 'unordered' }))
    expect({ property, steps: steps.length }).toEqual({ property: 'exclusion', steps: 7 })
  })

  test('saving replies does not change that they must keep order, and that with order it holds', () => {
    const set = ['savereplies=true']
    expect(failures(checked(lamport, { nodes: 2, requests: 2, set }))).toEqual([])
    expect(failureOf(checked(lamport, { nodes: 2, set, channels: 'unordered' })).property).toBe('exclusion')
  })
})

describe('broken variants fail by the property they name, in their own small world, after so many steps', () => {
  const original = checked(maekawaOriginal.algorithm, maekawaOriginal.instance)

  test.each([
    { variant: ignoresHolder, length: 7, reason: 'node 1 waits, and nothing can happen but new requests' },
    { variant: withoutHearingAll, length: 2, reason: 'nodes 0, 1 are inside together' },
    {
      variant: oneShotInquire,
      length: 10,
      reason: 'nodes 0, 3 wait, and nothing can happen but new requests',
    },
    {
      variant: maekawaOriginal,
      length: 14,
      reason: 'nodes 1, 2, 3 wait, and nothing can happen but new requests',
    },
    { variant: forgetsToAsk, length: 7, reason: 'node 1 waits, and nothing can happen but new requests' },
    { variant: withoutTieBreak, length: 6, reason: 'nodes 0, 1 are inside together' },
    {
      variant: interruptibleRelease,
      length: 5,
      reason: 'node 1 waits, and nothing can happen but new requests',
    },
  ])('$variant.algorithm.facts.name: $length', ({ variant, length, reason }) => {
    const failure = failureOf(
      variant === maekawaOriginal ? original : checked(variant.algorithm, variant.instance),
    )
    expect(failure).toMatchObject({ property: variant.fails, reason })
    expect(failure.steps).toHaveLength(length)
  })

  test('the printed Ricart-Agrawala holds but for its fences: a node that nobody asks uses a number twice', () => {
    const { algorithm, instance, fails } = printed
    expect(failures(checked(algorithm, instance))).toEqual([])
    const failure = fences(algorithm, instance)
    expect(failure).toMatchObject({ name: fails, holds: false })
    expect(failure.reason).toBe('node 0 enters with fence 2 after fence 2')
    expect(told(failure)).toHaveLength(7)
  })

  test.each<{ variant: BrokenVariant; whole: AnyAlgorithm }>([
    { variant: ignoresHolder, whole: centralCoordinator },
    { variant: withoutHearingAll, whole: lamport },
    { variant: forgetsToAsk, whole: raymond },
    { variant: printed, whole: ricartAgrawala },
    { variant: withoutTieBreak, whole: ricartAgrawala },
    { variant: interruptibleRelease, whole: suzukiKasami },
  ])(
    '$variant.algorithm.facts.name: what it was made from holds there',
    ({ variant: { instance, of }, whole }) => {
      expect(whole.facts.name).toBe(of)
      const result = checked(whole, instance)
      expect(result.complete).toBe(true)
      expect(failures(result)).toEqual([])
      expect(fences(whole, instance).holds).toBe(true)
    },
  )

  test("maekawa's own rule: three nodes wait in a circle, and nobody has entered", () => {
    const deadlock = propertyOf(original, 'no-deadlock')
    expect(stepsOf(deadlock).map(({ at }) => at)).toEqual(
      stepsOf(deadlock).map((_, i) => (i + 1) * 1_000_000),
    )
    expect(deadlock.trace?.at(-1)).toMatchObject({
      is: 'violation',
      judge: 'no-deadlock',
      text: deadlock.reason,
    })
    expect(deadlock.trace?.some(({ is }) => is === 'enter')).toBe(false)
  })
})
