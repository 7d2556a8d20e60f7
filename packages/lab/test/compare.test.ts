import { get } from '@turnwise/core/bounds'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { type Report, reportOf } from '@turnwise/simulator/report'
import { Simulation } from '@turnwise/simulator/simulation'
import { describe, expect, test } from 'vitest'
import { atLeast } from '../../../test/present.ts'
import { comparisonFigure } from '../src/chart/comparison-figure.ts'
import { drawCharts } from '../src/chart/draw-charts.ts'
import { meanWithInterval } from '../src/chart/interval.ts'
import { csvOf } from '../src/rooms/compare/csv.ts'
import { configOf, planOf, readComparison } from '../src/rooms/compare/sweep.ts'

const measured = (query: Record<string, string>): Report[] =>
  planOf(readComparison(query)).map((run) => reportOf(new Simulation(configOf(run)).runToEnd()))

describe('what the address asks for', () => {
  test('has a default for all that is not said', () => {
    const { algorithms, nodes, loads, repeats } = readComparison({})
    expect(algorithms).toContain('ricart-agrawala')
    expect(nodes.length).toBeGreaterThan(1)
    expect(loads).toEqual(['light', 'heavy'])
    expect(repeats).toBeGreaterThan(1)
  })

  test('loads may have commas of their own', () => {
    expect(readComparison({ load: 'hot:5,1,1,heavy,poisson:0.2' }).loads).toEqual([
      'hot:5,1,1',
      'heavy',
      'poisson:0.2',
    ])
  })

  test.each([
    [{ algorithms: 'lamport,nobody' }, 'algorithms: "nobody" is not in the catalogue'],
    [{ nodes: '3,x' }, 'nodes: '],
    [{ nodes: '3,100000' }, '1000'],
    [{ repeats: '0' }, 'repeats: '],
    [{ entries: '-1' }, 'entries: '],
  ])('%o is refused in words', (query: Record<string, string>, words) => {
    expect(() => readComparison(query)).toThrow(InvalidInput)
    expect(() => readComparison(query)).toThrow(words)
  })

  test('what a run cannot be is refused by the run alone', () => {
    const run = get(
      planOf(readComparison({ algorithms: 'lamport', load: 'tidal', nodes: '3', repeats: '1' })),
      0,
    )
    expect(() => configOf(run)).toThrow(InvalidInput)
  })

  test('every algorithm is run with the same loads and seeds, the small worlds first', () => {
    const runs = planOf(
      readComparison({ algorithms: 'lamport,raymond', nodes: '5,3', load: 'light', repeats: '2' }),
    )
    expect(runs.map(({ algorithm, nodes, seed }) => `${algorithm} ${nodes} ${seed}`)).toEqual([
      'lamport 3 1',
      'lamport 3 2',
      'raymond 3 1',
      'raymond 3 2',
      'lamport 5 1',
      'lamport 5 2',
      'raymond 5 1',
      'raymond 5 2',
    ])
  })
})

describe('the figure', () => {
  const reports = measured({
    algorithms: 'ricart-agrawala,naimi-trehel',
    nodes: '3,9',
    load: 'light',
    entries: '40',
    repeats: '3',
  })

  test('has a point for each size, the mean over seeds with its interval, and the closed form beside it', () => {
    const messages = get(comparisonFigure(reports).panels, 0)
    expect(messages.title).toBe('Messages per entry')
    const [ricartAgrawala, naimiTrehel] = atLeast(2, messages.series)
    expect(ricartAgrawala.points).toEqual([
      { x: 3, y: 4, low: 4, high: 4 },
      { x: 9, y: 16, low: 16, high: 16 },
    ])
    expect(ricartAgrawala.theory).toContainEqual({ x: 9, y: 16 })
    for (const { y, low = y, high = y } of naimiTrehel.points) {
      expect(low).toBeLessThan(y)
      expect(high).toBeGreaterThan(y)
    }
  })

  test('shows messages, response time, delay and fairness, as far as there are any', () => {
    const titles = comparisonFigure(
      measured({ algorithms: 'lamport', nodes: '4', load: 'heavy', entries: '40', repeats: '1' }),
    ).panels.map(({ title }) => title)
    expect(titles).toEqual(['Messages per entry', 'Response time', 'Synchronisation delay', 'Fairness'])
  })

  test('says how many seeds it is made of', () => {
    expect(drawCharts(comparisonFigure(reports))).toContain('seeds 1 to 3, 95 % intervals')
  })

  test('gives an algorithm the colour that it is told', () => {
    const { series } = get(comparisonFigure(reports, (name) => (name === 'naimi-trehel' ? 12 : 3)).panels, 0)
    expect(series.map(({ colourIndex }) => colourIndex)).toEqual([3, 12])
  })

  test('calls an algorithm as it is told', () => {
    const { series } = get(comparisonFigure(reports, undefined, (name) => name.toUpperCase()).panels, 0)
    expect(series.map(({ name }) => name)).toEqual(['RICART-AGRAWALA', 'NAIMI-TREHEL'])
  })
})

test('the interval of a mean is Student’s', () => {
  // 1, 2, 3: deviation 1, three values, quantile 4.303 for two degrees of freedom.
  const { mean, low, high } = meanWithInterval([1, 2, 3])
  expect(mean).toBe(2)
  expect(high - mean).toBeCloseTo(4.303 / Math.sqrt(3), 3)
  expect(mean - low).toBeCloseTo(high - mean, 10)
  expect(meanWithInterval([7])).toEqual({ mean: 7, low: 7, high: 7 })
})

test('a table of commas has a line per run, and quotes what has commas itself', () => {
  const lines = csvOf(
    measured({ algorithms: 'lamport', nodes: '3', load: 'hot:5,1,1', entries: '10', repeats: '2' }),
  ).split('\r\n')
  expect(lines).toHaveLength(4)
  expect(lines[0]).toMatch(/^algorithm,nodes,load,latency,seed,entries,messages per entry,/)
  expect(lines[1]).toMatch(/^lamport,3,"hot:5,1,1",constant:1,1,10,/)
})
