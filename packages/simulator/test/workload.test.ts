import { algorithmNamed } from '@turnwise/algorithms/catalogue'
import { get } from '@turnwise/core/bounds'
import { describe, expect, test } from 'vitest'
import { carousel } from './caller-toys.ts'
import { gambler } from './contract-toys.ts'
import { only, play, type Run, timesOf, unitsOf } from './harness.ts'
import { permits } from './toy-desk.ts'

const lamport = algorithmNamed('lamport')
const coordinator = algorithmNamed('central-coordinator')

/** Permits whose desk, once it was asked, ticks for ever: never silent, whichever other nodes are down. */
const ticking: typeof permits = {
  ...permits,
  facts: { ...permits.facts, name: 'ticking', fallsSilent: false, timers: { tick: 'pace' } },
  receive: {
    ...permits.receive,
    ask(node, here, message, from) {
      here.setTimer('tick', 1)
      permits.receive.ask(node, here, message, from)
    },
  },
  timeout: (_node, here) => here.setTimer('tick', 1),
}

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
  return times.slice(1).map((time, index) => time - get(times, index))
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
        expect(event.at).toBe(index === 0 ? 0 : get(events, index - 1).at)
      })
    }
  })

  test('every node is drawn equally often', () => {
    const nodes = askers({ algorithm: coordinator, nodes: 5, load: 'light', entries: 3000 })
    // The 99.9 % quantile with 4 degrees of freedom.
    expect(chiSquare(nodes, [1, 1, 1, 1, 1])).toBeLessThan(18.47)
    // Also after each other: a node follows itself as often as it follows each of the others.
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

  test('one who was drawn and crashes before it asks is replaced, also where the network never falls silent', () => {
    // The first leaves at 3. The next is to ask at 13; nodes 1 and 2 have crashed by then.
    const run = { algorithm: ticking, nodes: 3, entries: 2 }
    const crashes = ['crash:1@5', 'crash:2@5']
    for (const seed of [1, 2, 3, 4]) {
      const { events } = play({ ...run, load: 'hot:1,1000,1000', seed, faults: crashes })
      expect(timesOf(events, 'leave')[0]?.[0]).toBe(3)
      expect(timesOf(events, 'request').at(-1)).toEqual([13, 0])
    }
    const { events, report } = play({ ...run, load: 'hot:0,1,1', faults: [...crashes, 'restart:1@40'] })
    expect(timesOf(events, 'request').at(-1)).toEqual([40, 1])
    expect(report).toMatchObject({ entries: 2, gaveUp: false })
  })

  test('one who crashes inside and is the only one who asks, asks again after it has given back', () => {
    for (const algorithm of [permits, ticking]) {
      const run = {
        algorithm,
        nodes: 2,
        load: 'hot:0,1',
        entries: 2,
        faults: ['crash:1@2.5', 'restart:1@20'],
      }
      const { events, report } = play(run)
      expect(timesOf(events, 'leave')[0]).toEqual([20, 1])
      expect(timesOf(events, 'request')[1]).toEqual([algorithm === ticking ? 30 : 21, 1])
      expect(report).toMatchObject({ entries: 2, unserved: 0, gaveUp: false })
    }
  })

  test('the last who may be drawn is found, however unlikely', () => {
    const { events } = play({
      algorithm: permits,
      nodes: 4,
      load: 'hot:1,1000000,1000000,0',
      entries: 30,
      faults: ['crash:1@20', 'crash:2@20'],
    })
    const late = timesOf(events, 'request').filter(([time]) => time > 20)
    expect(late.length).toBeGreaterThan(10)
    expect(new Set(late.map(([, node]) => node))).toEqual(new Set([0]))
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
    expect(drawn.every(([a = 0, b = 0, ...more]) => a < b && more.length === 0)).toBe(true)
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

  // shows ricart-agrawala-1981 2.2 Specification, several requests at a node
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

describe('poisson, when nobody is left', () => {
  test('arrivals go on with the first node that runs again', () => {
    const { events, simulation } = play({
      algorithm: permits,
      nodes: 2,
      load: 'poisson:1',
      entries: 20,
      faults: ['crash:0@5', 'crash:1@5', 'restart:0@100', 'restart:1@200'],
    })
    expect(simulation.issued).toBe(20)
    const late = timesOf(events, 'request').filter(([time]) => time > 5)
    expect(late[0]?.[0]).toBeGreaterThanOrEqual(100)
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
      expect(requests.length).toBeGreaterThan(3)
      expect(requests).toEqual([3, ...own('leave').map((time) => time + 3)].slice(0, requests.length))
    }
  })

  test('thinking has the law that was given', () => {
    const { events } = play({ algorithm: gambler, nodes: 1, load: 'closed:4', entries: 3000 })
    const leaves = [0, ...timesOf(events, 'leave').map(([time]) => time)]
    const thoughts = timesOf(events, 'request').map(([time], index) => time - get(leaves, index))
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
