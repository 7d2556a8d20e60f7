import { catalogue } from '@turnwise/algorithms/catalogue'
import type { AnyAlgorithm } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { describe, expect, test } from 'vitest'
import { carousel, fickle, library, relay } from './caller-toys.ts'
import { playWell, statesOf } from './contract-play.ts'
import { choir, gambler, pager, twoStep } from './contract-toys.ts'
import { only, play, type Run, timesOf, unitsOf } from './harness.ts'
import { permits } from './toy-desk.ts'

describe('chance and options', () => {
  const throws = (seed: number, ...set: string[]) => {
    const played = play({ algorithm: gambler, nodes: 1, load: 'light', entries: 100, seed, set })
    return get(statesOf<{ drawn: number[] }>(played), 0).drawn
  }

  test('draws are in bounds, the same for the same seed and others for another', () => {
    const drawn = throws(1)
    expect(drawn.every((value) => Number.isInteger(value) && value >= 0 && value < 6)).toBe(true)
    expect(new Set(drawn).size).toBe(6)
    expect(throws(1)).toEqual(drawn)
    expect(throws(2)).not.toEqual(drawn)
  })

  test('they do not hang on latencies, loads or stays', () => {
    const run = { algorithm: gambler, nodes: 1, entries: 30 }
    const drawn = (more: Partial<Run>) => play({ ...run, ...more }).simulation.stateOf(0)
    expect(drawn({ load: 'closed:2', inside: 'exponential:3', latency: 'uniform:1,5' })).toEqual(drawn({}))
  })

  test('what --set says is what handlers read', () => {
    expect(Math.max(...throws(1, 'sides=1000'))).toBeGreaterThan(100)
    expect(new Set(throws(1, 'sides=1'))).toEqual(new Set([0]))
    expect(new Set(throws(1, 'loaded=true'))).toEqual(new Set([0]))
    expect(() => throws(1, 'sides=0')).toThrow(InvalidInput)
    expect(() => throws(1, 'colour=red')).toThrow('"colour" is not an option of gambler')
  })
})

describe('k entries', () => {
  test('two are inside together, and three never', () => {
    const played = playWell({
      algorithm: permits,
      nodes: 4,
      load: ['0 request 1', '0 request 2', '0 request 3'],
      world: { entries: 2 },
    })
    expect(played.report.maxInside).toBe(2)
    expect(timesOf(played.events, 'enter')).toEqual([
      [2, 1],
      [2, 2],
      [5, 3],
    ])
  })

  test.each([1, 2, 3, 5])('with k = %i as many are inside at once, under load', (entries) => {
    const { report } = playWell({
      algorithm: permits,
      nodes: 6,
      load: 'heavy',
      latency: 'exponential:1',
      inside: 'exponential:5',
      entries: 100,
      world: { entries },
    })
    expect(report.maxInside).toBe(entries)
  })

  test('the judge counts to k: a third beside two is found', () => {
    const generous: AnyAlgorithm = {
      ...permits,
      receive: { ...permits.receive, ask: (_state, here, _ask, from) => here.send(from, { type: 'permit' }) },
    }
    const { report } = play({
      algorithm: generous,
      nodes: 4,
      load: 'heavy',
      entries: 4,
      world: { entries: 2 },
    })
    expect(report.violations.some(({ judge }) => judge === 'exclusion')).toBe(true)
  })
})

describe('shared entries', () => {
  test('two readers are inside together, a writer waits for them, a third reader for it', () => {
    const { events, report } = playWell({
      algorithm: library,
      nodes: 5,
      load: ['0 request 1 shared', '0 request 2 shared', '0.1 request 3', '0.2 request 4 shared'],
    })
    expect(only(events, 'enter').map((event) => [unitsOf(event), event.node, event.mode])).toEqual([
      [2, 1, 'shared'],
      [2, 2, 'shared'],
      [5, 3, 'exclusive'],
      [8, 4, 'shared'],
    ])
    expect(report.maxInside).toBe(2)
  })

  test('the same script asked exclusively has them inside one by one', () => {
    const { report } = playWell({ algorithm: library, nodes: 5, load: ['0 request 1', '0 request 2'] })
    expect(report.maxInside).toBe(1)
  })

  test('a world that begins with two readers inside', () => {
    const { events, report } = playWell({
      algorithm: library,
      nodes: 4,
      load: ['0 request 3'],
      world: { inside: [1, 2], insideMode: 'shared' },
    })
    expect(timesOf(events, 'enter')).toEqual([
      [0, 1],
      [0, 2],
      [3, 3],
    ])
    expect(report.maxInside).toBe(2)
  })
})

describe('callers that give up', () => {
  const script = ['0 request 1', '0.5 request 2', '1.7 withdraw 2', '3 request 3']

  test('an algorithm that can takes the request back', () => {
    const { events, report } = playWell({ algorithm: fickle, nodes: 4, load: script })
    expect(timesOf(events, 'withdraw')).toEqual([[1.7, 2]])
    expect(timesOf(events, 'enter').map(([, node]) => node)).toEqual([1, 3])
    expect(report.entries).toBe(2)
    expect(report.messages.byType).toMatchObject({ ask: 3, cancel: 1, permit: 2, back: 2 })
  })

  test('a permit under way to one that gave up is returned, and the next is let in', () => {
    const late = ['0 request 1', '1.5 withdraw 1', '3 request 2']
    const { events, report } = playWell({ algorithm: fickle, nodes: 3, load: late })
    expect(report.messages.byType).toMatchObject({ ask: 2, cancel: 1, permit: 2, back: 2 })
    expect(timesOf(events, 'enter')).toEqual([[5, 2]])
  })

  test('where the algorithm cannot, the late grant is returned at once and the lock is not lost', () => {
    const { events, report } = play({ algorithm: permits, nodes: 4, load: script, world: { entries: 1 } })
    // Node 2 gave up at 1.7 and is granted when node 1 has left: it leaves in the same moment.
    expect(timesOf(events, 'enter')).toEqual([
      [2, 1],
      [5, 2],
      [7, 3],
    ])
    expect(timesOf(events, 'leave')).toEqual([
      [3, 1],
      [5, 2],
      [8, 3],
    ])
    expect(report).toMatchObject({ entries: 2, unserved: 0, violations: [] })
  })

  test('a caller behind it asks when the late grant has been returned', () => {
    const { events, report } = play({
      algorithm: permits,
      nodes: 2,
      load: ['0 request 1', '0.5 withdraw 1', '1 request 1'],
    })
    expect(timesOf(events, 'request')).toEqual([
      [0, 1],
      [2, 1],
    ])
    expect(report).toMatchObject({ entries: 1, unserved: 0, violations: [] })
    expect(report.responseTime?.mean).toBe(3)
  })

  test('also where the network never falls silent', () => {
    const { report, events } = play({
      algorithm: carousel,
      nodes: 4,
      load: ['0 request 2', '1 withdraw 2', '2 request 2'],
    })
    expect(timesOf(events, 'enter').map(([, node]) => node)).toEqual([2, 2])
    expect(report).toMatchObject({ entries: 1, unserved: 0, violations: [] })
  })

  test('nobody withdraws who is inside, has left, or never asked', () => {
    const { events, report } = playWell({
      algorithm: permits,
      nodes: 3,
      load: ['0 request 1', '0 withdraw 2', '2.5 withdraw 1', '9 withdraw 1', '9 request 2'],
    })
    expect(only(events, 'withdraw')).toEqual([])
    expect(report.entries).toBe(2)
  })
})

describe('a world that begins with someone inside', () => {
  const TOYS: readonly AnyAlgorithm[] = [permits, pager, choir, twoStep, carousel, relay]

  test.each([...catalogue, ...TOYS].map((algorithm) => [algorithm.facts.name, algorithm] as const))(
    '%s: nobody else enters before it leaves, and everyone is served afterwards',
    (_name, algorithm) => {
      const nodes = 6
      const k = algorithm.facts.entries === 'k' ? 2 : 1
      const everyone = Array.from({ length: nodes }, (_, node) => node)
      for (const first of everyone) {
        // Of k places all are taken.
        const inside = Array.from({ length: k }, (_, index) => (first + 2 * index) % nodes)
        const run = {
          algorithm,
          nodes,
          load: everyone.map((node) => `0 request ${node}`),
          inside: 'constant:20',
          world: { inside, home: first % 2 === 0 ? 0 : first },
        }
        const { events, report } = playWell(run)
        const entries = timesOf(events, 'enter')
        expect(entries.slice(0, k)).toEqual(inside.map((node) => [0, node]))
        expect(entries.slice(k).every(([time]) => time >= 20)).toBe(true)
        expect(
          entries
            .slice(k)
            .map(([, node]) => node)
            .toSorted(),
        ).toEqual(everyone)
        expect(report).toMatchObject({ entries: nodes, maxInside: k })
      }
    },
  )

  test('its stay is not an entry of the run, and the hand-over from it is measured', () => {
    const { report } = playWell({
      algorithm: permits,
      nodes: 3,
      load: ['0 request 2'],
      inside: 'constant:9',
      world: { inside: [1], entries: 1 },
    })
    expect(report.entries).toBe(1)
    expect(report.syncDelay).toEqual({ mean: 2, max: 2 })
    expect(report.responseTime?.mean).toBe(11)
  })
})
