/**
 * What must hold for every algorithm of the catalogue, now and later: random runs within what its facts allow, judged
 * by the judges, by a dumb judge of the trace, and by its own claims.
 */
import { catalogue } from '@turnwise/algorithms/catalogue'
import type { AnyAlgorithm } from '@turnwise/core/algorithm'
import type { Prediction } from '@turnwise/core/facts'
import type { FaultKind } from '@turnwise/core/faults'
import { type AnySpec, listOptions, misfits, readOptions } from '@turnwise/core/options'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { extent } from '../../../test/extent.ts'
import { predictionFor, reportOf } from '../src/report.ts'
import { Simulation } from '../src/simulation.ts'
import { complaintsAbout } from './dumb-judge.ts'
import { commandOf, configOf, type Played, play, type Run } from './harness.ts'

const NAMED = catalogue.map((algorithm) => [algorithm.facts.name, algorithm] as const)

/** Runs per property: all algorithms together take about the same time, however many there are. */
const RUNS = extent(2, Math.max(6, 2 * Math.ceil(120 / catalogue.length)))

const LOADS = [
  'light',
  'heavy',
  'poisson:0.05',
  'poisson:0.5',
  'poisson:5',
  'closed:1',
  'closed:20',
  'hot:5,1',
]
const BOUNDED_LAWS = ['constant:1', 'constant:0.3', 'uniform:0,3', 'uniform:1,1.5']
const LAWS = [...BOUNDED_LAWS, 'exponential:1', 'exponential:0.2']

/** The graphs that can carry an algorithm; undefined is the one it takes by itself. */
const GRAPHS = {
  complete: [undefined, 'complete'],
  ring: [undefined, 'ring', 'complete'],
  tree: [undefined, 'line', 'star', 'tree:3', 'grid', 'random', 'complete'],
  connected: [undefined, 'ring', 'line', 'star', 'tree:3', 'grid', 'random'],
} as const

/** Information structures for any number of nodes from 2 on, for algorithms that take one. */
const STRUCTURES = ['central:1', 'ricart-agrawala', 'figure-2']
/** A plain coterie lets one in where k might be: that is safe. */
const QUORUMS = { 1: ['majority', 'grid', 'tree'], k: ['k-singleton', 'disjoint', 'grid'] } as const

/** Where correctness rests on a bound on delays, a number below its default may be a time-out that is too short. */
function settingOf(name: string, spec: AnySpec, timing: 'any' | 'bounded'): fc.Arbitrary<string> {
  const values =
    spec.kind === 'flag'
      ? fc.boolean()
      : spec.kind === 'choice'
        ? fc.constantFrom(...spec.choices)
        : spec.kind === 'list'
          ? fc.integer({ min: spec.min, max: 3 })
          : fc.integer({
              min: timing === 'bounded' ? spec.default : spec.min,
              max: Math.min(spec.max ?? Number.POSITIVE_INFINITY, spec.default + 3),
            })
  return values.map((value) => `${name}=${value}`)
}

/** Of so many resources each request takes so many. */
const SEVERAL = [
  { resources: 3, take: 1 },
  { resources: 4, take: 2 },
  { resources: 3, take: 3 },
]

type World = Omit<Run, 'algorithm'>

/** Every world the facts allow; of an algorithm that is known to fail, those in which everyone asks. */
function worldsFor(algorithm: AnyAlgorithm): fc.Arbitrary<World> {
  const { facts, options } = algorithm
  const failing = facts.knownToFail !== undefined
  const settings = failing
    ? []
    : listOptions(options).map(([name, spec]) => settingOf(name, spec, facts.timing))
  return (
    fc
      .record({
        nodes: fc.integer({ min: 2, max: 12 }),
        seed: fc.maxSafeNat(),
        entries: fc.integer({ min: 1, max: 40 }),
        load: fc.constantFrom(...(failing ? ['heavy'] : LOADS)),
        readers: fc.constantFrom(0, ...(facts.sharedMode ? [0.5, 0.9, 1] : [])),
        latency: fc.constantFrom(...(facts.timing === 'bounded' ? BOUNDED_LAWS : LAWS)),
        inside: fc.constantFrom('constant:1', 'constant:0.000001', 'exponential:2'),
        channels: fc.constantFrom('fifo' as const, facts.channels),
        topology: fc.constantFrom<string | undefined>(...GRAPHS[facts.topology]),
        quorum: fc.constantFrom(undefined, ...(facts.quorums ? QUORUMS[facts.entries] : [])),
        structure: fc.constantFrom(undefined, ...(facts.structure ? STRUCTURES : [])),
        k: fc.constantFrom(undefined, ...(facts.entries === 'k' ? [1, 2, 3, 5] : [])),
        several: fc.constantFrom(undefined, ...(facts.resources ? SEVERAL : [])),
        set: fc.tuple(...settings),
      })
      // A setting that leaves what the algorithm assumes is somebody's experiment.
      .filter(({ nodes, set }) => misfits(options, readOptions(options, set), nodes).length === 0)
      .map(({ topology, quorum, structure, k, several, ...world }) => ({
        ...world,
        ...several,
        ...(failing ? { entries: world.nodes + world.entries } : {}),
        ...(k === undefined ? {} : { k: Math.min(k, world.nodes) }),
        ...(topology === undefined ? {} : { topology }),
        ...(quorum === undefined ? {} : { quorum }),
        ...(structure === undefined ? {} : { structure }),
      }))
  )
}

/** Faults that strike messages or hold a node up; who may crash how often, an algorithm's own tests know better. */
const FAULTS: { readonly [Kind in FaultKind]?: (nodes: number) => fc.Arbitrary<string> } = {
  spike: () => fc.constantFrom('spike:0.1,30', 'spike:0.5,0.1'),
  duplicate: () => fc.constant('duplicate:0.2'),
  drop: () => fc.constant('drop:0.1'),
  pause: (nodes) =>
    fc
      .record({ node: fc.nat(nodes - 1), at: fc.nat(40), for: fc.integer({ min: 1, max: 40 }) })
      .map((pause) => `pause:${pause.node}@${pause.at}-${pause.at + pause.for}`),
}

function faultsFor({ facts }: AnyAlgorithm, nodes: number): fc.Arbitrary<string[]> {
  const claimed = facts.faults.flatMap((kind) => FAULTS[kind]?.(nodes) ?? [])
  return claimed.length === 0
    ? fc.constant([])
    : fc.array(fc.oneof(...claimed), { minLength: 1, maxLength: 3 })
}

/** Checks random runs. Whatever fails is told together with the way to see it again. */
function expectAlways(
  algorithm: AnyAlgorithm,
  worlds: fc.Arbitrary<World>,
  numRuns: number,
  check: (run: Run) => void,
): void {
  const replayable = (world: World) => {
    const run = { algorithm, ...world }
    try {
      check(run)
    } catch (error) {
      const what = error instanceof Error ? error.message : String(error)
      throw new Error(`${what}\n\nseed ${run.seed}, replay with: ${commandOf(run)}\n`, { cause: error })
    }
  }
  fc.assert(fc.property(worlds, replayable), { numRuns, includeErrorInReport: true })
}

/** Nobody is unhappy, and everyone was served. */
function expectServed({ report }: Played, { entries }: World): void {
  expect(report.violations.map(({ judge, text }) => `${judge}: ${text}`)).toEqual([])
  expect(report).toMatchObject({ entries, unserved: 0, gaveUp: false })
}

function expectWithin(value: number | null, { min, max }: Pick<Prediction, 'min' | 'max'>): void {
  // Sums of fractions may be off in the last digit.
  expect(value).toBeGreaterThanOrEqual(min - 1e-9)
  expect(value).toBeLessThanOrEqual(max + 1e-9)
}

describe.each(NAMED)('%s', (_name, algorithm) => {
  // shows helary-plouzeau-raynal-1988 5.5 Absence of starvation (Theorem 3)
  // shows sanders-1987 1 Introduction
  // shows velazquez-1993 2.1 The model, channels
  test('random runs: judges content, costs as predicted, the same run every time', () => {
    expectAlways(algorithm, worldsFor(algorithm), RUNS, (run) => {
      const played = play(run)
      expectServed(played, run)
      expect(complaintsAbout(played)).toEqual([])
      expectWithin(played.report.messages.perEntry, played.report.predicted.perEntry)
      expect(JSON.stringify(play(run).events)).toBe(JSON.stringify(played.events))
    })
  })

  // shows ricart-agrawala-1981 5.3.3 Bound 3, 5.4 Compliance
  test('when everyone always waits, a hand-over takes as many hops as the facts say', () => {
    const saturated = { load: 'heavy', latency: 'constant:1', inside: 'constant:1', entries: 60, readers: 0 }
    const worlds = worldsFor(algorithm).map((world): World => ({ ...world, ...saturated }))
    expectAlways(algorithm, worlds, RUNS / 2, (run) => {
      const config = configOf(run)
      const { syncDelay } = reportOf(new Simulation(config).runToEnd())
      const hops = algorithm.facts.syncDelay.hops(config.setup)
      // Where k may be inside together, or with other resources, the section need never be empty between two of them.
      if (config.setup.entries === 1 && config.setup.resources === 1) expect(syncDelay).not.toBeNull()
      if (syncDelay === null) return
      expectWithin(syncDelay.mean, hops)
      expectWithin(syncDelay.max, hops)
    })
  })

  // shows kessler-2024 Ricart-Agrawala Algorithm: problems
  test('it survives the faults that it claims to survive', () => {
    const worlds = worldsFor(algorithm).chain((world) =>
      faultsFor(algorithm, world.nodes).map((faults): World => ({ ...world, faults })),
    )
    expectAlways(algorithm, worlds, RUNS / 2, (run) => expectServed(play(run), run))
  })
})

test.each(NAMED.filter(([, { facts }]) => facts.knownToFail !== undefined))(
  '%s fails as it is known to: where not everyone asks, the run ends and someone still waits',
  (_name, algorithm) => {
    for (const nodes of [2, 3, 5, 8]) {
      const { report } = play({ algorithm, nodes, load: 'light', entries: 50 })
      expect(report.unserved).toBeGreaterThan(0)
      expect(report.violations.map(({ judge }) => judge)).toEqual(['progress'])
      expect(report.gaveUp).toBe(false)
    }
  },
)

const SIZES = extent([5], [2, 3, 5, 9], [2, 3, 5, 8, 13, 21, 34])

describe('the mean cost of an entry', () => {
  const SEEDS = 24
  // Student's distribution with 23 degrees of freedom: so many standard errors hold with 99 % for all worlds together.
  const T_99 = 4.0

  /** The algorithms that predict a mean under a load, for some size. */
  const predicting = (load: string) =>
    NAMED.filter(([, algorithm]) =>
      SIZES.some((nodes) => predictionFor(configOf({ algorithm, nodes, load })).mean !== null),
    )

  /** Every size on the default graph of the algorithm, and some sizes on every other graph on which it can run. */
  function worldsOf({ facts }: AnyAlgorithm): { nodes: number; topology?: string }[] {
    const others = GRAPHS[facts.topology].filter((graph) => graph !== undefined && graph !== 'complete')
    return [
      ...SIZES.map((nodes) => ({ nodes })),
      ...others.flatMap((topology) => extent([], [4, 9], [4, 9, 17]).map((nodes) => ({ nodes, topology }))),
    ]
  }

  function costOf(run: Run): number {
    const report = reportOf(new Simulation(configOf(run)).runToEnd())
    return report.messages.perEntry ?? Number.NaN
  }

  /** By how much a run costs more than predicted. */
  function errorOf(run: Run): number {
    return costOf(run) - (predictionFor(configOf(run)).mean ?? Number.NaN)
  }

  // shows velazquez-1993 2.1 The model, performance
  // shows velazquez-1993 4.1 Table 1
  // shows velazquez-1993 5.1 Table 2
  describe('light load: the predicted means lie in the 99 % confidence intervals of the measured', () => {
    test.each(predicting('light'))('%s', (_name, algorithm) => {
      for (const { nodes, ...graph } of worldsOf(algorithm)) {
        // The first entries find the world as it was set up, not as entries left it.
        const warmup = 2 * nodes
        const run = { algorithm, nodes, ...graph, load: 'light', entries: warmup + 40, warmup }
        if (predictionFor(configOf(run)).mean === null) continue
        // A random graph is another one for every seed, and so is what it should cost.
        const errors = Array.from({ length: SEEDS }, (_, index) => errorOf({ ...run, seed: 1000 + index }))
        const mean = errors.reduce((sum, error) => sum + error, 0) / SEEDS
        const variance = errors.reduce((sum, error) => sum + (error - mean) ** 2, 0) / (SEEDS - 1)
        const reach = T_99 * Math.sqrt(variance / SEEDS) + 1e-9
        const where = `${nodes} nodes, ${graph.topology ?? 'as it comes'}: off by ${mean}`
        expect(Math.abs(mean), where).toBeLessThanOrEqual(reach)
      }
    })
  })

  // shows velazquez-1993 4.1 Table 1
  describe('heavy load: within 2 % of the predicted mean', () => {
    test.each(predicting('heavy'))('%s', (_name, algorithm) => {
      for (const nodes of SIZES) {
        const run = { algorithm, nodes, load: 'heavy', entries: Math.max(160, 12 * nodes) }
        const { mean } = predictionFor(configOf(run))
        if (mean === null) continue
        const cost = costOf(run)
        expect(Math.abs(cost - mean), `${nodes} nodes: ${cost}, not ${mean}`).toBeLessThanOrEqual(0.02 * mean)
      }
    })
  })
})
