import { algorithmNamed } from '@turnwise/algorithms/catalogue'
import type { TraceEvent } from '@turnwise/core/trace/trace'
import { describe, expect, test } from 'vitest'
import { Simulation } from '../src/simulation.ts'
import { carousel } from './caller-toys.ts'
import { configOf, only, play, type Run, timesOf, unitsOf } from './harness.ts'
import { permits } from './toy-desk.ts'

const lamport = algorithmNamed('lamport')
const coordinator = algorithmNamed('central-coordinator')

/** Who asked, in order. */
function askers(run: Run): number[] {
  return only(play(run).events, 'request').map(({ node }) => node)
}

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

  // shows velazquez-1993 2.1 The model, nodes and requests
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
      expect(events.findLast(({ is }) => is !== 'because')?.is).toBe('receive')
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
