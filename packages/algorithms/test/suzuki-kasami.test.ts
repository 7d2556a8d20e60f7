import { expect, test } from 'vitest'
import { measured, SIZES } from './measured.ts'

/** What Velazquez (1993, section 4) says of Suzuki and Kasami's algorithm. */

// shows velazquez-1993 4 Suzuki-Kasami
test('an entry costs n messages, n-1 requests and the privilege, or none with the token here', () => {
  for (const nodes of SIZES) {
    const { messages, entries } = measured('suzuki-kasami', { nodes, load: 'light', entries: 100 })
    const passes = messages.byType['privilege'] ?? 0
    expect(messages.byType['request'] ?? 0).toBe(passes * (nodes - 1))
    expect(passes).toBeLessThanOrEqual(entries)
  }
})

// shows velazquez-1993 3.1 The token-based approach, a token that is asked for
test('the holder asks again for nothing', () => {
  const { messages } = measured('suzuki-kasami', { nodes: 20, load: 'hot:1,0', entries: 100 })
  expect(messages.total).toBe(0)
})

test('at heavy load every entry but the first costs n', () => {
  for (const nodes of SIZES) {
    const { messages } = measured('suzuki-kasami', { nodes, load: 'heavy', entries: 5 * nodes })
    expect(messages.total).toBe(nodes * (5 * nodes - 1))
  }
})

test('the token takes one message delay from an exit to the next entry', () => {
  const { syncDelay } = measured('suzuki-kasami', { nodes: 9, load: 'heavy', entries: 200 })
  expect(syncDelay).toEqual({ mean: 1, max: 1 })
})
