import { algorithmNamed } from '@turnwise/algorithms/catalogue'
import type { TraceEvent } from '@turnwise/core/trace/trace'
import { describe, expect, test } from 'vitest'
import { Simulation } from '../src/simulation.ts'
import { carousel, gambler, permits } from './contract-toys.ts'
import { configOf, only, play, type Run, timesOf, unitsOf } from './harness.ts'

const lamport = algorithmNamed('lamport')
const coordinator = algorithmNamed('central-coordinator')

/** Who asked, in order. */
function askers(run: Run): number[] {
  return only(play(run).events, 'request').map(({ node }) => node)
}

/** Pearson's statistic of the askers against weights. */
function chiSquare(nodes: readonly number[], weights: readonly number[]): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return weights.reduce((sum, weight, node) => {
    const expected = (nodes.length * weight) / total
    const count = nodes.filter((other) => other === node).length
    return sum + (count - expected) ** 2 / expected
  }, 0)
}

function gaps(times: readonly number[]): number[] {
  return times.slice(1).map((time, index) => time - times[index])
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

describe('light', () => {
  test('the next asks in the moment in which the last has left and no message is under way', () => {
    for (const latency of ['constant:1', 'exponential:2']) {
      const { events } = play({ algorithm: lamport, nodes: 4, load: 'light', entries: 30, latency })
      let underWay = 0
      let inside = 0
      let outstanding = 0
      events.forEach((event, index) => {
        if (event.is === 'send') underWay += 1
        if (event.is === 'receive') underWay -= 1
        if (event.is === 'enter') inside += 1
        if (event.is === 'leave') {
          inside -= 1
          outstanding -= 1
        }
        if (event.is !== 'request') return
        outstanding += 1
        expect([underWay, inside, outstanding]).toEqual([0, 0, 1])
        expect(event.at).toBe(index === 0 ? 0 : events[index - 1].at)
      })
    }
  })

  test('every node is drawn equally often', () => {
    const nodes = askers({ algorithm: coordinator, nodes: 5, load: 'light', entries: 3000 })
    // The 99.9 % quantile with 4 degrees of freedom.
    expect(chiSquare(nodes, [1, 1, 1, 1, 1])).toBeLessThan(18.47)
    // Also after each other: a node follows itself as often as any other.
    const repeats = nodes.slice(1).filter((node, index) => node === nodes[index]).length
    expect(Math.abs(repeats / 2999 - 1 / 5)).toBeLessThan(4 * Math.sqrt(0.16 / 2999))
  })

  test('who asks hangs on the seed alone, not on latencies or the algorithm', () => {
    const run = { algorithm: coordinator, nodes: 5, load: 'light', entries: 40 }
    const drawn = askers(run)
    expect(askers({ ...run, latency: 'exponential:3', inside: 'uniform:1,9' })).toEqual(drawn)
    expect(askers({ ...run, algorithm: lamport })).toEqual(drawn)
    expect(askers({ ...run, seed: 2 })).not.toEqual(drawn)
  })

  test('of crashed nodes none is drawn', () => {
    const { events, simulation } = play({
      algorithm: coordinator,
      nodes: 4,
      load: 'light',
      entries: 60,
      faults: ['crash:2@50'],
    })
    const late = only(events, 'request').filter((event) => unitsOf(event) >= 50)
    expect(late.length).toBeGreaterThan(20)
    expect(late.some(({ node }) => node === 2)).toBe(false)
    expect(simulation.issued).toBe(60)
  })

  test('a crash of the one who asked makes room for the next', () => {
    // Node 1 crashes inside; its release never comes, so the next waits for ever, but it was asked.
    const { events, report } = play({
      algorithm: coordinator,
      nodes: 2,
      load: 'hot:0,1',
      entries: 3,
      faults: ['crash:1@2.5', 'restart:1@10'],
    })
    expect(timesOf(events, 'request').map(([time]) => time)).toEqual([0, 11, 15])
    expect(report).toMatchObject({ entries: 3, unserved: 0, violations: [] })
  })

  test('where the network never falls silent the next waits ten units of time', () => {
    const { events } = play({ algorithm: carousel, nodes: 4, load: 'light', entries: 12 })
    const leaves = timesOf(events, 'leave').map(([time]) => time)
    const requests = timesOf(events, 'request').map(([time]) => time)
    expect(requests).toEqual([0, ...leaves.slice(0, -1).map((time) => time + 10)])
  })
})

describe('heavy', () => {
  test('all ask at once, and again in the moment in which they have left', () => {
    const { events } = play({
      algorithm: lamport,
      nodes: 4,
      load: 'heavy',
      entries: 40,
      latency: 'uniform:1,3',
    })
    const requests = timesOf(events, 'request')
    expect(requests.slice(0, 4)).toEqual([
      [0, 0],
      [0, 1],
      [0, 2],
      [0, 3],
    ])
    expect(requests.slice(4)).toEqual(timesOf(events, 'leave').slice(0, 36))
  })

  test('with fewer entries than nodes as many nodes are drawn, each equally likely', () => {
    const drawn = Array.from({ length: 300 }, (_, seed) =>
      askers({ algorithm: coordinator, nodes: 5, load: 'heavy', entries: 2, seed }),
    )
    expect(drawn.every(([a, b, ...more]) => a < b && more.length === 0)).toBe(true)
    expect(chiSquare(drawn.flat(), [1, 1, 1, 1, 1])).toBeLessThan(18.47)
  })

  test('a node that runs again asks again', () => {
    const { events } = play({
      algorithm: permits,
      nodes: 3,
      load: 'heavy',
      entries: 30,
      faults: ['crash:2@10', 'restart:2@12'],
    })
    const late = only(events, 'request').filter((event) => event.node === 2 && unitsOf(event) >= 12)
    expect(late.length).toBeGreaterThan(1)
  })
})

describe('poisson', () => {
  test('arrivals are exponentially far apart, with the given rate', () => {
    // A stay of one tick: no arrival finds its node busy, so it asks when it arrives.
    const run = {
      algorithm: gambler,
      nodes: 1,
      load: 'poisson:0.5',
      entries: 5000,
      inside: 'constant:0.000001',
    }
    const between = gaps([0, ...timesOf(play(run).events, 'request').map(([time]) => time)])
    // Four standard errors.
    expect(Math.abs(mean(between) - 2)).toBeLessThan((4 * 2) / Math.sqrt(5000))
    const longer = between.filter((gap) => gap > 4).length / 5000
    expect(Math.abs(longer - Math.exp(-2))).toBeLessThan(4 * Math.sqrt(0.117 / 5000))
  })

  test('each at a node drawn uniformly', () => {
    const nodes = askers({ algorithm: coordinator, nodes: 4, load: 'poisson:0.05', entries: 2000 })
    // The 99.9 % quantile with 3 degrees of freedom.
    expect(chiSquare(nodes, [1, 1, 1, 1])).toBeLessThan(16.27)
  })

  test('they do not wait for each other: those that find their node busy queue there, and their wait counts', () => {
    const { events, report } = play({
      algorithm: gambler,
      nodes: 1,
      load: 'poisson:2',
      entries: 100,
      inside: 'constant:5',
    })
    // Two arrive per unit of time and one is served every five: the line grows, and nobody idles.
    expect(timesOf(events, 'request').slice(1)).toEqual(timesOf(events, 'leave').slice(0, -1))
    expect(report.responseTime?.max).toBeGreaterThan(400)
    expect(report.responseTime?.max).toBeLessThan(500)
    expect(report.unserved).toBe(0)
  })
})

describe('closed', () => {
  test('each node thinks, asks, and thinks again when it has left', () => {
    const { events } = play({ algorithm: permits, nodes: 3, load: 'closed:constant:3', entries: 30 })
    for (const node of [0, 1, 2]) {
      const own = (kind: 'request' | 'leave') =>
        timesOf(events, kind)
          .filter(([, who]) => who === node)
          .map(([time]) => time)
      const requests = own('request')
      expect(requests).toEqual([3, ...own('leave').map((time) => time + 3)].slice(0, requests.length))
    }
  })

  test('thinking has the law that was given', () => {
    const { events } = play({ algorithm: gambler, nodes: 1, load: 'closed:4', entries: 3000 })
    const leaves = [0, ...timesOf(events, 'leave').map(([time]) => time)]
    const thoughts = timesOf(events, 'request').map(([time], index) => time - leaves[index])
    expect(Math.abs(mean(thoughts) - 4)).toBeLessThan((4 * 4) / Math.sqrt(3000))
  })

  test.each([
    ['waits', ['crash:1@10', 'restart:1@11']],
    ['is inside', ['crash:1@5.5', 'restart:1@7']],
    ['thinks', ['crash:1@7', 'restart:1@8']],
    ['thinks, with amnesia', ['crash:1@7', 'restart:1@8,amnesia']],
  ])('a node has one caller, also after a crash while it %s', (_what, faults) => {
    const run = {
      algorithm: permits,
      nodes: 3,
      load: 'closed:constant:3',
      entries: 60,
      world: { entries: 3 },
    }
    const { events, simulation } = play({ ...run, faults })
    expect(simulation.firedFaults.size).toBe(2)
    const restart = events.findIndex(({ is }) => is === 'restart')
    const requests = timesOf(events.slice(restart), 'request').filter(([, node]) => node === 1)
    expect(requests.length).toBeGreaterThan(10)
    // Thinking 3 and staying 1 is the least between two requests of one caller.
    expect(Math.min(...gaps(requests.map(([time]) => time)))).toBeGreaterThanOrEqual(4)
  })
})

describe('hot', () => {
  test('nodes are drawn by weight, one request at a time', () => {
    const nodes = askers({ algorithm: coordinator, nodes: 4, load: 'hot:10,5,1', entries: 3000 })
    expect(chiSquare(nodes, [10, 5, 1, 1])).toBeLessThan(16.27)
  })

  test('a weight of 0 is never drawn', () => {
    expect(new Set(askers({ algorithm: coordinator, nodes: 4, load: 'hot:0,1,0,1', entries: 200 }))).toEqual(
      new Set([1, 3]),
    )
  })
})

describe('script', () => {
  test('asks and withdraws when it says so, in the order of its lines', () => {
    const { events } = play({
      algorithm: permits,
      nodes: 4,
      load: ['0.25 request 3', '0.25 request 1', '0.5 request 2', '1 withdraw 2'],
    })
    expect(
      only(events, 'request', 'withdraw').map((event) => [unitsOf(event), event.is, event.node]),
    ).toEqual([
      [0.25, 'request', 3],
      [0.25, 'request', 1],
      [0.5, 'request', 2],
      [1, 'withdraw', 2],
    ])
  })

  test('requests beyond the wanted number are not made', () => {
    const load = ['0 request 1', '5 request 2', '10 request 1']
    expect(askers({ algorithm: permits, nodes: 3, load, entries: 2 })).toEqual([1, 2])
  })

  test('a request at a crashed node is not made, one at a busy node queues', () => {
    const { events, report, simulation } = play({
      algorithm: permits,
      nodes: 3,
      load: ['0 request 1', '0.5 request 1', '1 request 2'],
      faults: ['crash:2@0'],
    })
    expect(timesOf(events, 'request')).toEqual([
      [0, 1],
      [3, 1],
    ])
    expect(simulation.issued).toBe(2)
    expect(report.entries).toBe(2)
  })
})

describe('how long a run is', () => {
  const LOADS = ['light', 'heavy', 'poisson:0.3', 'closed:2', 'hot:3,1']

  test.each(LOADS)('%s issues exactly as many requests as wanted', (load) => {
    for (const entries of [1, 3, 17]) {
      const { simulation, events, report } = play({ algorithm: coordinator, nodes: 5, load, entries })
      expect(simulation.issued).toBe(entries)
      expect(only(events, 'request')).toHaveLength(entries)
      expect(report).toMatchObject({ entries, unserved: 0 })
    }
  })

  test.each(LOADS)(
    '%s goes on until the network is silent: what is sent after the last exit counts',
    (load) => {
      const { events, report } = play({
        algorithm: lamport,
        nodes: 4,
        load,
        entries: 7,
        latency: 'exponential:1',
      })
      expect(report.messages.total).toBe(7 * 9)
      expect(only(events, 'receive')).toHaveLength(7 * 9)
      const lastLeave = events.findLastIndex(({ is }) => is === 'leave')
      const after = events.slice(lastLeave)
      expect(only(after, 'send').length).toBeGreaterThanOrEqual(3)
      expect(events.at(-1)?.is).toBe('receive')
    },
  )

  test.each(LOADS)('%s ends with the last exit where the network never falls silent', (load) => {
    const { events, report } = play({ algorithm: carousel, nodes: 4, load, entries: 9 })
    expect(report).toMatchObject({ entries: 9, unserved: 0, violations: [] })
    expect(events.at(-1)?.is).toBe('leave')
  })

  test.each([1, 7, 1000])('the same run in slices of %i events', (slice) => {
    const run = { algorithm: lamport, nodes: 4, load: 'heavy', entries: 20 }
    const events: TraceEvent[] = []
    const simulation = new Simulation({ ...configOf(run), record: (event) => events.push(event) })
    while (!simulation.step(slice)) expect(simulation.isOver).toBe(false)
    expect(simulation.isOver).toBe(true)
    expect(events).toEqual(play(run).events)
  })
})

describe('warm-up', () => {
  /** Sends from the first request or entry on that comes after so many exits. */
  function sendsAfterExits(events: readonly TraceEvent[], exits: number): number {
    const last = events.findIndex(
      (event, index) => event.is === 'leave' && only(events.slice(0, index + 1), 'leave').length === exits,
    )
    const from = events.findIndex(({ is }, index) => index > last && (is === 'request' || is === 'enter'))
    return only(events.slice(from), 'send').length
  }

  test.each([
    ['light', 1],
    ['light', 8],
    ['heavy', 1],
    ['heavy', 8],
  ])('%s: the first %i entries and their messages are not counted', (load, warmup) => {
    const run = { algorithm: coordinator, nodes: 4, load, entries: 24, warmup, latency: 'uniform:1,2' }
    const { events, report } = play(run)
    expect(only(events, 'enter')).toHaveLength(24)
    expect(report.entries).toBe(24 - warmup)
    expect(report.messages.total).toBe(sendsAfterExits(events, warmup))
    expect(report.messages.total).toBeLessThan(play({ ...run, warmup: 0 }).report.messages.total)
    expect(report.messages.perEntry).toBe(report.messages.total / report.entries)
  })

  test('response times of the warm-up are not counted', () => {
    // Node 1 waits 2 units; node 2, which asks while node 1 is inside, 9.
    const run = {
      algorithm: permits,
      nodes: 3,
      load: ['0 request 1', '2 request 2'],
      inside: 'constant:9',
      world: { entries: 1 },
    }
    expect(play(run).report.responseTime).toMatchObject({ max: 11, p50: 2 })
    const { report } = play({ ...run, warmup: 1 })
    expect(report.responseTime).toMatchObject({ max: 11, p50: 11 })
    // Nobody asks after the first exit, so the next entry is where counting begins: one exit is left to count.
    expect(report.messages.byType).toEqual({ back: 1 })
  })

  test('an exit by a crash ends the warm-up too', () => {
    const { events, report } = play({
      algorithm: permits,
      nodes: 3,
      load: ['0 request 1', '9 request 2'],
      world: { entries: 2 },
      inside: 'constant:5',
      warmup: 1,
      faults: ['crash:1@4'],
    })
    expect(timesOf(events, 'enter')).toEqual([
      [2, 1],
      [11, 2],
    ])
    expect(report).toMatchObject({ entries: 1, messages: { total: 3, perEntry: 3 } })
  })

  test('one who is inside when the world begins is no part of it', () => {
    const { report } = play({
      algorithm: permits,
      nodes: 3,
      load: ['0 request 1', '20 request 2', '40 request 1'],
      world: { entries: 1, inside: [2] },
      warmup: 1,
    })
    expect(report).toMatchObject({ entries: 2, messages: { total: 6 } })
  })
})
