/** What Velazquez 1993, section 4, says of Neilsen and Mizuno's algorithm, and what follows from it. */
import type { NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { randomStream } from '@turnwise/core/random'
import { arrange } from '@turnwise/core/setup'
import { distancesTo, type Topology, topologyFrom } from '@turnwise/core/topology'
import type { TraceEvent } from '@turnwise/core/trace/trace'
import { simulationConfig } from '@turnwise/simulator/configuration'
import { Simulation } from '@turnwise/simulator/simulation'
import { Stage } from '@turnwise/simulator/stage'
import { describe, expect, test } from 'vitest'
import { extent } from '../../../test/extent.ts'
import { present } from '../../../test/present.ts'
import { neilsenMizuno } from '../src/token/neilsen-mizuno.ts'
import { enterAlone } from './alone.ts'
import { measured } from './measured.ts'

const SIZES = Array.from({ length: extent(17, 49) }, (_, index) => index + 2)
const TREES = ['line', 'star', 'tree:2', 'tree:3', 'random']

/** A random graph with the fewest edges is a random tree. */
function treeOf(kind: string, nodes: number): Topology {
  const text = kind === 'random' ? `random:${nodes - 1}` : kind
  return topologyFrom(text, nodes, randomStream(nodes, 'trees'))
}

function setupOf(topology: Topology, home: NodeId = 0) {
  return arrange(neilsenMizuno.facts, { nodes: topology.nodes, topology, home, options: {} }).setup
}

/** Requests one after the other, each served and over before the next; each call tells what the entry cost. */
function oneAtATime(topology: Topology, home: NodeId): (node: NodeId) => number {
  const stage = new Stage(neilsenMizuno, setupOf(topology, home))
  return (node) => enterAlone(stage, node)
}

/** Distances between every two nodes, row by row. */
function distancesIn(topology: Topology): Int32Array[] {
  return Array.from({ length: topology.nodes }, (_, node) => distancesTo(topology, node))
}

describe.each(TREES)('%s', (kind) => {
  test('one request at a time costs the distance to the last requester, and a token', () => {
    for (const nodes of SIZES) {
      const topology = treeOf(kind, nodes)
      const distances = distancesIn(topology)
      const random = randomStream(nodes, 'requesters')
      let last = random.below(nodes)
      const costOf = oneAtATime(topology, last)
      for (let entry = 0; entry < 40; entry += 1) {
        const node = random.below(nodes)
        const distance = present(get(distances, last)[node])
        expect(costOf(node)).toBe(distance === 0 ? 0 : distance + 1)
        last = node
      }
    }
  })

  // shows velazquez-1993 4 Neilsen-Mizuno
  test('at most D+1 messages, which the ends of a longest path need: 3 on a star, n on a line', () => {
    for (const nodes of SIZES) {
      const topology = treeOf(kind, nodes)
      const distances = distancesIn(topology)
      const diameter = Math.max(...distances.map((row) => Math.max(...row)))
      const from = distances.findIndex((row) => row.includes(diameter))
      expect(oneAtATime(topology, from)(get(distances, from).indexOf(diameter))).toBe(diameter + 1)
      expect(neilsenMizuno.facts.messages.light(setupOf(topology)).max).toBe(diameter + 1)
      if (kind === 'line') expect(diameter + 1).toBe(nodes)
      if (kind === 'star') expect(diameter + 1).toBe(Math.min(nodes, 3))
    }
  })

  test('the predicted mean is that over all pairs of a last requester and a next', () => {
    for (const nodes of SIZES) {
      const topology = treeOf(kind, nodes)
      const costs = distancesIn(topology).flatMap((row) => [...row].map((d) => (d === 0 ? 0 : d + 1)))
      const mean = costs.reduce((sum, cost) => sum + cost, 0) / costs.length
      expect(neilsenMizuno.facts.messages.light(setupOf(topology)).mean).toBeCloseTo(mean, 9)
    }
  })

  test('when everybody asks, a round of n entries costs 2(n-1) requests and n tokens, one delay apart', () => {
    for (const nodes of SIZES.filter((n) => n % 4 === 2)) {
      const rounds = 30
      const { messages, syncDelay, predicted } = measured('neilsen-mizuno', {
        nodes,
        topology: treeOf(kind, nodes),
        load: 'heavy',
        entries: rounds * nodes,
      })
      const round = 3 * nodes - 2
      expect(predicted.perEntry.mean).toBeCloseTo(round / nodes, 12)
      // The first and the last round are not like the others.
      expect(Math.abs(messages.total - rounds * round)).toBeLessThanOrEqual(round)
      expect(syncDelay).toEqual({ mean: 1, max: 1 })
    }
  })

  test('requests go from neighbour to neighbour, one at a time over an edge, however messages overtake', () => {
    for (const load of ['heavy', 'poisson:0.5', 'closed:3']) {
      for (let seed = 0; seed < extent(2, 6); seed += 1) {
        const topology = treeOf(kind, 10)
        const wishes = { nodes: 10, topology, load, latency: 'exponential:1', entries: 150, seed }
        const events: TraceEvent[] = []
        const record = (event: TraceEvent) => void events.push(event)
        new Simulation({ ...simulationConfig(neilsenMizuno, wishes), record }).runToEnd()
        expect(offTheTree(events, topology)).toEqual([])
        expect(mostOnOneEdge(events)).toBe(1)
      }
    }
  })
})

test('a node alone needs no message', () => {
  expect(measured('neilsen-mizuno', { nodes: 1, load: 'heavy', entries: 5 }).messages.total).toBe(0)
})

test('a node holding the idle token enters again without a message', () => {
  const costOf = oneAtATime(treeOf('tree:2', 15), 3)
  expect([costOf(3), costOf(14), costOf(14), costOf(14)]).toEqual([0, 6, 0, 0])
})

function offTheTree(events: readonly TraceEvent[], topology: Topology): TraceEvent[] {
  return events.filter(
    (event) =>
      event.is === 'send' &&
      event.message.type === 'request' &&
      (event.to === null || !topology.linked(event.from, event.to)),
  )
}

/** The most requests that were ever under way together between the same two nodes, either way. */
function mostOnOneEdge(events: readonly TraceEvent[]): number {
  const edgeOf = new Map<number, string>()
  const underWay = new Map<string, number>()
  let most = 0
  for (const event of events) {
    if (event.is === 'send' && event.message.type === 'request' && event.to !== null) {
      const edge = `${Math.min(event.from, event.to)}-${Math.max(event.from, event.to)}`
      const now = (underWay.get(edge) ?? 0) + 1
      edgeOf.set(event.id, edge)
      underWay.set(edge, now)
      most = Math.max(most, now)
    }
    if (event.is === 'receive') {
      const edge = edgeOf.get(event.id)
      if (edge !== undefined) underWay.set(edge, (underWay.get(edge) ?? 0) - 1)
    }
  }
  return most
}
