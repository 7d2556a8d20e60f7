import { get } from '@turnwise/core/bounds'
import { simulationConfig } from '@turnwise/simulator/configuration'
import { Simulation } from '@turnwise/simulator/simulation'
import { describe, expect, test } from 'vitest'
import { tokenRing } from '../src/token/token-ring.ts'
import { measured, SIZES } from './measured.ts'

/** What Kessler (2024) and Velazquez (1993, section 3.1) say of the token ring. */

/** Who asked, in order. */
function askers(nodes: number, hop: number, entries: number): number[] {
  const config = simulationConfig(tokenRing, { nodes, load: 'light', entries, set: [`hop=${hop}`] })
  const asked: number[] = []
  const record: typeof config.record = (event) => void (event.is === 'request' && asked.push(event.node))
  new Simulation({ ...config, record }).runToEnd()
  return asked
}

describe('it works well when everyone asks', () => {
  // shows kessler-2024 Token Ring Algorithm: cost
  // shows velazquez-1993 3.1 The token-based approach, a token that circulates
  test('exactly 1 message per entry, whatever the delays', () => {
    for (const nodes of SIZES) {
      for (const latency of ['constant:1', 'exponential:2']) {
        const { messages } = measured('token-ring', { nodes, latency, load: 'heavy', entries: 3 * nodes })
        expect(messages.perEntry).toBe(1)
      }
    }
  })

  test('the section stands empty for one message delay, and everyone enters equally often', () => {
    const { syncDelay, fairness } = measured('token-ring', { nodes: 9, load: 'heavy', entries: 180 })
    expect(syncDelay).toEqual({ mean: 1, max: 1 })
    expect(fairness.jain).toBe(1)
  })
})

describe('it works poorly when few ask', () => {
  /**
   * The token leaves a node, which asks for nothing more, and is sent on every `hop + 1` units of time; the next
   * request comes after 10 units. By then it is under way to, or at, the node so many hops from where it was last
   * in use, and has the rest of the way to the one that asks before it.
   */
  test('an entry costs what the idle ring spent, and the hops from where the token is then', () => {
    for (const nodes of SIZES) {
      for (const hop of [1, 2, 3, 20]) {
        const entries = 40
        const asked = askers(nodes, hop, entries)
        const idle = Math.ceil(10 / (hop + 1))
        const hops = (from: number, to: number) => (((to - from) % nodes) + nodes) % nodes
        // It starts at node 0, where the first request finds it, and the last exit sends it on once more.
        const costs = asked.map((node, i) =>
          i === 0 ? hops(0, node) : idle + hops(get(asked, i - 1) + idle, node),
        )
        const { messages } = measured('token-ring', { nodes, load: 'light', entries, set: [`hop=${hop}`] })
        expect(messages.total).toBe(costs.reduce((sum, cost) => sum + cost, 0) + 1)
      }
    }
  })

  // shows kessler-2024 Token Ring Algorithm: cost
  // shows velazquez-1993 3.1 The token-based approach, a token that circulates
  // shows claim token-in-n-1
  test('n messages for each idle turn: the longer nobody asks, the dearer the next entry', () => {
    const nodes = 5
    const cost = (rest: number) =>
      measured('token-ring', { nodes, load: `closed:constant:${rest}`, entries: 1 }).messages.total
    // A turn takes n hops of one unit each, and a rest of one unit after each of them.
    const turn = 2 * nodes
    for (const rest of [7, 50, 333]) expect(cost(rest + turn) - cost(rest)).toBe(nodes)
  })
})

describe('from 1 to n-1 messages to obtain the token', () => {
  // shows kessler-2024 Token Ring Algorithm: cost
  test('at the start it is d hops away from the node at distance d; the exit sends one more', () => {
    for (const nodes of SIZES) {
      for (const distance of [1, nodes - 1]) {
        const weights = Array.from({ length: nodes }, (_, node) => (node === distance ? 1 : 0))
        const { messages } = measured('token-ring', { nodes, load: `hot:${weights.join(',')}`, entries: 1 })
        expect(messages.total).toBe(distance + 1)
      }
    }
  })

  // shows kessler-2024 Token Ring Algorithm: cost
  // shows claim token-in-n-1
  test('none where it rests', () => {
    expect(measured('token-ring', { nodes: 9, load: 'hot:1,0', entries: 1 }).messages.total).toBe(1)
    expect(measured('token-ring', { nodes: 9, load: 'hot:1,0', entries: 1 }).responseTime?.max).toBe(0)
  })
})

test('a node alone sends nothing', () => {
  const { messages, entries } = measured('token-ring', { nodes: 1, load: 'light', entries: 5 })
  expect([messages.total, entries]).toEqual([0, 5])
})
