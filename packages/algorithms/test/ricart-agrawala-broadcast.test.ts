import { describe, expect, test } from 'vitest'
import { measured, SIZES } from './measured.ts'

/** What Ricart and Agrawala (1981) say of broadcast messages in section 6.2. */

describe('6.2.2, a medium without order', () => {
  const NAME = 'ricart-agrawala-broadcast'

  // shows ricart-agrawala-1981 6.2 Broadcast Messages
  test('n messages where nobody competes: one broadcast REQUEST and n-1 REPLYs', () => {
    for (const nodes of SIZES) {
      const { messages } = measured(NAME, { nodes, load: 'light', entries: 30 })
      expect(messages.byType).toEqual({ request: 30, reply: 30 * (nodes - 1) })
    }
  })

  // shows ricart-agrawala-1981 6.2.2 No communications medium sequencing
  test('2 messages where all others are kept waiting: under heavy load after the first round', () => {
    for (const nodes of SIZES.filter((size) => size <= 20)) {
      const entries = 6 * nodes
      const { messages } = measured(NAME, { nodes, load: 'heavy', entries })
      // The first requests have equal numbers: of each two nodes one replies at once. The last to leave owes nothing.
      expect(messages.byType).toEqual({ request: entries, reply: (nodes * (nodes - 1)) / 2 + entries - 1 })
    }
  })

  test('never more than n, and no entry without a request and a reply', () => {
    for (const load of ['poisson:0.3', 'closed:2', 'hot:5,1']) {
      for (const nodes of [2, 3, 6, 11]) {
        const wishes = { nodes, load, entries: 100, latency: 'exponential:1', channels: 'unordered' }
        const { messages } = measured(NAME, wishes)
        expect(messages.byType['request']).toBe(100)
        expect(messages.total).toBeLessThanOrEqual(100 * nodes)
        expect(messages.total).toBeGreaterThanOrEqual(200)
      }
    }
  })

  test('delays are those of single messages: a round trip, and one delay after an exit', () => {
    const light = measured(NAME, { nodes: 9, load: 'light', entries: 30 })
    expect(light.responseTime).toEqual({ mean: 2, p50: 2, p99: 2, max: 2 })
    const heavy = measured(NAME, { nodes: 9, load: 'heavy', entries: 90 })
    expect(heavy.syncDelay).toEqual({ mean: 1, max: 1 })
  })
})

describe('6.2.1, a medium that sequences', () => {
  const NAME = 'ricart-agrawala-medium'

  // shows ricart-agrawala-1981 6.2.1 Communications medium sequencing
  test('two messages per entry, whatever the number of nodes and the load', () => {
    for (const load of ['light', 'heavy', 'poisson:0.3', 'hot:5,1']) {
      for (const nodes of SIZES) {
        const { messages } = measured(NAME, { nodes, load, entries: 50, latency: 'exponential:1' })
        expect(messages.byType).toEqual({ request: 50, reply: 50 })
      }
    }
  })

  test('nobody to wait for: the node that hears its own request first is in, one message delay after it asked', () => {
    const { responseTime } = measured(NAME, { nodes: 9, load: 'light', entries: 30 })
    expect(responseTime).toEqual({ mean: 1, p50: 1, p99: 1, max: 1 })
  })

  test('first come, first served as the medium has it: nobody is overtaken', () => {
    for (const load of ['heavy', 'poisson:1']) {
      const { fairness } = measured(NAME, { nodes: 9, load, entries: 300 })
      expect(fairness.maxBypass).toBe(0)
    }
  })
})
