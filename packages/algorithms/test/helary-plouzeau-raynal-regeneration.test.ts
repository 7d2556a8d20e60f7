/** Section 7.1.2 of Helary, Plouzeau and Raynal (1988): the token is lost with its owner, or on its way there. */

import type { NodeId } from '@turnwise/core/algorithm'
import { graph } from '@turnwise/core/topology'
import { type RunWishes, simulationConfig } from '@turnwise/simulator/configuration'
import { scriptFrom } from '@turnwise/simulator/load'
import { Simulation } from '@turnwise/simulator/simulation'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LEAP } from '../src/token/fence-leap.ts'
import { helaryPlouzeauRaynal, type State } from '../src/token/helary-plouzeau-raynal.ts'
import { measured } from './measured.ts'

const REGENERATING = ['regeneration=true']

type Edge = readonly [NodeId, NodeId]

interface Network {
  readonly nodes: number
  readonly edges: readonly Edge[]
}

function run(wishes: Omit<RunWishes, 'topology' | 'nodes'>, { nodes, edges }: Network): Simulation {
  const wished = { set: REGENERATING, inside: 'constant:1', ...wishes, nodes, topology: graph(nodes, edges) }
  return new Simulation(simulationConfig(helaryPlouzeauRaynal, wished)).runToEnd()
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
    const [low, high] = [names[a], names[b]].toSorted((x, y) => x - y)
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
  const fault = dying.flatMap((node, i) => faultsOf(node, times[i] / 2))
  const simulation = run({ ...world, fault, entries: 40 }, networkOf(nodes, names, parents, more))
  const alive = names.filter((node) => comesBack || !dying.includes(node))
  const states = alive.map((node) => simulation.stateOf(node) as State)
  const tokens = states.flatMap(({ token }) => token ?? [])
  expect(simulation.jury.violations.map(({ text }) => text)).toEqual([])
  expect(simulation).toMatchObject({ unserved: 0, gaveUp: false })
  expect(states.map(({ regeneration }) => regeneration?.election)).toEqual(alive.map(() => null))
  expect(tokens.length).toBe(1)
  return tokens[0].fence >= LEAP
}

describe('random networks of which fewer than half fail and the others stay connected', () => {
  test('they stay down: exclusion, everyone else served, one token in the end, fences rise', () => {
    let replaced = 0
    fc.assert(
      fc.property(CRASHES, (world) => {
        if (wasReplaced(world, (node, at) => [`crash:${node}@${at}`], false)) replaced += 1
      }),
      { numRuns: 300 },
    )
    expect(replaced).toBeGreaterThan(50)
  })

  test('one comes back with its memory after all have noticed: the same', () => {
    const thereAndBack = (node: NodeId, at: number) => [`crash:${node}@${at}`, `restart:${node}@${at + 20}`]
    fc.assert(
      fc.property(CRASHES, (world) => {
        wasReplaced({ ...world, times: world.times.slice(0, 1) }, thereAndBack, true)
      }),
      { numRuns: 200 },
    )
  })
})

const COMPLETE = (nodes: number): Network => ({
  nodes,
  edges: Array.from({ length: nodes }, (_, a) => a).flatMap((a) =>
    Array.from({ length: a }, (_, b): Edge => [b, a]),
  ),
})
const RING = (nodes: number): Network => ({
  nodes,
  edges: Array.from({ length: nodes }, (_, a): Edge => [a, (a + 1) % nodes]),
})

test('as long as nobody fails an entry costs what it costs without all this', () => {
  for (const topology of ['line', 'ring', 'star', 'grid', 'random', 'complete']) {
    const wishes = { nodes: 9, topology, load: 'light', entries: 60, latency: 'exponential:1' }
    const { messages } = measured(helaryPlouzeauRaynal, wishes)
    expect(measured(helaryPlouzeauRaynal, { ...wishes, set: REGENERATING }).messages).toEqual(messages)
  }
})
