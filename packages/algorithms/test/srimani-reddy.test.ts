import type { TraceEvent } from '@turnwise/core/trace/trace'
import { simulationConfig } from '@turnwise/simulator/configuration'
import { Simulation } from '@turnwise/simulator/simulation'
import { describe, expect, test } from 'vitest'
import { extent } from '../../../test/extent.ts'
import { present } from '../../../test/present.ts'
import { srimaniReddy } from '../src/multi/srimani-reddy.ts'
import { measured, SIZES } from './measured.ts'

/** What Velazquez (1993, section 6) says of Srimani and Reddy's algorithm. */

describe.each([1, 2, 3, 4, 5])('k = %i', (k) => {
  const sizes = SIZES.filter((nodes) => nodes > k)

  // shows velazquez-1993 6 Srimani-Reddy
  // shows claim srimani-reddy-cost
  test('an entry costs nothing with an idle token here, else n to n+k-1 messages', () => {
    const entries = extent(60, 200)
    for (const nodes of sizes) {
      for (const load of ['light', 'heavy', 'closed:3']) {
        const { messages } = measured('srimani-reddy', { nodes, k, load, entries })
        const asked = present(messages.byType['request']) / (nodes - 1)
        const sent = present(messages.byType['privilege'])
        expect(asked).toBeLessThanOrEqual(entries)
        expect(sent).toBeGreaterThanOrEqual(asked)
        expect(sent).toBeLessThanOrEqual(k * asked)
        expect(messages.total).toBe((nodes - 1) * asked + sent)
      }
    }
  })

  // shows velazquez-1993 6.1 Table 3
  test('the first entry of a node without a token brings all idle ones to it: n+k-1 messages', () => {
    for (const nodes of sizes) {
      const weights = Array.from({ length: nodes }, (_, node) => (node === nodes - 1 ? 1 : 0))
      const wishes = { nodes, k, load: `hot:${weights.join()}`, entries: 5 }
      expect(measured('srimani-reddy', wishes).messages.total).toBe(nodes + k - 1)
    }
  })

  test('k are inside together, and never more', () => {
    for (const nodes of sizes) {
      const wishes = { nodes, k, load: 'heavy', entries: 80, inside: 'exponential:5' }
      expect(measured('srimani-reddy', wishes).maxInside).toBe(k)
    }
  })

  test('with a token for everyone nothing is ever sent', () => {
    expect(measured('srimani-reddy', { nodes: k, k, load: 'heavy', entries: 50 }).messages.total).toBe(0)
  })
})

describe.each([1, 2, 3, 5])('rounds of L = %i requests', (L) => {
  const set = [`L=${L}`]

  test('no number is larger than L, and every request is served, on channels that keep no order', () => {
    for (const k of [1, 2, 3]) {
      for (let seed = 1; seed <= extent(5, 20); seed += 1) {
        const numbers = new Set<number>()
        const record = (event: TraceEvent) => {
          if (event.is === 'send' && 'number' in event.message) numbers.add(event.message.number as number)
        }
        const wishes = { nodes: 5, k, entries: 60 * L, load: 'closed:1', latency: 'exponential:1', seed, set }
        const { jury } = new Simulation({ ...simulationConfig(srimaniReddy, wishes), record }).runToEnd()
        expect(jury.violations).toEqual([])
        expect([...numbers].toSorted((a, b) => a - b)).toEqual(Array.from({ length: L }, (_, i) => i + 1))
      }
    }
  })

  test('L requests of a node cost n-1 acknowledgements and at most k reports', () => {
    for (const nodes of SIZES.filter((count) => count > 2)) {
      const { messages } = measured('srimani-reddy', { nodes, load: 'heavy', entries: 4 * L * nodes, set })
      const rounds = present(messages.byType['request']) / (nodes - 1) / L
      expect(messages.byType['ack']).toBeLessThanOrEqual(rounds * (nodes - 1))
      expect(messages.byType['ack']).toBeGreaterThan((rounds - nodes) * (nodes - 1))
      expect(messages.byType['recorded']).toBeLessThanOrEqual(2 * rounds)
    }
  })
})

test('with one token it is Suzuki and Kasami: n messages, or none', () => {
  for (const nodes of SIZES) {
    const wishes = { nodes, load: 'heavy', entries: 100 }
    const { total } = measured('suzuki-kasami', wishes).messages
    expect(measured('srimani-reddy', { ...wishes, k: 1 }).messages.total).toBe(total)
  }
})
