/** What Velazquez 1993, section 4, and the analyses of path reversal say of Naimi and Trehel's algorithm. */
import { Check } from '@turnwise/checker/check'
import { NO_TROUBLE } from '@turnwise/checker/instance'
import type { NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { randomStream } from '@turnwise/core/random'
import type { TraceEvent } from '@turnwise/core/trace/trace'
import { simulationConfig } from '@turnwise/simulator/configuration'
import { Simulation } from '@turnwise/simulator/simulation'
import { Stage } from '@turnwise/simulator/stage'
import { describe, expect, test } from 'vitest'
import { isDue } from '../../../test/extent.ts'
import { type Message, naimiTrehel } from '../src/token/naimi-trehel.ts'
import { enterAlone } from './alone.ts'
import { measured, SIZES } from './measured.ts'

/** Requests one after the other, each served and over before the next; each call tells what the entry cost. */
function oneAtATime(nodes: number): (node: NodeId) => number {
  const stage = new Stage(naimiTrehel, simulationConfig(naimiTrehel, { nodes }).setup)
  return (node) => enterAlone(stage, node)
}

/** Path reversal and nothing else: parents in a tree, the root its own. Tells the length of the path. */
function pathReversal(nodes: number): (node: NodeId) => number {
  const parent = Array.from({ length: nodes }, () => 0)
  return (node) => {
    let length = 0
    let at = node
    while (parent[at] !== at) {
      const above = get(parent, at)
      parent[at] = node
      at = above
      length += 1
    }
    parent[at] = node
    parent[node] = node
    return length
  }
}

function harmonic(m: number): number {
  return Array.from({ length: m }, (_, i) => 1 / (i + 1)).reduce((sum, term) => sum + term, 0)
}

describe('one request at a time', () => {
  // shows velazquez-1993 4 Naimi-Trehel
  test('an entry costs the length of the reversed path in requests, and a token', () => {
    for (const nodes of SIZES) {
      const costOf = oneAtATime(nodes)
      const lengthOf = pathReversal(nodes)
      const random = randomStream(nodes, 'requesters')
      for (let entry = 0; entry < 150; entry += 1) {
        const node = random.below(nodes)
        const length = lengthOf(node)
        expect(costOf(node)).toBe(length === 0 ? 0 : length + 1)
      }
    }
  })

  test('the first entry costs two messages, and none where the token is', () => {
    for (const nodes of SIZES) {
      for (const node of [1, nodes - 1]) expect(oneAtATime(nodes)(node)).toBe(2)
      expect(oneAtATime(nodes)(0)).toBe(0)
    }
  })

  test('at worst a request runs through everybody: n messages', () => {
    for (const nodes of SIZES) {
      const costOf = oneAtATime(nodes)
      for (let node = 1; node < nodes; node += 1) costOf(node)
      costOf(0)
      expect(costOf(1)).toBe(nodes)
    }
  })

  // shows velazquez-1993 4 Naimi-Trehel
  test.each(
    [
      { nodes: 10, entries: 3000, runs: 20 },
      { nodes: 100, entries: 3000, runs: 20 },
      { nodes: 1000, entries: 3000, runs: 12 },
    ].filter(({ nodes }) => isDue(nodes, 10, 1000)),
  )(
    '$nodes nodes: once all have asked, the mean is the harmonic number H(n-1)',
    ({ nodes, entries, runs }) => {
      const warmup = 20 * nodes
      const costs = Array.from({ length: runs }, (_, seed) => {
        const { messages } = measured('naimi-trehel', { nodes, seed, warmup, entries: warmup + entries })
        return messages.perEntry ?? Number.NaN
      })
      const mean = costs.reduce((sum, cost) => sum + cost, 0) / runs
      const variance = costs.reduce((sum, cost) => sum + (cost - mean) ** 2, 0) / (runs - 1)
      // 99 % of Student's distribution with 11 degrees of freedom; with more it is less.
      const reach = 3.106 * Math.sqrt(variance / runs)
      expect(Math.abs(mean - harmonic(nodes - 1))).toBeLessThanOrEqual(reach)
      // An interval that holds everything says nothing.
      expect(reach).toBeLessThan(0.02 * mean)
    },
  )

  test('from the star of the beginning entries are cheaper', () => {
    const { messages, predicted } = measured('naimi-trehel', { nodes: 1000, entries: 100 })
    expect(messages.perEntry).toBeLessThan(0.6 * (predicted.perEntry.mean ?? 0))
  })

  test('a million nodes', () => {
    const { messages, entries } = measured('naimi-trehel', { nodes: 1_000_000, entries: 10_000 })
    expect(entries).toBe(10_000)
    expect(messages.perEntry).toBeLessThan(5)
  })
})

describe('many requests at once', () => {
  test('when everybody asks, n+1 entries cost 3(n-1) requests and n+1 tokens', () => {
    for (const nodes of SIZES) {
      const entries = 40 * (nodes + 1)
      const { messages, predicted } = measured('naimi-trehel', { nodes, load: 'heavy', entries })
      expect(predicted.perEntry.mean).toBeCloseTo((3 * (nodes - 1)) / (nodes + 1) + 1, 12)
      // The first and the last round are not like the others.
      expect(Math.abs(messages.total - 40 * (4 * nodes - 2))).toBeLessThanOrEqual(4 * nodes)
    }
  })

  test('no request meets a node twice, in whatever order messages arrive', () => {
    for (const load of ['heavy', 'poisson:0.5', 'closed:3']) {
      for (let seed = 0; seed < 10; seed += 1) {
        const wishes = { nodes: 12, load, latency: 'exponential:1', entries: 200, seed }
        const events: TraceEvent[] = []
        const record = (event: TraceEvent) => void events.push(event)
        new Simulation({ ...simulationConfig(naimiTrehel, wishes), record }).runToEnd()
        expect(meetingsAgain(events)).toEqual([])
      }
    }
  })

  test('who waits is served by the token directly: one message delay', () => {
    for (const nodes of SIZES) {
      const { syncDelay } = measured('naimi-trehel', { nodes, load: 'heavy', entries: 4 * nodes })
      expect(syncDelay).toEqual({ mean: 1, max: 1 })
    }
  })

  // Ginat, Sleator and Tarjan, "A tight amortized bound for path reversal", IPL 31(1), 1989, have it for one
  // request at a time.
  test.each([2, 3, 4])('%d nodes: no run whatever costs more than log2(n) + 1 per entry', (nodes) => {
    const check = new Check(
      {
        algorithm: naimiTrehel,
        setup: simulationConfig(naimiTrehel, { nodes }).setup,
        requests: null,
        channels: 'unordered',
        timing: 'any',
        budgets: NO_TROUBLE,
      },
      100_000,
    )
    while (!check.run(10_000));
    const { complete, extremes } = check.result
    expect(complete).toBe(true)
    expect(extremes?.messagesPerEntry?.max).toBeLessThanOrEqual(Math.log2(nodes) + 1)
  })
})

/** Requests that were sent to a node a second time, or to their origin, before the origin entered. */
function meetingsAgain(events: readonly TraceEvent[]): TraceEvent[] {
  const met = new Map<NodeId, Set<NodeId>>()
  return events.filter((event) => {
    if (event.is === 'enter') met.delete(event.node)
    if (event.is !== 'send' || event.to === null) return false
    const message = event.message as Message
    if (message.type !== 'request') return false
    const nodes = met.get(message.origin) ?? new Set([message.origin])
    const isAgain = nodes.has(event.to)
    met.set(message.origin, nodes.add(event.to))
    return isAgain
  })
}
