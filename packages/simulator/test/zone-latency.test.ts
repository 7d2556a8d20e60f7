import { algorithmNamed } from '@turnwise/algorithms/catalogue'
import { evenZones } from '@turnwise/core/zones'
import { expect, test } from 'vitest'
import { simulationConfig } from '../src/configuration.ts'
import { latencyFrom, latencyFromFile, lawOf } from '../src/latency.ts'
import { reportOf } from '../src/report.ts'
import { Simulation } from '../src/simulation.ts'

function measured(name: string, set: readonly string[]) {
  const wishes = { nodes: 9, load: 'heavy', entries: 600, warmup: 100, latency: 'three-continents', set }
  return reportOf(new Simulation(simulationConfig(algorithmNamed(name), wishes)).runToEnd())
}

test('a message takes as long as it is from zone to zone', () => {
  const zones = [
    ['constant:1', 'constant:60'],
    ['constant:70', 'constant:2'],
  ]
  const latency = latencyFromFile({ zones }, 4)
  const near = evenZones(4, 2)
  for (const from of [0, 1, 2, 3])
    for (const to of [0, 1, 2, 3]) {
      const { kind, value } = lawOf(latency, from, to, 4) as { kind: string; value: number }
      expect(`${kind}:${value}`).toBe(zones[near.of(from)]?.[near.of(to)])
    }
  expect(lawOf(latencyFrom('three-continents', 9), 0, 8, 9)).toMatchObject({ low: 100 })
  const placed = latencyFromFile({ zones, of: [1, 0, 0, 1] }, 4)
  expect([lawOf(placed, 0, 3, 4), lawOf(placed, 0, 1, 4)]).toMatchObject([{ value: 2 }, { value: 70 }])
})

test('a text may say what a file would say, and is kept', () => {
  const text = '{"zones":[["constant:1","constant:60"],["constant:70","constant:2"]],"of":[1,0,0,1]}'
  const latency = latencyFrom(text, 4)
  expect([lawOf(latency, 0, 3, 4), lawOf(latency, 0, 1, 4)]).toMatchObject([{ value: 2 }, { value: 70 }])
  expect(latency.text).toBe(text)
  expect(() => latencyFrom('{"zones":', 4)).toThrow('it begins with { but is not JSON')
})

test.each([
  [{ zones: [] }, 'zones is not a list of rows'],
  [{ zones: [['constant:1'], ['constant:1']] }, 'zones: row 1 is not 2 laws such as "constant:1"'],
  [{ zones: [[1]] }, 'zones: row 1 is not 1 laws such as "constant:1"'],
  [{ zones: [['soon:1']] }, '"soon:1" is not one of constant:D, uniform:LOW,HIGH, exponential:MEAN'],
  [
    { zones: Array.from({ length: 5 }, () => Array(5).fill('constant:1')) },
    'zones: there are 5 zones for 4 nodes',
  ],
  [
    { zones: [['constant:1']], links: {} },
    '"zones" is not one of its fields: default and links, or zones and of',
  ],
  [{ zones: [['constant:1']], of: [0, 0, 0] }, 'of is not a list of 4 zones from 0 to 0, one for each node'],
  [
    { zones: [['constant:1']], of: [0, 0, 0, 1] },
    'of is not a list of 4 zones from 0 to 0, one for each node',
  ],
])('%j is refused', (file, complaint) => {
  expect(() => latencyFromFile(file, 4)).toThrow(complaint)
})

test('a report tells how long each zone waits, and how many enter in a unit of time', () => {
  const { byZone, throughput, responseTime, entries } = measured('token-queue', [])
  expect(byZone.map(({ zone }) => zone)).toEqual([0, 1, 2])
  expect(byZone.reduce((sum, zone) => sum + zone.entries, 0)).toBe(entries)
  expect(Math.max(...byZone.map((zone) => zone.responseTime?.max ?? 0))).toBe(responseTime?.max)
  // Nobody waits for long without a turn of all nine.
  expect((throughput ?? 0) * (responseTime?.mean ?? 0)).toBeCloseTo(9, 0)
})

test('across three continents zones with a budget give five times the entries of the default', () => {
  const alike = measured('token-queue', [])
  for (const zones of [
    measured('composed', ['zones=3', 'inner=token-queue', 'outer=token-queue', 'localTurns=20']),
    measured('token-queue', ['zones=3', 'localTurns=20', 'passes=60']),
  ]) {
    expect(zones.violations).toEqual([])
    expect((zones.throughput ?? 0) / (alike.throughput ?? 1)).toBeGreaterThan(5)
    // And hardly anybody waits longer.
    expect((zones.responseTime?.p99 ?? 0) / (alike.responseTime?.p99 ?? 1)).toBeLessThan(1.3)
  }
})
