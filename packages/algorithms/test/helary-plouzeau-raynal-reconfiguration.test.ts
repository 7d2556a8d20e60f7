/** Section 7 of Helary, Plouzeau and Raynal (1988): what may happen to channels and processes while requests wait. */

import { Check } from '@turnwise/checker/check'
import type { AnyAlgorithm, NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { graph } from '@turnwise/core/topology'
import { type RunWishes, simulationConfig } from '@turnwise/simulator/configuration'
import { scriptFrom } from '@turnwise/simulator/load'
import { Simulation } from '@turnwise/simulator/simulation'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { instanceOf } from '../../../scripts/models.ts'
import { extent, isLong } from '../../../test/extent.ts'
import { datingHandler } from '../broken/helary-plouzeau-raynal-dates-handler.ts'
import { variant as lostRequest } from '../broken/helary-plouzeau-raynal-lost-request.ts'
import { helaryPlouzeauRaynal } from '../src/token/helary-plouzeau-raynal.ts'
import { helaryPlouzeauRaynalReconfiguration } from '../src/token/helary-plouzeau-raynal-reconfiguration.ts'
import type { State } from '../src/token/helary-plouzeau-raynal-section-7-state.ts'
import { measured } from './measured.ts'

type Edge = readonly [NodeId, NodeId]

interface Network {
  readonly nodes: number
  readonly edges: readonly Edge[]
}

/** Connected graphs: a random tree with some more edges. */
const NETWORKS: fc.Arbitrary<Network> = fc.integer({ min: 3, max: 8 }).chain((nodes) =>
  fc
    .record({
      parents: fc.tuple(...Array.from({ length: nodes - 1 }, (_, i) => fc.nat(i))),
      more: fc.array(fc.tuple(fc.nat(nodes - 1), fc.nat(nodes - 1)), { maxLength: 2 * nodes }),
    })
    .map(({ parents, more }) => {
      const edges = new Map<string, Edge>()
      const add = (a: NodeId, b: NodeId) => {
        if (a !== b) edges.set(`${Math.min(a, b)}-${Math.max(a, b)}`, [Math.min(a, b), Math.max(a, b)])
      }
      parents.forEach((parent, i) => {
        add(parent, i + 1)
      })
      for (const [a, b] of more) add(a, b)
      return { nodes, edges: [...edges.values()] }
    }),
)

const TIME = fc.integer({ min: 0, max: 60 }).map((tenths) => tenths / 2)

/** A network and what happens to it; in the end it is connected again. */
function troubled(faultsFor: (network: Network) => fc.Arbitrary<readonly string[]>) {
  return NETWORKS.chain((network) =>
    fc.record({
      network: fc.constant(network),
      faults: faultsFor(network),
      seed: fc.nat(1_000_000),
      load: fc.constantFrom('heavy', 'closed:3', 'poisson:0.5', 'light'),
      latency: fc.constantFrom('constant:1', 'exponential:1', 'uniform:0,3'),
      channels: fc.constantFrom('fifo', 'unordered'),
    }),
  )
}

function playOut(
  world: Omit<RunWishes, 'topology'>,
  { nodes, edges }: Network,
  algorithm: AnyAlgorithm = helaryPlouzeauRaynalReconfiguration,
): Simulation {
  const entries = typeof world.load === 'object' ? 1 : 40
  const wishes = { ...world, nodes, entries, inside: 'constant:0.5' }
  return new Simulation(simulationConfig(algorithm, { ...wishes, topology: graph(nodes, edges) })).runToEnd()
}

/** In the end all are held, none is under way. */
function tokensIn(simulation: Simulation, nodes: number): number {
  const held = (node: NodeId) =>
    helaryPlouzeauRaynalReconfiguration.tokens?.held(simulation.stateOf(node) as State) ?? 0
  return Array.from({ length: nodes }, (_, node) => held(node)).reduce((sum, count) => sum + count, 0)
}

function expectContent({ jury, unserved, gaveUp }: Simulation): void {
  expect(jury.violations.map(({ text }) => text)).toEqual([])
  expect({ unserved, gaveUp }).toEqual({ unserved: 0, gaveUp: false })
}

/** Judges content, everyone served, and one token in the end. */
function expectServed(world: Omit<RunWishes, 'topology'>, network: Network): void {
  const simulation = playOut(world, network)
  expectContent(simulation)
  expect(tokensIn(simulation, network.nodes)).toBe(1)
}

const RUNS = { numRuns: extent(30, 150) }

describe('random networks: exclusion, one token, and nobody waits when all is quiet', () => {
  // shows helary-plouzeau-raynal-1988 7.1.1 Channel failure (1)
  test('channels fail and recover, all at their time (section 7.1.1)', () => {
    const channels = ({ edges }: Network) =>
      fc
        .array(fc.tuple(fc.nat(edges.length - 1), TIME, fc.integer({ min: 1, max: 20 })), {
          minLength: 1,
          maxLength: 8,
        })
        .map((list) =>
          list.flatMap(([at, from, length]) => {
            const [a, b] = get(edges, at)
            return [`unlink:${a}-${b}@${from}`, `link:${a}-${b}@${from + length}`]
          }),
        )
    fc.assert(
      fc.property(troubled(channels), ({ network, faults, ...world }) =>
        expectServed(
          { ...world, fault: [...faults, ...network.edges.map(([a, b]) => `link:${a}-${b}@60`)] },
          network,
        ),
      ),
      RUNS,
    )
  })

  // shows helary-plouzeau-raynal-1988 7.1.1 Channel failure (2), exits
  test('channels fail for good while the rest stays connected (section 7.1.1 (2))', () => {
    // The first edges are a tree.
    const others = ({ nodes, edges }: Network) =>
      fc
        .subarray(edges.slice(nodes - 1).map(([a, b]) => `${a}-${b}`))
        .chain((links) => fc.tuple(...links.map((link) => TIME.map((at) => `unlink:${link}@${at}`))))
    fc.assert(
      fc.property(troubled(others), ({ network, faults, ...world }) =>
        expectServed({ ...world, fault: faults }, network),
      ),
      RUNS,
    )
  })

  // shows helary-plouzeau-raynal-1988 7.2 Dynamic network reconfiguration
  test('nodes are inserted and removed, and come again (section 7.2)', () => {
    // The last nodes are leaves of the tree, so that the others stay connected.
    const leaves = ({ nodes, edges }: Network) => {
      const inner = new Set(edges.slice(0, nodes - 1).map(([parent]) => parent))
      const names = Array.from({ length: nodes }, (_, node) => node).filter(
        (node) => node > 0 && !inner.has(node),
      )
      return fc
        .subarray(names)
        .chain((chosen) =>
          fc.tuple(
            ...chosen.map((node) =>
              fc
                .tuple(TIME, fc.integer({ min: 1, max: 30 }), fc.boolean())
                .map(([at, later, isNew]) =>
                  isNew
                    ? [`add:${node}@${at}`, `remove:${node}@${at + later}`]
                    : [`remove:${node}@${at}`, `add:${node}@${at + later}`],
                ),
            ),
          ),
        )
        .map((lists) => lists.flat())
    }
    fc.assert(
      fc.property(troubled(leaves), ({ network, faults, ...world }) =>
        expectServed({ ...world, fault: faults }, network),
      ),
      RUNS,
    )
  })

  // shows helary-plouzeau-raynal-1988 7.1.2 Process failure
  test('processes crash and come back with their memory, one after the other (section 7.1.2)', () => {
    // A token that is under way between two processes that are both down comes back to nobody.
    const crashes = ({ nodes }: Network) =>
      fc
        .array(fc.tuple(fc.nat(nodes - 1), fc.integer({ min: 1, max: 20 })), { minLength: 1, maxLength: 4 })
        .map((list) =>
          list.flatMap(([node, length], i) => [
            `crash:${node}@${40 * i + 5}`,
            `restart:${node}@${40 * i + 5 + length}`,
          ]),
        )
    fc.assert(
      fc.property(troubled(crashes), ({ network, faults, ...world }) =>
        expectServed({ ...world, fault: faults }, network),
      ),
      RUNS,
    )
  })

  // shows helary-plouzeau-raynal-1988 7.1.2 Process failure, recovery
  test('a process that has lost its memory, but no token, begins anew (section 7.1.2)', () => {
    const amnesia = ({ nodes }: Network) =>
      fc
        .tuple(fc.integer({ min: 1, max: nodes - 1 }), TIME, fc.integer({ min: 1, max: 20 }))
        .map(([node, at, length]) => [`crash:${node}@${at}`, `restart:${node}@${at + length},amnesia`])
    let lost = 0
    fc.assert(
      fc.property(troubled(amnesia), ({ network, faults, ...world }) => {
        const run = playOut({ ...world, fault: faults }, network)
        if (tokensIn(run, network.nodes) === 0) lost += 1
        else expectContent(run)
        expect(run.jury.holds.exclusion.findings.first).toEqual([])
      }),
      RUNS,
    )
    expect(lost).toBeLessThan(RUNS.numRuns / 2)
  })
})

test('as long as nothing changes an entry costs what it costs without all this', () => {
  for (const topology of ['line', 'ring', 'star', 'grid', 'random', 'complete']) {
    const run = { nodes: 9, topology, load: 'light', entries: 60, latency: 'exponential:1' }
    const { messages } = measured(helaryPlouzeauRaynal, run)
    expect(measured(helaryPlouzeauRaynalReconfiguration, run).messages).toEqual(messages)
  }
})

/** 0 to 3 around a square, and 4 behind 3. */
const SQUARE: Network = {
  nodes: 5,
  edges: [
    [0, 1],
    [1, 2],
    [2, 3],
    [0, 3],
    [3, 4],
  ],
}

const TRIANGLE: Network = {
  nodes: 3,
  edges: [
    [0, 1],
    [1, 2],
    [0, 2],
  ],
}

/** How many of many runs end with somebody waiting, though the network is connected all the time. */
function stuckRuns(algorithm: AnyAlgorithm, network: Network): number {
  let stuck = 0
  for (let seed = 1; seed <= extent(80, 300); seed += 1) {
    const fault = [`unlink:0-1@${(seed % 40) / 2}`]
    const world = { seed, load: 'closed:1', latency: 'exponential:1', fault }
    if (playOut(world, network, algorithm).unserved > 0) stuck += 1
  }
  return stuck
}

/** As `helary-plouzeau-raynal-dates-handler`, but no handler complains. So the run shows how it ends. */
const datesAsHandler = datingHandler(() => {})

describe('what section 7 says and is not so', () => {
  test('with the repairs nobody is left waiting', () => {
    expect(stuckRuns(helaryPlouzeauRaynalReconfiguration, SQUARE)).toBe(0)
    expect(stuckRuns(helaryPlouzeauRaynalReconfiguration, TRIANGLE)).toBe(0)
  })

  // shows claim broadcasts-complete
  test('a request lost on a channel that fails is sent by nobody else: the others think it was received', () => {
    const load = scriptFrom('0 request 2', 3, 'script:one')
    const world = { load, fault: ['unlink:0-2@0.5'] }
    expect(playOut(world, TRIANGLE).unserved).toBe(0)
    expect(playOut(world, TRIANGLE, lostRequest.algorithm).unserved).toBe(1)
  })

  // shows claim exits-forget-nothing
  test('a handler that dates its entry loses its own request', () => {
    expect(stuckRuns(datesAsHandler, SQUARE)).toBeGreaterThan(0)
  })
})

if (isLong)
  test('three nodes, one of which stops speaking to another: all properties hold in every run', () => {
    const model = { nodes: 3, requests: 1 } as const
    const instance = instanceOf(helaryPlouzeauRaynalReconfiguration, model)
    const check = new Check({ ...instance, budgets: { ...instance.budgets, suspicions: 1 } }, 1_000_000)
    while (!check.run(10_000));
    const { complete, properties, states } = check.result
    expect(complete).toBe(true)
    expect(properties.filter(({ holds }) => holds !== true).map(({ name }) => name)).toEqual([])
    expect(states).toBe(74_397)
  })
