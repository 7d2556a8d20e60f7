import { describe, expect, test } from 'vitest'
import { LONG } from '../../../test/extent.ts'
import { measured, SIZES } from './measured.ts'

/** What Velazquez (1993, section 4) says of Raymond's algorithm. */

// shows velazquez-1993 4 Raymond
describe('an idle privilege at distance d costs 2d messages', () => {
  // shows claim complete-network
  test('from one end of a line to the other: 2(n-1)', () => {
    for (const nodes of SIZES) {
      const only = `hot:${Array.from({ length: nodes }, (_, node) => (node === nodes - 1 ? 1 : 0)).join(',')}`
      const { messages } = measured('raymond', { nodes, topology: 'line', load: only, entries: 1 })
      expect(messages.byType).toEqual({ privilege: nodes - 1, request: nodes - 1 })
    }
  })

  test('on a star at most 4', () => {
    for (const nodes of SIZES) {
      const { predicted, messages } = measured('raymond', {
        nodes,
        topology: 'star',
        load: 'light',
        entries: 200,
      })
      expect(predicted.perEntry.max).toBe(nodes === 2 ? 2 : 4)
      expect(messages.perEntry).toBeLessThanOrEqual(predicted.perEntry.max)
    }
  })

  test('at the holder nothing', () => {
    expect(measured('raymond', { nodes: 31, load: 'hot:1,0', entries: 50 }).messages.total).toBe(0)
  })
})

test('when everybody asks, about 4 messages per entry, however large the tree', () => {
  for (const topology of ['tree:2', 'tree:5', 'line', 'star']) {
    const { messages } = measured('raymond', { nodes: 50, topology, load: 'heavy', entries: 2000 })
    expect(messages.perEntry).toBeCloseTo((4 * 49) / 50, 1)
  }
})

test('a million nodes: the state of a node does not grow with n', LONG, () => {
  const { entries, messages } = measured('raymond', { nodes: 1_000_000, load: 'light', entries: 200 })
  expect(entries).toBe(200)
  expect(messages.perEntry).toBeLessThan(80)
})
