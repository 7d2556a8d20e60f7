import { describe, expect, test } from 'vitest'
import { measured, SIZES } from './measured.ts'

/** What token-ring-on-demand.ts says of a token that rests when nobody wants it. */

/** Only this node asks. */
function only(node: number, nodes: number): string {
  return `hot:${Array.from({ length: nodes }, (_, other) => (other === node ? 1 : 0)).join(',')}`
}

describe('it rests when nobody wants it', () => {
  // shows kessler-2024 Token Ring Algorithm: cost
  test('an entry alone: one stir, a turn that is used and one that finds nobody', () => {
    for (const nodes of SIZES) {
      for (const node of new Set([1, nodes >> 1, nodes - 1])) {
        const { messages } = measured('token-ring-on-demand', { nodes, load: only(node, nodes), entries: 1 })
        expect(messages.byType).toEqual({ stir: 1, token: 2 * nodes })
      }
    }
  })

  test('home enters as often as it likes for nothing', () => {
    const { messages } = measured('token-ring-on-demand', { nodes: 9, load: only(0, 9), entries: 50 })
    expect(messages.total).toBe(0)
  })

  test('the first entry comes after the stir and the hops from home', () => {
    for (const nodes of SIZES) {
      const { responseTime } = measured('token-ring-on-demand', {
        nodes,
        load: only(nodes - 1, nodes),
        entries: 1,
      })
      expect(responseTime?.max).toBe(1 + (nodes - 1))
    }
  })
})

describe('when everyone asks it is the token ring', () => {
  test('one message for an entry, after a stir of each at the start; at the end at most two more turns', () => {
    for (const nodes of SIZES) {
      const entries = 20 * nodes
      const { messages } = measured('token-ring-on-demand', { nodes, load: 'heavy', entries })
      const { stir = 0, token = 0 } = messages.byType
      expect(stir).toBe(nodes - 1)
      expect(token).toBeGreaterThanOrEqual(entries)
      expect(token).toBeLessThanOrEqual(entries + 2 * nodes)
    }
  })

  test('the section stands empty for one message delay, and everyone enters equally often', () => {
    const { syncDelay, fairness } = measured('token-ring-on-demand', {
      nodes: 9,
      load: 'heavy',
      entries: 180,
    })
    expect(syncDelay).toEqual({ mean: 1, max: 1 })
    expect(fairness.jain).toBe(1)
  })
})
