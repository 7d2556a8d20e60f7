import { scriptFrom } from '@turnwise/simulator/load'
import { describe, expect, test } from 'vitest'
import { measured, SIZES } from './measured.ts'

/** What Ricart and Agrawala (1981) say of their algorithm, section by section. */

describe('section 4: exactly 2(n-1) messages per entry, whatever the load', () => {
  for (const load of ['light', 'heavy', 'poisson:0.3', 'closed:2']) {
    test(load, () => {
      for (const nodes of SIZES) {
        const { messages } = measured('ricart-agrawala', {
          nodes,
          load,
          entries: 60,
          latency: 'exponential:1',
        })
        expect(messages.total).toBe(60 * 2 * (nodes - 1))
        expect(messages.byType['request'] ?? 0).toBe(60 * (nodes - 1))
        expect(messages.byType['reply'] ?? 0).toBe(60 * (nodes - 1))
      }
    })
  }
})

describe('section 5: delays', () => {
  test('bound 1: without conflict a request waits one round trip', () => {
    const { responseTime } = measured('ricart-agrawala', { nodes: 9, load: 'light', entries: 50 })
    expect(responseTime).toEqual({ mean: 2, p50: 2, p99: 2, max: 2 })
  })

  test('bound 3: after an exit the next that waits enters one message delay later', () => {
    const { syncDelay } = measured('ricart-agrawala', { nodes: 9, load: 'heavy', entries: 200 })
    expect(syncDelay).toEqual({ mean: 1, max: 1 })
  })

  test('bound 2: of two that ask at once the loser waits for the winner, half the time the earlier one', () => {
    // Node 1 asks a quarter of a unit before node 0, but both choose number 1 and the tie goes to node 0.
    const script = scriptFrom('0 request 1\n0.25 request 0', 2, 'script')
    const { responseTime } = measured('ricart-agrawala', { nodes: 2, load: script })
    // Node 0 enters a round trip after it asked, at 2.25, stays for 1; node 1 enters at 4.25.
    expect(responseTime).toMatchObject({ p50: 2, max: 4.25 })
  })
})

test('section 2.4: the order is first come, first served up to messages under way', () => {
  const { fairness } = measured('ricart-agrawala', { nodes: 10, load: 'heavy', entries: 500 })
  expect(fairness.jain).toBeCloseTo(1, 3)
})

test('section 1: messages may arrive in another order than they were sent', () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    measured('ricart-agrawala', {
      nodes: 5,
      load: 'heavy',
      entries: 200,
      latency: 'exponential:1',
      channels: 'unordered',
      seed,
    })
  }
})
