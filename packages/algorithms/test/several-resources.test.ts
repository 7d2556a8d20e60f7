/** The algorithms for requests for several resources, side by side. */
import { harmonic } from '@turnwise/core/facts'
import { describe, expect, test } from 'vitest'
import { measured } from './measured.ts'

const BOTH = ['ordered-resources', 'bouabdallah-laforest']

describe.each(BOTH)('%s', (name) => {
  test('those who want different resources are inside together', () => {
    const wishes = { nodes: 8, resources: 16, take: 2, load: 'heavy', entries: 200, inside: 'constant:10' }
    const { maxInside, meanInside } = measured(name, wishes)
    expect(maxInside).toBeGreaterThan(3)
    expect(meanInside).toBeGreaterThan(1.5)
  })

  test('where everyone wants all, one is inside', () => {
    expect(measured(name, { nodes: 6, resources: 4, take: 4, load: 'heavy', entries: 100 }).maxInside).toBe(1)
  })
})

describe('without competition', () => {
  const costs = (name: string, take: number) =>
    measured(name, { nodes: 8, resources: 16, take, entries: 3000, warmup: 500 }).messages.perEntry ?? 0

  test('an entry by the control token costs the same, whatever it takes', () => {
    expect(costs('bouabdallah-laforest', 8)).toBe(costs('bouabdallah-laforest', 1))
    expect(costs('bouabdallah-laforest', 4)).toBeCloseTo(harmonic(7), 0)
  })

  test('an entry in order costs as much again for each resource', () => {
    for (const take of [1, 2, 4]) expect(costs('ordered-resources', take) / take).toBeCloseTo(harmonic(7), 0)
  })
})

test('an entry by the control token costs at most n + 2k messages', () => {
  for (const nodes of [2, 5, 9]) {
    for (const take of [1, 3, 8]) {
      const wishes = { nodes, resources: 8, take, load: 'heavy', entries: 300, latency: 'exponential:1' }
      expect(measured('bouabdallah-laforest', wishes).messages.perEntry).toBeLessThanOrEqual(nodes + 2 * take)
    }
  }
})

test('for one lock the ordered way is Naimi and Trehel', () => {
  for (const load of ['light', 'heavy']) {
    const [one, same] = ['naimi-trehel', 'ordered-resources'].map((name) =>
      measured(name, { nodes: 7, load }),
    )
    expect(same?.messages).toEqual(one?.messages)
    expect(same?.responseTime).toEqual(one?.responseTime)
  }
})
