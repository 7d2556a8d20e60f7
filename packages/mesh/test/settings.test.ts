/**
 * Every option of every algorithm that can serve a mesh, at its bounds, while members crash, leave and return: one holder,
 * rising fences, no view that does not fit, and everyone enters in the end where all of them fit.
 */
import { catalogue } from '@turnwise/algorithms/catalogue'
import { type AnySpec, listOptions } from '@turnwise/core/options'
import { describe, expect, test } from 'vitest'
import { extent } from '../../../test/extent.ts'
import type { Effect } from '../src/protocol/events.ts'
import { requireFit, whyUnfit } from '../src/protocol/fit.ts'
import type { ViewRecord } from '../src/protocol/record.ts'
import { Worlds } from '../src/protocol/view-worlds.ts'
import { isServable } from './is-servable.ts'
import { LEASE, planFor, type Wishes } from './simulation/plan.ts'
import { simulate } from './simulation/voters.ts'
import '../check/texts.ts'

const MOST_NODES = 5
const SIZES = extent([4], [1, 2, 4], [1, 2, 3, 4, 5])
const SEEDS = extent(1, 1, 2)

/** The least and the largest, and on both sides of whatever is a bound among so many nodes. */
function bounds(spec: AnySpec, nodes: number): readonly string[] {
  switch (spec.kind) {
    case 'flag':
      return ['true', 'false']
    case 'choice':
      return spec.choices
    case 'integer': {
      const { min, max = Number.MAX_SAFE_INTEGER } = spec
      const fits = (value: number) => (spec.misfit?.(value, nodes) ?? null) === null
      const small = Array.from({ length: 2 * MOST_NODES }, (_, i) => min + i).filter((value) => value <= max)
      const edges = small
        .filter((value) => fits(value) !== fits(value + 1))
        .flatMap((edge) => [edge, edge + 1])
      return [...new Set([min, ...edges, max])].map(String)
    }
    case 'list': {
      const { min, max = Number.MAX_SAFE_INTEGER } = spec
      const times = (value: number, count: number) => Array.from({ length: count }, () => value).join(',')
      const lengths = [1, nodes - 1, nodes, nodes + 1].filter((length) => length > 0)
      return [...new Set(lengths.flatMap((length) => [times(min, length), times(max, length)]))]
    }
  }
}

/** Members come and go; nobody loses a disk, so a node that is away returns. */
const COMINGS: Wishes = {
  crashes: 2 * LEASE,
  leaves: 3 * LEASE,
  lostState: 0,
  restored: 0,
  forGood: 0,
  wishes: 0,
  suspends: 0,
  leases: [],
  slow: [],
}

/** One run; returns the views that were begun in it. */
function run(algorithm: string, nodes: number, seed: number): ViewRecord[] {
  const mayAllEnter = whyUnfit({ algorithm }, nodes) === null
  const quietFrom = 8 * LEASE
  const times = {
    quietFrom,
    end: quietFrom + (mayAllEnter ? 18 : 6) * LEASE,
    mustEnterFrom: mayAllEnter ? quietFrom + 6 * LEASE : null,
  }
  const voters = Math.max(1, nodes - (seed % 2))
  const begun: ViewRecord[] = []
  const after = (_: unknown, effects: readonly Effect[]) => {
    for (const effect of effects) if (effect.kind === 'begun') begun.push(effect.record)
  }
  const plan = planFor(seed, { ...COMINGS, ...times, algorithm, nodes, voters })
  const { violation } = simulate(plan, undefined, undefined, { before: () => {}, after })
  expect(violation, `${algorithm}, ${nodes} nodes, seed ${seed}`).toBeNull()
  return begun
}

describe.each(
  catalogue
    .filter(({ facts, options }) => isServable(facts.name) && listOptions(options).length > 0)
    .map((algorithm) => [algorithm.facts.name, algorithm] as const),
)('%s', (name, { options }) => {
  test.each(listOptions(options))('%s', (option, spec) => {
    for (const nodes of SIZES) {
      for (const value of bounds(spec, nodes).filter((_, i) => i % extent(3, 1) === 0)) {
        const algorithm = `${name} ${option}=${value}`
        // What is set anyway has its turn in the test of the protocol, unless it is a question of numbers.
        if (!isServable(algorithm) || (value === String(spec.default) && !spec.misfit)) continue
        for (let seed = 2 * nodes; seed < 2 * nodes + SEEDS; seed += 1) {
          const begun = run(algorithm, nodes, seed)
          const unfit = begun.filter(({ settings, members }) => whyUnfit(settings, members.length) !== null)
          expect(unfit, algorithm).toEqual([])
          if (whyUnfit({ algorithm }, nodes) === null) expect(begun.length).toBeGreaterThan(0)
        }
      }
    }
  })
})

/** By the words of the simulator. What a view of fewer members cannot have, it does without. */
describe('graphs, quorums and structures', () => {
  const all: [algorithm: string, nodes: number][] = [
    ['raymond topology=line', 4],
    ['raymond topology=star', 4],
    ['helary-plouzeau-raynal topology=ring', 4],
    ['helary-plouzeau-raynal topology=random:4', 4],
    ['maekawa quorum=tree', 4],
    ['maekawa quorum=grid', 5],
    ['sanders structure=central', 4],
    ['sanders structure=figure-2', 4],
    // Nodes 0 and 1 watch each other, and 2 tells both.
    ['sanders structure=0/1/0.1.2:0.1/0.1/0.1.2', 3],
  ]
  test.each(all.filter((_, i) => i % extent(2, 1) === 0))('%s among %i', (algorithm, nodes) => {
    requireFit(algorithm, nodes)
    for (let seed = 1; seed <= extent(1, 3, 8); seed += 1)
      expect(run(algorithm, nodes, seed).length).toBeGreaterThan(0)
  })

  test('node i of a structure is member i by name, whatever the lock; of a graph the first is the home of the lock', () => {
    const firsts = (algorithm: string) => {
      const view = run(algorithm, 3, 1).find(({ members }) => members.length === 3)
      if (view === undefined) throw new Error('no view has all three')
      return new Set(['=x', '=y', '=z', '=u', '=v', '=w'].map((name) => new Worlds(view).of(name).ids[0]))
    }
    expect([...firsts('sanders structure=figure-2')]).toHaveLength(1)
    expect(firsts('sanders structure=central').size).toBeGreaterThan(1)
    expect(firsts('raymond topology=star').size).toBeGreaterThan(1)
  })
})
