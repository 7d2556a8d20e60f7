import { describe, expect, test } from 'vitest'
import { present } from '../../../test/present.ts'
import { measured, SIZES } from './measured.ts'

/** What Velazquez (1993, section 6) says of Raymond's algorithm. */

describe.each([1, 2, 3, 4, 5])('k = %i', (k) => {
  const sizes = SIZES.filter((nodes) => nodes >= k)

  // shows velazquez-1993 6 Raymond (k entries)
  test('without competition an entry costs 2(n-1) messages', () => {
    for (const nodes of sizes) {
      const { messages } = measured('raymond-k', { nodes, k, entries: 40 })
      expect(messages.total).toBe(40 * 2 * (nodes - 1))
    }
  })

  test('in competition replies are merged, but no entry goes without n-k of them', () => {
    for (const nodes of sizes) {
      for (const latency of ['constant:1', 'exponential:1']) {
        const wishes = { nodes, k, load: 'heavy', entries: 60, latency, inside: 'exponential:5' }
        const { messages } = measured('raymond-k', wishes)
        expect(messages.byType['request']).toBe(60 * (nodes - 1))
        expect(messages.perEntry).toBeLessThanOrEqual(2 * (nodes - 1))
        expect(messages.perEntry).toBeGreaterThanOrEqual(2 * nodes - k - 1)
      }
    }
  })

  // shows velazquez-1993 6.1 Table 3
  test('k are inside together, and never more', () => {
    for (const nodes of sizes) {
      const wishes = { nodes, k, load: 'heavy', entries: 80, inside: 'exponential:5' }
      expect(measured('raymond-k', wishes).maxInside).toBe(k)
    }
  })
})

// shows velazquez-1993 6 Raymond (k entries)
test('a node that stays inside answers all requests of another by one reply', () => {
  // Node 0 stays for long, while the others come and go by the second entry.
  const { messages } = measured('raymond-k', {
    nodes: 3,
    k: 2,
    load: 'closed:1',
    entries: 300,
    inside: 'exponential:4',
  })
  expect(messages.byType['reply']).toBeLessThan(present(messages.byType['request']))
})
