import { describe, expect, test } from 'vitest'
import { measured, SIZES } from './measured.ts'

/** What Thomas (1979) needs and costs, as Velazquez (1993, section 5) tells it, with majorities that meet. */

// shows velazquez-1993 5 Majorities (Thomas)
test('3 floor(n/2) messages without competition', () => {
  for (const nodes of SIZES) {
    const { messages } = measured('thomas-majority', { nodes, load: 'light', entries: 20 })
    const each = 20 * Math.floor(nodes / 2)
    expect(messages.byType).toEqual({ request: each, grant: each, release: each })
  }
})

test('at most 6 floor(n/2) in competition, and never a fail', () => {
  for (const nodes of SIZES) {
    const wishes = { nodes, load: 'heavy', entries: 4 * nodes, latency: 'exponential:1', seed: nodes }
    const { messages } = measured('thomas-majority', wishes)
    expect(messages.perEntry).toBeGreaterThanOrEqual(3 * Math.floor(nodes / 2))
    expect(messages.perEntry).toBeLessThanOrEqual(6 * Math.floor(nodes / 2))
    expect(messages.byType['fail']).toBeUndefined()
  }
})

describe('any minority may fail', () => {
  test.each([3, 4, 5, 7, 10])('%i nodes', (nodes) => {
    const minority = Math.ceil(nodes / 2) - 1
    for (let seed = 1; seed <= 10; seed += 1) {
      const fault = Array.from(
        { length: minority },
        (_, i) => `crash:${(seed + i) % nodes}@${3 * seed + 7 * i}`,
      )
      const wishes = { nodes, load: 'poisson:0.2', entries: 60, latency: 'exponential:1', seed, fault }
      expect(measured('thomas-majority', wishes)).toMatchObject({ unserved: 0, gaveUp: false })
    }
  })

  test('half of an even number may not', () => {
    const fault = ['crash:0@5', 'crash:1@5']
    const run = () => measured('thomas-majority', { nodes: 4, load: 'heavy', entries: 40, fault })
    expect(run).toThrow(/progress/)
  })
})
