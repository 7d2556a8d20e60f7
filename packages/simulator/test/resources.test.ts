import { algorithmNamed } from '@turnwise/algorithms/catalogue'
import { describe, expect, test } from 'vitest'
import { simulationConfig } from '../src/configuration.ts'
import { configOf, only, play } from './harness.ts'

const algorithm = algorithmNamed('bouabdallah-laforest')

describe('requests for several resources', () => {
  test('each takes as many as asked for, all equally often, in any order', () => {
    const { events, report } = play({
      algorithm,
      nodes: 5,
      resources: 6,
      take: 2,
      load: 'heavy',
      entries: 600,
    })
    const asks = only(events, 'request').map(({ resources = [] }) => resources)
    expect(asks.every((set) => set.length === 2 && new Set(set).size === 2)).toBe(true)
    for (let resource = 0; resource < 6; resource += 1) {
      // Five standard deviations of 600 draws of a third.
      expect(Math.abs(asks.filter((set) => set.includes(resource)).length - 200)).toBeLessThan(58)
    }
    expect(asks.some(([a = 0, b = 0]) => a > b)).toBe(true)
    expect(report).toMatchObject({ resources: 6, take: 2, violations: [] })
  })

  test('who asks when does not depend on what it takes', () => {
    const asked = (take: number) =>
      only(play({ algorithm, nodes: 5, resources: 4, take }).events, 'request').map(({ node }) => node)
    expect(asked(1)).toEqual(asked(3))
  })

  test('without resources a request names none, and two are taken if nothing is said', () => {
    const asks = (resources?: number) =>
      only(play({ algorithm, nodes: 3, ...(resources === undefined ? {} : { resources }) }).events, 'request')
    expect(asks().every((ask) => !('resources' in ask))).toBe(true)
    expect(asks(5).every(({ resources }) => resources?.length === 2)).toBe(true)
  })

  test('how many are inside at a time, on average', () => {
    // Three different resources for one unit each, and one more after a rest of one unit.
    const load = [0, 1, 2].map((node) => `0 request ${node} resources ${node}`)
    const world = { algorithm, nodes: 3, resources: 3, latency: 'constant:0.000001' }
    const { report } = play({ ...world, load: [...load, '2 request 0 resources 0'] })
    expect(report.maxInside).toBe(3)
    expect(report.meanInside).toBeCloseTo(4 / 3, 3)
  })

  test.each([
    [{ take: 4, resources: 3 }, 'take: "4" is more than there are: 3'],
    [{ take: 2 }, 'take: "2" is more than there are: 1'],
    [{ resources: 0 }, 'resources: "0" is not a number for resources'],
  ])('%o is refused', (wishes, why) => {
    expect(() => simulationConfig(algorithm, wishes)).toThrow(why)
  })

  test('an algorithm for one lock refuses them', () => {
    const raymond = algorithmNamed('raymond')
    expect(() => simulationConfig(raymond, { take: 1 })).toThrow('raymond serves one lock')
    expect(() => simulationConfig(raymond, { resources: 2 })).toThrow('raymond serves one lock')
  })

  test('a script names them, and only those that there are', () => {
    const run = (line: string) => () => configOf({ algorithm, nodes: 2, resources: 3, load: [line] })
    expect(run('0 request 1 resources 2,0')).not.toThrow()
    expect(run('0 request 1 resources 2,3')).toThrow('"3" is not a resource from 0 to 2')
    expect(run('0 request 1 resources 2,2')).toThrow('"2,2" is not a list of different resources')
  })
})
