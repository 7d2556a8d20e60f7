import { describe, expect, test } from 'vitest'
import { measured, SIZES } from './measured.ts'

/** What Helary, Plouzeau and Raynal (1988, sections 3 and 6) say of Martin's reflecting privilege. */

/** Only this node asks. */
function only(node: number, nodes: number): string {
  return `hot:${Array.from({ length: nodes }, (_, other) => (other === node ? 1 : 0)).join(',')}`
}

describe('the privilege comes back along the way of the request', () => {
  // shows helary-plouzeau-raynal-1988 6 Ring topology
  test('d requests to the right and d privileges to the left, over every distance d', () => {
    for (const nodes of SIZES) {
      for (let distance = 1; distance < nodes; distance += 1) {
        // The privilege begins at node 0.
        const load = only(nodes - distance, nodes)
        const { messages } = measured('martin-ring', { nodes, load, entries: 1 })
        expect(messages.byType).toEqual({ privilege: distance, request: distance })
      }
    }
  })

  test('one privilege answers each request over the same channel, however many nodes ask', () => {
    for (const load of ['light', 'heavy', 'closed:3', 'poisson:0.5']) {
      const wishes = { nodes: 9, load, latency: 'exponential:1', entries: 300 }
      const { privilege, request } = measured('martin-ring', wishes).messages.byType
      expect(privilege).toBe(request)
    }
  })

  test('it stays where it was used: the holder asks again for nothing', () => {
    expect(measured('martin-ring', { nodes: 20, load: 'hot:1,0', entries: 100 }).messages.total).toBe(0)
    // Only the first of these entries had to fetch it.
    expect(measured('martin-ring', { nodes: 20, load: only(15, 20), entries: 100 }).messages.total).toBe(10)
  })
})

test('when everybody asks, each entry but the first costs a request and a privilege', () => {
  for (const nodes of SIZES) {
    const entries = 5 * nodes
    const { messages } = measured('martin-ring', { nodes, load: 'heavy', entries })
    expect(messages.byType).toEqual({ privilege: entries - 1, request: entries - 1 })
  }
})

test('when everybody asks, one message delay from an exit to the next entry, and equal shares', () => {
  const { syncDelay, fairness } = measured('martin-ring', { nodes: 9, load: 'heavy', entries: 180 })
  expect(syncDelay).toEqual({ mean: 1, max: 1 })
  expect(fairness.jain).toBe(1)
})

test('a hundred thousand nodes: only those between the one who asks and the privilege hear of it', () => {
  const { messages } = measured('martin-ring', { nodes: 100_000, load: only(99_998, 100_000), entries: 20 })
  expect(messages.total).toBe(4)
})
