import { describe, expect, test } from 'vitest'
import { measured, SIZES } from './measured.ts'

/** What Ricart and Agrawala (1981) say of requests that go round a ring in sections 4.2 and 6.3. */

const LOADS = ['light', 'heavy', 'poisson:0.3', 'closed:2', 'hot:5,1']
const UNORDERED = { latency: 'exponential:1', channels: 'unordered' } as const

describe('requests that are held', () => {
  const NAME = 'ricart-agrawala-ring'

  // shows ricart-agrawala-1981 4.2 Serial Processing
  // shows ricart-agrawala-1981 6.3 Ring Structure
  test('exactly n messages per entry, whatever the load: the least without broadcasts and timing', () => {
    for (const load of LOADS) {
      for (const nodes of SIZES) {
        const { messages } = measured(NAME, { nodes, load, entries: 40, ...UNORDERED })
        expect(messages.byType).toEqual({ request: 40 * nodes })
      }
    }
  })

  // shows ricart-agrawala-1981 4.2 Serial Processing
  test('parallel operation is sacrificed: n message delays where nobody competes', () => {
    for (const nodes of SIZES) {
      const { responseTime } = measured(NAME, { nodes, load: 'light', entries: 10 })
      expect(responseTime).toEqual({ mean: nodes, p50: nodes, p99: nodes, max: nodes })
    }
  })

  test('a node alone sends nothing', () => {
    expect(measured(NAME, { nodes: 1, load: 'light', entries: 5 }).messages.total).toBe(0)
  })
})

describe('requests with notes', () => {
  const NAME = 'ricart-agrawala-ring-noted'

  test('n messages per entry where nobody competes', () => {
    for (const nodes of SIZES) {
      const { messages } = measured(NAME, { nodes, load: 'light', entries: 40, ...UNORDERED })
      expect(messages.byType).toEqual({ request: 40 * nodes })
    }
  })

  // shows ricart-agrawala-1981 6.3 Ring Structure, with notes
  test('n and one for each node that defers: at most 2n-1', () => {
    for (const nodes of SIZES.filter((size) => size <= 20)) {
      const entries = 6 * nodes
      const { messages } = measured(NAME, { nodes, load: 'heavy', entries })
      // All but the first requests are deferred by all others; of those, each two nodes defer one.
      const deferrals = (entries - nodes) * (nodes - 1) + (nodes * (nodes - 1)) / 2
      expect(messages.byType).toEqual({ request: entries * nodes, reply: deferrals })
    }
  })

  test('the delays at each stop no longer add up: one delay after an exit, where a held request needs up to n-1', () => {
    for (const nodes of [3, 5, 9, 16]) {
      const wishes = { nodes, load: 'heavy', entries: 12 * nodes }
      expect(measured(NAME, wishes).syncDelay).toEqual({ mean: 1, max: 1 })
      expect(measured('ricart-agrawala-ring', wishes).syncDelay?.max).toBeLessThanOrEqual(nodes - 1)
    }
  })

  test('a reply that is there before the request is not lost, whatever the order of messages', () => {
    for (let seed = 1; seed <= 20; seed += 1)
      measured(NAME, { nodes: 5, load: 'heavy', entries: 100, seed, ...UNORDERED })
  })
})
