import type { Algorithm } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { describe, expect, test } from 'vitest'
import { algorithmOf, commandFor, instanceOf, modelFiles } from '../../../scripts/models.ts'
import { extent, isDue } from '../../../test/extent.ts'
import { atLeast } from '../../../test/present.ts'
import { Check, type CheckResult } from '../src/check.ts'
import { Expander, type Work } from '../src/expander.ts'
import type { Instance } from '../src/instance.ts'
import { instanceOf as toyInstance } from './harness.ts'
import { FENCE, toyFacts } from './toys.ts'

const PLENTY = 1_000_000

function alone(instance: Instance, mostStates: number): CheckResult {
  const check = new Check(instance, mostStates)
  while (!check.run(1000));
  return check.result
}

/** As two threads do it: begun alone, then two pieces of work under way at a time; what is sent is a copy. */
function together(
  instance: Instance,
  mostStates: number,
  { head, piece }: { head: number; piece: number },
): CheckResult {
  const check = new Check(instance, mostStates)
  const { search } = check
  const expander = new Expander(instance)
  const underWay: Work[] = []
  for (let isOver = check.run(head); !isOver; ) {
    for (let work = search.handOut(piece); work !== null; work = search.handOut(piece)) {
      underWay.push(structuredClone(work))
      if (underWay.length === 2) break
    }
    const next = get(underWay.splice(0, 1), 0)
    isOver = search.takeBack(structuredClone(expander.expand(next)))
  }
  return check.result
}

describe('two that share the work find what one finds: counts, verdicts, runs and extremes', () => {
  // Holding and failing, exclusion and elections, either order of channels, and every kind of trouble.
  for (const file of modelFiles()) {
    // Only one explorer can reduce. The other explores its part in full, so the counts differ.
    const quick = file.models.filter(
      ({ expected, reduced }) => reduced === undefined && isDue(expected?.states ?? PLENTY, 100, 700, 1500),
    )
    test.each(quick.map((model) => [commandFor(file.algorithm, model), model] as const))('%s', (_, model) => {
      const instance = instanceOf(algorithmOf(file), model)
      const expected = alone(instance, PLENTY)
      expect(together(instance, PLENTY, { head: 0, piece: 50 })).toEqual(expected)
    })
  }
})

const [ricartAgrawala] = atLeast(
  1,
  modelFiles().filter(({ algorithm }) => algorithm === 'ricart-agrawala'),
)
const instance = instanceOf(algorithmOf(ricartAgrawala), { nodes: 3, requests: 'any' })

/** Several tests compare with it. */
const whole = alone(instance, PLENTY)

test('two bounds: the one that ended a run first is told, whoever found it', () => {
  const bounded = instanceOf(algorithmOf(ricartAgrawala), { nodes: 2, requests: 'any', clock: 1, room: 1 })
  const expected = alone(bounded, PLENTY)
  expect(together(bounded, PLENTY, { head: 0, piece: 5000 })).toEqual(expected)
})

test.each(extent([7], [1, 7, 100, 5000]))('whatever the size of the pieces: %i', (piece) => {
  expect(together(instance, PLENTY, { head: 0, piece })).toEqual(whole)
})

test.each(extent([500], [1, 10, 500, 2942, 2943, 5000]))(
  'whenever the other joins in: after %i states',
  (head) => {
    expect(together(instance, PLENTY, { head, piece: 64 })).toEqual(whole)
  },
)

test.each(extent([30, 2622, 2623], [1, 2, 30, 500, 2621, 2622, 2623]))(
  'cut short at the same state by a limit of %i',
  (most) => {
    const expected = alone(instance, most)
    expect(expected.complete).toBe(most > 2622)
    expect(together(instance, most, { head: 0, piece: 64 })).toEqual(expected)
  },
)

test('cut short at the same step by a world that is too large to hold', () => {
  /** Says everything a thousand times, and never lets anyone in. */
  const babbler: Algorithm<object, { readonly type: 'word' }> = {
    facts: toyFacts('babbler', {}),
    options: {},
    shapes: { state: {}, messages: { word: {} }, fence: FENCE },
    init: () => ({}),
    request(_node, here) {
      for (let i = 0; i < 1000; i += 1) here.send((here.self + 1) % here.setup.nodes, { type: 'word' })
    },
    release() {},
    receive: { word() {} },
  }
  const world = toyInstance(babbler, { nodes: 3, channels: 'unordered' })
  const expected = alone(world, PLENTY)
  expect(expected).toMatchObject({ complete: false, depth: 2 })
  for (const piece of [1, 3, 1000]) expect(together(world, PLENTY, { head: 0, piece })).toEqual(expected)
})
