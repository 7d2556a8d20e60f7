import type { AnyAlgorithm, NodeId } from '@turnwise/core/algorithm'
import { intAt } from '@turnwise/core/bounds'
import { distancesTo, graph, type Topology } from '@turnwise/core/topology'
import type { TraceEvent } from '@turnwise/core/trace/trace'
import { type RunWishes, simulationConfig } from '@turnwise/simulator/configuration'
import { latencyFromFile } from '@turnwise/simulator/latency'
import { scriptFrom } from '@turnwise/simulator/load'
import { Simulation } from '@turnwise/simulator/simulation'
import { describe, expect, test } from 'vitest'
import { transmittingBy } from '../broken/helary-plouzeau-raynal-dates-addressee.ts'
import { moreForgetful } from '../innocent/helary-plouzeau-raynal-forgets-along-the-path.ts'
import { forgetful } from '../innocent/helary-plouzeau-raynal-forgets-served.ts'
import { first, giveToken, helaryPlouzeauRaynal, unsatisfied } from '../src/token/helary-plouzeau-raynal.ts'
import { measured, SIZES } from './measured.ts'

/** What Helary, Plouzeau and Raynal (1988) say in section 6, where need be with the bound that holds. */

interface Entry {
  readonly node: NodeId
  /** Where the token lay. */
  readonly owner: NodeId
  readonly requests: number
  readonly tokens: number
}

/** One entry after the other: what each has cost, and the graph. */
function oneAtATime(wishes: RunWishes, algorithm: AnyAlgorithm = helaryPlouzeauRaynal) {
  const events: TraceEvent[] = []
  const config = simulationConfig(algorithm, { latency: 'exponential:1', ...wishes, load: 'light' })
  const { jury } = new Simulation({ ...config, record: (event) => events.push(event) }).runToEnd()
  expect(jury.violations).toEqual([])
  const entries: Entry[] = []
  let owner = 0
  let requests = 0
  let tokens = 0
  let asking: NodeId | null = null
  const close = () => {
    if (asking === null) return
    entries.push({ node: asking, owner, requests, tokens })
    owner = asking
  }
  for (const event of events) {
    if (event.is === 'request') {
      close()
      asking = event.node
      requests = 0
      tokens = 0
    } else if (event.is === 'send') {
      if (event.message.type === 'token') tokens += 1
      else requests += 1
    }
  }
  close()
  return { entries, topology: config.setup.topology }
}

function distance(topology: Topology, { node, owner }: Entry): number {
  return intAt(distancesTo(topology, node), owner)
}

/** Those that did not find the token where they were. */
function paid({ entries }: { entries: readonly Entry[] }): Entry[] {
  return entries.filter(({ node, owner }) => node !== owner)
}

describe('messages per entry', () => {
  // shows helary-plouzeau-raynal-1988 3 (iii) token, (iv) granting
  // shows helary-plouzeau-raynal-1988 4.3 enter_CS, exit_CS, transmit_token
  test('none where the token is', () => {
    for (const topology of ['line', 'ring', 'complete', 'grid']) {
      const { entries } = oneAtATime({ nodes: 5, topology, entries: 60 })
      const free = entries.filter(({ node, owner }) => node === owner)
      expect(free.length).toBeGreaterThan(0)
      for (const { requests, tokens } of free) expect(requests + tokens).toBe(0)
    }
  })

  // shows helary-plouzeau-raynal-1988 3 (vi) the way back
  // shows helary-plouzeau-raynal-1988 6 Tree topology
  // shows velazquez-1993 4 Helary-Plouzeau-Raynal
  test.each(['line', 'star', 'tree:2', 'tree:3'])(
    '%s: exactly n-1 requests, and a token per hop',
    (topology) => {
      for (const nodes of SIZES) {
        const run = oneAtATime({ nodes, topology, entries: 12 })
        for (const entry of paid(run)) {
          expect(entry).toMatchObject({ requests: nodes - 1, tokens: distance(run.topology, entry) })
        }
      }
    },
  )

  // shows helary-plouzeau-raynal-1988 4.3 receive_token
  // shows helary-plouzeau-raynal-1988 6 Tree topology
  test('a line from end to end: 2(n-1)', () => {
    for (const nodes of SIZES) {
      const load = `hot:${Array.from({ length: nodes }, (_, node) => (node === nodes - 1 ? 1 : 0)).join(',')}`
      const { messages } = measured(helaryPlouzeauRaynal, { nodes, topology: 'line', load, entries: 1 })
      expect(messages.byType).toEqual({ request: nodes - 1, token: nodes - 1 })
    }
  })

  // shows helary-plouzeau-raynal-1988 3 (ii) knowledge transfer
  // shows helary-plouzeau-raynal-1988 6 Complete network
  test('complete: exactly n-1 requests and one token', () => {
    for (const nodes of SIZES) {
      for (const entry of paid(oneAtATime({ nodes, topology: 'complete', entries: 12 }))) {
        expect(entry).toMatchObject({ requests: nodes - 1, tokens: 1 })
      }
    }
  })

  // shows helary-plouzeau-raynal-1988 6 Ring topology
  // shows claim requests-on-a-ring
  test('ring: 4 requests on a ring of four, n or n+1 on a larger one; n+1 to 2n-2 messages', () => {
    // The paper has n-1 to n+1 and n to 2n. Two waves meet: if one goes all the way, it is n requests and at
    // most n-2 tokens; else they cross on one channel, n+1 requests and at most n-3 tokens.
    for (const nodes of [4, 5, 6, 7, 8, 11]) {
      const entries = paid(oneAtATime({ nodes, topology: 'ring', entries: 600 }))
      const floods = new Set(entries.map(({ requests }) => requests))
      expect([...floods].toSorted((a, b) => a - b)).toEqual(nodes === 4 ? [4] : [nodes, nodes + 1])
      const totals = entries.map(({ requests, tokens }) => requests + tokens)
      expect(Math.min(...totals)).toBe(nodes + 1)
      expect(Math.max(...totals)).toBeLessThanOrEqual(2 * nodes - 2)
      if (nodes <= 8) expect(Math.max(...totals)).toBe(2 * nodes - 2)
    }
  })

  // shows helary-plouzeau-raynal-1988 3 (i) flooding
  // shows helary-plouzeau-raynal-1988 5.3 Token routeing (Lemma 2, Corollary)
  // shows helary-plouzeau-raynal-1988 6 General case
  // shows claim section-4.3-requests
  test('any graph: n-1 to 2e-n+1 requests, and at most n-1 tokens', () => {
    for (const topology of ['ring', 'grid', 'random', 'random:20', 'complete']) {
      for (let seed = 1; seed <= 8; seed += 1) {
        const nodes = 9
        const run = oneAtATime({ nodes, topology, seed, entries: 30 })
        const ends = Array.from({ length: nodes }, (_, node) => run.topology.neighbours(node).length)
        const edges = ends.reduce((sum, count) => sum + count, 0) / 2
        for (const entry of paid(run)) {
          expect(entry.requests).toBeGreaterThanOrEqual(nodes - 1)
          expect(entry.requests).toBeLessThanOrEqual(2 * edges - nodes + 1)
          expect(entry.tokens).toBeGreaterThanOrEqual(distance(run.topology, entry))
          expect(entry.tokens).toBeLessThanOrEqual(nodes - 1)
        }
      }
    }
  })

  // shows helary-plouzeau-raynal-1988 6 Tree topology
  test('the mean on trees and complete graphs is the predicted one; on others none is claimed', () => {
    for (const topology of ['line', 'star', 'tree:2', 'complete']) {
      const { messages, predicted } = measured(helaryPlouzeauRaynal, { nodes: 12, topology, entries: 1500 })
      expect(Math.abs((messages.perEntry ?? 0) / (predicted.perEntry.mean ?? 0) - 1)).toBeLessThan(0.02)
    }
    for (const topology of ['ring', 'grid', 'random:20']) {
      const { predicted } = measured(helaryPlouzeauRaynal, { nodes: 12, topology, entries: 1 })
      expect(predicted.perEntry.mean).toBeNull()
    }
    expect(measured(helaryPlouzeauRaynal, { nodes: 1, entries: 5 })).toMatchObject({
      messages: { total: 0 },
      predicted: { perEntry: { min: 0, max: 0, mean: 0 } },
    })
  })
})

// shows helary-plouzeau-raynal-1988 2.2 Local process knowledge
// shows claim complete-network
test('a node speaks to its neighbours only (section 2.2)', () => {
  for (const topology of ['line', 'ring', 'star', 'grid', 'random']) {
    const config = simulationConfig(helaryPlouzeauRaynal, {
      nodes: 10,
      topology,
      load: 'heavy',
      entries: 100,
    })
    const { topology: channels } = config.setup
    const record = (event: TraceEvent) => {
      if (event.is === 'send') expect(event.to !== null && channels.linked(event.from, event.to)).toBe(true)
    }
    expect(new Simulation({ ...config, record }).runToEnd().jury.violations).toEqual([])
  }
})

// shows helary-plouzeau-raynal-1988 4.3 receive_request
// shows claim section-4.3-requests
test('who forgets that a request was served floods it again: more than n+1 requests on a ring', () => {
  const mostRequests = (algorithm: AnyAlgorithm, nodes: number) => {
    const { entries } = oneAtATime({ nodes, topology: 'ring', entries: 800 }, algorithm)
    return Math.max(...entries.map(({ requests }) => requests))
  }
  for (const nodes of [7, 8]) {
    expect(mostRequests(helaryPlouzeauRaynal, nodes)).toBe(nodes + 1)
    expect(mostRequests(forgetful, nodes)).toBe(nodes + 2)
    expect(mostRequests(moreForgetful, nodes)).toBeGreaterThan(nodes + 2)
  }
})

/** Section 4.3 defines min on couples by their first component first, and that is the name. */
const namesFirst = transmittingBy((node, here) => {
  const smallest = first(unsatisfied(node.heard, node.token), (a, b) => a.node < b.node)
  if (smallest !== null) giveToken(node, here, smallest, here.self)
})

// shows helary-plouzeau-raynal-1988 3 (v) order of requests
// shows helary-plouzeau-raynal-1988 5.5 Absence of starvation (Theorem 3)
// shows claim nobody-starves-with-min
test.each(['complete', 'line', 'star'])('ordered by names first, large names starve: %s', (topology) => {
  const busy = { nodes: 4, topology, load: 'heavy', entries: 400 }
  const { fairness } = measured(helaryPlouzeauRaynal, busy)
  expect(fairness.maxBypass).toBeLessThanOrEqual(2 * (busy.nodes - 1))
  // Nodes 0 and 1 serve each other until they ask no more.
  const starved = measured(namesFirst, busy)
  expect(starved.fairness.maxBypass).toBeGreaterThan(busy.entries - 10)
})

// shows helary-plouzeau-raynal-1988 6 Message traffic, time
// shows claim idle-token-in-2d
test('a token may take longer than 2d delays: it goes back slowly where the request came fast', () => {
  // A path 0 to 6 and a hub that is linked to all of them. No two nodes are more than d = 2 hops apart.
  const nodes = 8
  const hub = 7
  const path = [0, 1, 2, 3, 4, 5]
  const edges = path.map((node): [NodeId, NodeId] => [node, node + 1])
  for (const node of [...path, 6]) edges.push([node, hub])
  const fast = Object.fromEntries(path.map((node) => [`${node + 1}>${node}`, 'constant:0.01']))
  const { responseTime, messages } = measured(helaryPlouzeauRaynal, {
    nodes,
    topology: graph(nodes, edges),
    latency: latencyFromFile({ default: 'constant:1', links: fast }, nodes),
    load: scriptFrom('0 request 6', nodes, 'script:fan'),
  })
  expect(messages.byType['token']).toBe(6)
  expect(responseTime?.max).toBeCloseTo(6.06)
  expect(responseTime?.max).toBeGreaterThan(2 * 2)
  expect(responseTime?.max).toBeLessThanOrEqual(2 + nodes - 1)
})
