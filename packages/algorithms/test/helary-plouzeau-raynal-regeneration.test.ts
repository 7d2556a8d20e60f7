/** Section 7.1.2 of Helary, Plouzeau and Raynal (1988): the token is lost with its owner, or on its way there. */

import type { NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { graph } from '@turnwise/core/topology'
import { type RunWishes, simulationConfig } from '@turnwise/simulator/configuration'
import { scriptFrom } from '@turnwise/simulator/load'
import { Simulation } from '@turnwise/simulator/simulation'
import { Stage } from '@turnwise/simulator/stage'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { extent } from '../../../test/extent.ts'
import { LEAP } from '../src/token/fence-leap.ts'
import { helaryPlouzeauRaynal } from '../src/token/helary-plouzeau-raynal.ts'
import type { State } from '../src/token/helary-plouzeau-raynal-election.ts'
import { helaryPlouzeauRaynalRegeneration } from '../src/token/helary-plouzeau-raynal-regeneration.ts'
import { measured } from './measured.ts'

type Edge = readonly [NodeId, NodeId]

interface Network {
  readonly nodes: number
  readonly edges: readonly Edge[]
}

function run(wishes: Omit<RunWishes, 'topology' | 'nodes'>, { nodes, edges }: Network): Simulation {
  const wished = { inside: 'constant:1', ...wishes, nodes, topology: graph(nodes, edges) }
  return new Simulation(simulationConfig(helaryPlouzeauRaynalRegeneration, wished)).runToEnd()
}

/** Survivors are a random tree with more edges among them; each of the others hangs on some of them. */
const CRASHES = fc.integer({ min: 3, max: 9 }).chain((nodes) =>
  fc.integer({ min: 1, max: Math.ceil(nodes / 2) - 1 }).chain((dying) =>
    fc.record({
      nodes: fc.constant(nodes),
      names: fc.shuffledSubarray(
        Array.from({ length: nodes }, (_, node) => node),
        { minLength: nodes },
      ),
      parents: fc.tuple(
        ...Array.from({ length: nodes - 1 }, (_, i) => fc.nat(Math.min(i, nodes - dying - 1))),
      ),
      more: fc.array(fc.tuple(fc.nat(nodes - 1), fc.nat(nodes - 1)), { maxLength: 2 * nodes }),
      times: fc.array(fc.integer({ min: 0, max: 80 }), { minLength: dying, maxLength: dying }),
      seed: fc.nat(1_000_000),
      load: fc.constantFrom('heavy', 'closed:3', 'poisson:0.5', 'light'),
      latency: fc.constantFrom('constant:1', 'exponential:1', 'uniform:0,3', 'exponential:8'),
      channels: fc.constantFrom<'fifo' | 'unordered'>('fifo', 'unordered'),
    }),
  ),
)

function networkOf(
  nodes: number,
  names: readonly NodeId[],
  parents: readonly number[],
  more: readonly Edge[],
): Network {
  const edges = new Map<string, Edge>()
  for (const [a, b] of [...parents.map((parent, i): Edge => [parent, i + 1]), ...more]) {
    const ends = [get(names, a), get(names, b)]
    const low = Math.min(...ends)
    const high = Math.max(...ends)
    if (low !== high) edges.set(`${low}-${high}`, [low, high])
  }
  return { nodes, edges: [...edges.values()] }
}

type Case = typeof CRASHES extends fc.Arbitrary<infer Value> ? Value : never

/** Judges content, everyone served, one token, every election over. Tells whether the token was replaced. */
function wasReplaced(
  { nodes, names, parents, more, times, ...world }: Case,
  faultsOf: (node: NodeId, at: number) => string[],
  comesBack: boolean,
): boolean {
  const dying = names.slice(nodes - times.length)
  const fault = dying.flatMap((node, i) => faultsOf(node, get(times, i) / 2))
  const simulation = run({ ...world, fault, entries: 40 }, networkOf(nodes, names, parents, more))
  const alive = names.filter((node) => comesBack || !dying.includes(node))
  const states = alive.map((node) => simulation.stateOf(node) as State)
  const tokens = states.flatMap(({ token }) => token ?? [])
  expect(simulation.jury.violations.map(({ text }) => text)).toEqual([])
  expect(simulation).toMatchObject({ unserved: 0, gaveUp: false })
  expect(states.map(({ regeneration }) => regeneration?.election)).toEqual(alive.map(() => null))
  expect(tokens.length).toBe(1)
  return get(tokens, 0).fence >= LEAP
}

describe('random networks of which fewer than half fail and the others stay connected', () => {
  // shows helary-plouzeau-raynal-1988 7.1.2 Process failure, a lost token
  test('they stay down: exclusion, everyone else served, one token in the end, fences rise', () => {
    let replaced = 0
    fc.assert(
      fc.property(CRASHES, (world) => {
        if (wasReplaced(world, (node, at) => [`crash:${node}@${at}`], false)) replaced += 1
      }),
      { numRuns: extent(40, 150) },
    )
    expect(replaced).toBeGreaterThan(25)
  })

  test('one comes back with its memory after all have noticed: the same', () => {
    const thereAndBack = (node: NodeId, at: number) => [`crash:${node}@${at}`, `restart:${node}@${at + 20}`]
    fc.assert(
      fc.property(CRASHES, (world) => {
        wasReplaced({ ...world, times: world.times.slice(0, 1) }, thereAndBack, true)
      }),
      { numRuns: extent(25, 80) },
    )
  })

  test('several do, at times that overlap: the same', () => {
    const thereAndBack = (node: NodeId, at: number) => [`crash:${node}@${at}`, `restart:${node}@${at + 20}`]
    fc.assert(
      fc.property(CRASHES, (world) => void wasReplaced(world, thereAndBack, true)),
      { numRuns: extent(30, 100) },
    )
  })
})

/** Nodes 0 and 4 fail together, and each hears of the other's failure when both are back. */
test('a failure that is over when it is heard of closes no channel: the token finds the way to who is back', () => {
  const edges: Edge[] = [
    [1, 2],
    [1, 5],
    [1, 6],
    [1, 4],
    [0, 2],
    [2, 3],
    [0, 4],
  ]
  const fault = [0, 4].flatMap((node) => [`crash:${node}@37.5`, `restart:${node}@57.5`])
  const world = { load: 'light', entries: 40, seed: 483_135, channels: 'unordered' }
  const simulation = run({ ...world, fault: [...fault, 'crash:3@36', 'restart:3@56'] }, { nodes: 7, edges })
  expect(simulation).toMatchObject({ unserved: 0, gaveUp: false })
  for (const node of [0, 4]) expect((simulation.stateOf(node) as State).around?.down).toEqual([])
})

const NUMBERS = (nodes: number) => Array.from({ length: nodes }, (_, node) => node)
const GRAPHS: readonly [string, (nodes: number) => Network][] = [
  [
    'complete',
    (nodes) => ({ nodes, edges: NUMBERS(nodes).flatMap((a) => NUMBERS(a).map((b): Edge => [b, a])) }),
  ],
  ['ring', (nodes) => ({ nodes, edges: NUMBERS(nodes).map((a): Edge => [a, (a + 1) % nodes]) })],
]

/** The owner 0 crashes inside while some wait, and some of its neighbours notice before anything else happens. */
function recover({ nodes, edges }: Network, waiting: readonly NodeId[], noticing: readonly NodeId[]) {
  const wishes = { nodes, topology: graph(nodes, edges) }
  const { algorithm, setup } = simulationConfig(helaryPlouzeauRaynalRegeneration, wishes)
  const stage = new Stage(algorithm, { ...setup, inside: [0] })
  for (const node of waiting) stage.request(node)
  stage.deliverAll()
  const before = stage.events.length
  stage.crash(0)
  for (const node of noticing) stage.suspect(node, 0)
  stage.deliverAll()
  const counts: Record<string, number> = {}
  for (const event of stage.events.slice(before)) {
    if (event.is === 'send') counts[event.message.type] = (counts[event.message.type] ?? 0) + 1
  }
  const inside = NUMBERS(nodes).filter((node) => stage.statusOf(node) === 'inside')
  const tokens = stage.states.filter((state, node) => node !== 0 && (state as State).token !== null).length
  return { counts, inside, tokens }
}

describe.each(GRAPHS)('%s: what it costs to replace the token of 0', (_name, network) => {
  const sizes = [3, 4, 5, 6, 7, 8, 9]
  const survivorsOf = ({ nodes, edges }: Network) => ({
    others: nodes - 2,
    channels: edges.filter((ends) => !ends.includes(0)).length,
  })

  test('one notices: two messages for each channel between survivors, and the news to all but one', () => {
    for (const size of sizes) {
      const world = network(size)
      const { others, channels } = survivorsOf(world)
      const { counts, tokens } = recover(world, [], [1])
      expect(counts).toEqual({ election: 2 * channels - others, support: others, elected: others })
      expect(tokens).toBe(1)
    }
  })

  test('one waits: its request is broadcast again, over each channel at most twice, and it is let in', () => {
    for (const size of sizes) {
      const world = network(size)
      const { others, channels } = survivorsOf(world)
      const { counts, inside, tokens } = recover(world, [2], [1])
      expect(counts).toMatchObject({ election: 2 * channels - others, support: others, elected: others })
      expect(counts['request']).toBe(2 * channels - others)
      expect({ inside, tokens }).toEqual({ inside: [2], tokens: 1 })
    }
  })

  test('all its neighbours notice at once: one token, and one election is heard to its end', () => {
    for (const size of sizes) {
      const world = network(size)
      const { others, channels } = survivorsOf(world)
      const callers = world.edges.filter((ends) => ends.includes(0)).map(([a, b]) => a + b)
      const { counts, tokens } = recover(world, [], callers)
      expect(tokens).toBe(1)
      expect(counts['elected']).toBe(others)
      expect(counts['election']).toBeLessThanOrEqual(callers.length * 2 * channels)
    }
  })
})

describe('where no token may be made', () => {
  const LINE: Network = { nodes: 5, edges: NUMBERS(4).map((a): Edge => [a, a + 1]) }

  test('a majority that the failure has cut off from the owner waits, and the owner goes on', () => {
    const load = scriptFrom('0 request 0\n1 request 4\n60 request 0', 5, 'script:cut')
    const simulation = run({ load, fault: ['crash:1@5'] }, LINE)
    expect(simulation.jury.holds.exclusion.findings.first).toEqual([])
    expect(simulation.unserved).toBe(1)
  })

  test('of two nodes neither is a majority', () => {
    const load = scriptFrom('20 request 1', 2, 'script:two')
    expect(run({ load, fault: ['crash:0@5'] }, { nodes: 2, edges: [[0, 1]] }).unserved).toBe(1)
  })

  test('half of four, too', () => {
    const load = scriptFrom('20 request 1', 4, 'script:half')
    const [, complete] = get(GRAPHS, 0)
    expect(run({ load, fault: ['crash:0@5', 'crash:3@5'] }, complete(4)).unserved).toBe(1)
    expect(run({ load, fault: ['crash:0@5', 'crash:3@5'] }, complete(5)).unserved).toBe(0)
  })
})

test('as long as nobody fails an entry costs what it costs without all this', () => {
  for (const topology of ['line', 'ring', 'star', 'grid', 'random', 'complete']) {
    const wishes = { nodes: 9, topology, load: 'light', entries: 60, latency: 'exponential:1' }
    const { messages } = measured(helaryPlouzeauRaynal, wishes)
    expect(measured(helaryPlouzeauRaynalRegeneration, wishes).messages).toEqual(messages)
  }
})
