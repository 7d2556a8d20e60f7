import { describe, expect, test } from 'vitest'
import { measured, SIZES } from './measured.ts'

/** What Velazquez (1993, section 4) and Kessler (2024) say of Ricart and Agrawala's second algorithm. */

describe.each(['counters', 'clock'])('stamps=%s', (stamps) => {
  const set = [`stamps=${stamps}`]

  // shows helary-plouzeau-raynal-1988 1 Introduction
  // shows kessler-2024 Ricart-Agrawala Second Algorithm: cost and failures
  // shows velazquez-1993 4 Ricart-Agrawala
  test('an entry costs n messages, n-1 requests and the token, or none with the token here', () => {
    for (const nodes of SIZES) {
      const { messages, entries } = measured('ricart-agrawala-token', {
        nodes,
        set,
        load: 'light',
        entries: 100,
      })
      const passes = messages.byType['token'] ?? 0
      expect(messages.byType['request'] ?? 0).toBe(passes * (nodes - 1))
      expect(passes).toBeLessThanOrEqual(entries)
    }
  })

  // shows kessler-2024 Ricart-Agrawala Second Algorithm: principle
  test('the holder asks again for nothing', () => {
    const { messages } = measured('ricart-agrawala-token', { nodes: 20, set, load: 'hot:1,0', entries: 100 })
    expect(messages.total).toBe(0)
  })

  test('at heavy load every entry but the first costs n', () => {
    for (const nodes of SIZES) {
      const wishes = { nodes, set, load: 'heavy', entries: 5 * nodes }
      expect(measured('ricart-agrawala-token', wishes).messages.total).toBe(nodes * (5 * nodes - 1))
    }
  })

  // shows kessler-2024 Ricart-Agrawala Second Algorithm: example
  test('at heavy load the token moves around the circle: one message delay, and equal shares', () => {
    const wishes = { nodes: 9, set, load: 'heavy', entries: 180 }
    const { syncDelay, fairness } = measured('ricart-agrawala-token', wishes)
    expect(syncDelay).toEqual({ mean: 1, max: 1 })
    expect(fairness.jain).toBe(1)
  })

  // shows velazquez-1993 4 Ricart-Agrawala
  test('order of messages is not required: one token per entry of another node, however requests overtake', () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const { messages, entries } = measured('ricart-agrawala-token', {
        nodes: 6,
        set,
        seed,
        load: 'closed:1',
        latency: 'exponential:3',
        channels: 'unordered',
        entries: 200,
      })
      const passes = messages.byType['token'] ?? 0
      expect(messages.byType['request']).toBe(5 * passes)
      expect(passes).toBeLessThanOrEqual(entries)
    }
  })
})

describe('Kessler: a crash stops the others only if it is that of the holder', () => {
  const nodes = 4

  // shows kessler-2024 Ricart-Agrawala Second Algorithm: cost and failures
  // shows claim only-the-holder
  test('not so: the token is sent to a crashed node that waited, and is lost with it', () => {
    // All ask at 0. Node 0 is inside until 1, and node 1 is next.
    expect(() =>
      measured('ricart-agrawala-token', { nodes, load: 'heavy', entries: 12, fault: ['crash:1@0.5'] }),
    ).toThrow(/progress/)
  })

  // shows kessler-2024 Ricart-Agrawala Second Algorithm: cost and failures
  test('so it is for one that does not wait', () => {
    const wishes = { nodes, load: 'hot:1,0,1,1', entries: 40, fault: ['crash:1@0.5'] }
    expect(measured('ricart-agrawala-token', wishes)).toMatchObject({ entries: 40, unserved: 0 })
  })
})
