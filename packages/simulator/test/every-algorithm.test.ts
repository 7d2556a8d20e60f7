/**
 * What holds for every algorithm of the catalogue, whatever it is and whoever adds one: random runs within
 * what its facts allow, judged by the judges, by a dumb judge of the trace, and by its own claims.
 */
import { catalogue } from '@turnwise/algorithms/catalogue'
import type { AnyAlgorithm } from '@turnwise/core/algorithm'
import type { Prediction } from '@turnwise/core/facts'
import { type AnySpec, listOptions } from '@turnwise/core/options'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { predictionFor, reportOf } from '../src/report.ts'
import { Simulation } from '../src/simulation.ts'
import { complaintsAbout } from './dumb-judge.ts'
import { commandOf, configOf, play, type Run } from './harness.ts'

const NAMED = catalogue.map((algorithm) => [algorithm.facts.name, algorithm] as const)

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

function settingOf(name: string, spec: AnySpec): fc.Arbitrary<string> {
  const values =
    spec.kind === 'flag'
      ? fc.boolean()
      : spec.kind === 'choice'
        ? fc.constantFrom(...spec.choices)
        : fc.integer({ min: spec.min, max: Math.min(spec.max ?? Number.POSITIVE_INFINITY, spec.default + 3) })
  return values.map((value) => `${name}=${value}`)
}

/** Runs of an algorithm in every world its facts allow. */
function runsOf(algorithm: AnyAlgorithm): fc.Arbitrary<Run> {
  const { facts } = algorithm
  const specs = listOptions(algorithm.options)
  return fc
    .record({
      nodes: fc.integer({ min: 2, max: 12 }),
      seed: fc.maxSafeNat(),
      entries: fc.integer({ min: 1, max: 40 }),
      load: fc.constantFrom(...LOADS),
      latency: fc.constantFrom(...(facts.timing === 'bounded' ? BOUNDED_LAWS : LAWS)),
      inside: fc.constantFrom('constant:1', 'constant:0.000001', 'exponential:2'),
      channels: fc.constantFrom('fifo' as const, facts.channels),
      topology: fc.constantFrom<string | undefined>(...GRAPHS[facts.topology]),
      quorum: fc.constantFrom(undefined, ...(facts.quorums ? ['majority', 'grid', 'tree'] : [])),
      set: fc.tuple(...specs.map(([name, spec]) => settingOf(name, spec))),
    })
    .map(({ topology, quorum, ...run }) => ({
      algorithm,
      ...run,
      ...(topology === undefined ? {} : { topology }),
      ...(quorum === undefined ? {} : { quorum }),
    }))
}

/** Whatever fails in a run is told together with the way to see it again. */
function replayable(check: (run: Run) => void): (run: Run) => void {
  return (run) => {
    try {
      check(run)
    } catch (error) {
      const what = error instanceof Error ? error.message : String(error)
      throw new Error(`${what}\n\nseed ${run.seed}, replay with: ${commandOf(run)}`, { cause: error })
    }
  }
}

function expectWithin(value: number | null, { min, max }: Pick<Prediction, 'min' | 'max'>): void {
  // Sums of fractions may be off in the last digit.
  expect(value).toBeGreaterThanOrEqual(min - 1e-9)
  expect(value).toBeLessThanOrEqual(max + 1e-9)
}

describe.each(NAMED)('%s', (_name, algorithm) => {
  test('random runs: judges content, costs as predicted, the same run every time', () => {
    const check = replayable((run) => {
      const played = play(run)
      const { report } = played
      expect(report.violations).toEqual([])
      expect(report).toMatchObject({ entries: run.entries, unserved: 0, gaveUp: false })
      expect(complaintsAbout(played)).toEqual([])
      expectWithin(report.messages.perEntry, report.predicted.perEntry)
      expect(JSON.stringify(play(run).events)).toBe(JSON.stringify(played.events))
    })
    fc.assert(fc.property(runsOf(algorithm), check), { numRuns: 40, includeErrorInReport: true })
  })

  test('when everyone always waits, a hand-over takes as many hops as the facts say', () => {
    const runs = runsOf(algorithm).map(
      (run): Run => ({ ...run, load: 'heavy', latency: 'constant:1', inside: 'constant:1', entries: 60 }),
    )
    const check = replayable((run) => {
      const config = configOf(run)
      const { syncDelay } = reportOf(new Simulation(config).runToEnd())
      const hops = algorithm.facts.syncDelay.hops(config.setup)
      if (config.setup.entries === 1) expect(syncDelay).not.toBeNull()
      if (syncDelay === null) return
      expectWithin(syncDelay.mean, hops)
      expect(syncDelay.max).toBeLessThanOrEqual(hops.max + 1e-9)
    })
    fc.assert(fc.property(runs, check), { numRuns: 20, includeErrorInReport: true })
  })
})

const SIZES = [2, 3, 5, 8, 13, 21, 34, 50]

describe('the mean cost of an entry', () => {
  const SEEDS = 60
  // Student's distribution with 59 degrees of freedom: 99 % lie within so many standard errors.
  const T_99 = 2.662

  function costOf(run: Run): number {
    const report = reportOf(new Simulation(configOf(run)).runToEnd())
    return report.messages.perEntry ?? Number.NaN
  }

  describe('light load: the predicted mean lies in the 99 % confidence interval of the measured', () => {
    test.each(NAMED)('%s', (_name, algorithm) => {
      for (const nodes of SIZES) {
        // The first entry finds the world as it was set up, not as an entry left it.
        const run = { algorithm, nodes, load: 'light', entries: 31, warmup: 1 }
        const { mean: predicted } = predictionFor(configOf(run))
        if (predicted === null) continue
        const costs = Array.from({ length: SEEDS }, (_, index) => costOf({ ...run, seed: 1000 + index }))
        const mean = costs.reduce((sum, cost) => sum + cost, 0) / SEEDS
        const variance = costs.reduce((sum, cost) => sum + (cost - mean) ** 2, 0) / (SEEDS - 1)
        const reach = T_99 * Math.sqrt(variance / SEEDS) + 1e-9
        expect(Math.abs(mean - predicted), `${nodes} nodes: ${mean}, not ${predicted}`).toBeLessThanOrEqual(
          reach,
        )
      }
    })
  })

  describe('heavy load: within 2 % of the predicted mean', () => {
    test.each(NAMED)('%s', (_name, algorithm) => {
      for (const nodes of SIZES) {
        const run = { algorithm, nodes, load: 'heavy', entries: 40 * nodes }
        const { mean } = predictionFor(configOf(run))
        if (mean === null) continue
        const cost = costOf(run)
        expect(Math.abs(cost - mean), `${nodes} nodes: ${cost}, not ${mean}`).toBeLessThanOrEqual(0.02 * mean)
      }
    })
  })
})
