import { algorithmNamed } from '@turnwise/algorithms/catalogue'
import { quorumsFromLists } from '@turnwise/core/quorum/quorum-from-text'
import { describe, expect, test } from 'vitest'
import { brokenAssumptions } from '../src/broken-assumptions.ts'
import { predictionFor } from '../src/report.ts'
import { configOf, only, play, type Run } from './harness.ts'
import { permits } from './toy-desk.ts'

const raymond = algorithmNamed('raymond')
const lamport = algorithmNamed('lamport')
const maekawa = algorithmNamed('maekawa')

describe('the report of a run', () => {
  const { report, events } = play({
    algorithm: permits,
    nodes: 3,
    load: ['0 request 1', '0.5 request 2', '20 request 1'],
    faults: ['crash:0@500'],
    world: { entries: 1 },
    seed: 3,
  })

  test('names what ran', () => {
    expect(report).toMatchObject({
      algorithm: 'permits',
      nodes: 3,
      seed: 3,
      load: 'script:test',
      topology: 'complete',
      quorum: null,
      structure: null,
      channels: 'unordered',
      latency: 'constant:1',
      gaveUp: false,
    })
  })

  // shows velazquez-1993 2.1 The model, performance
  test('counts entries and messages, by type in order of their names', () => {
    expect(report.entries).toBe(3)
    expect(report.messages).toEqual({
      total: 9,
      perEntry: 3,
      byType: { ask: 3, back: 3, permit: 3 },
      mostInFlight: 2,
    })
    expect(Object.keys(report.messages.byType)).toEqual(['ask', 'back', 'permit'])
  })

  test('gives times in units', () => {
    // Waits of 2, 4.5 and 2; node 2 was let in 2 after node 1 had left.
    expect(report.responseTime).toEqual({ mean: 8.5 / 3, p50: 2, p99: 4.5, max: 4.5 })
    expect(report.syncDelay).toEqual({ mean: 2, max: 2 })
  })

  test('says how entries were shared out', () => {
    expect(report.fairness).toEqual({ jain: 9 / (3 * 5), maxBypass: 0 })
  })

  test('counts the calls of handlers', () => {
    expect(report.events).toBe(only(events, 'request', 'leave', 'receive').length)
  })

  test('says which faults did not happen', () => {
    expect(report.faults).toEqual({ requested: 1, fired: 0, neverFired: ['crash:0@500'] })
  })

  test('a run in which nobody entered has no means', () => {
    const empty = play({ algorithm: permits, nodes: 2, load: ['0 request 1'], faults: ['drop:1'] }).report
    expect(empty).toMatchObject({ entries: 0, responseTime: null, syncDelay: null })
    expect(empty.messages.perEntry).toBeNull()
    expect(empty.fairness.jain).toBeNull()
    expect(empty.violations).toEqual([
      { judge: 'progress', at: 0, nodes: [1], text: 'node 1 asked at time 0 and was never let in' },
    ])
  })
})

describe('the prediction for a run', () => {
  const predicted = (run: Partial<Run>) => predictionFor(configOf({ algorithm: raymond, nodes: 7, ...run }))
  const light = { min: 0, max: 8, mean: 192 / 49 }
  const heavy = { min: 0, max: 8, mean: 24 / 7 }

  test('is that of its load', () => {
    expect(predicted({ load: 'light' })).toEqual(light)
    expect(predicted({ load: 'heavy' })).toEqual(heavy)
  })

  test('has no mean under heavy load where delays vary, unless every run costs the same', () => {
    expect(predicted({ load: 'heavy', latency: 'uniform:1,2' })).toEqual({ ...heavy, mean: null })
    expect(predicted({ load: 'heavy', latency: { links: { '0-1': 'exponential:1' } } }).mean).toBeNull()
    expect(predicted({ algorithm: lamport, load: 'heavy', latency: 'uniform:1,2' }).mean).toBe(18)
  })

  test.each(['poisson:1', 'closed:1', 'hot:5,1'])('of %s lies between light and heavy', (load) => {
    const quorum = 'projective'
    expect(predicted({ algorithm: maekawa, load, quorum })).toEqual({ min: 6, max: 14, mean: null })
    expect(predicted({ algorithm: lamport, load })).toEqual({ min: 18, max: 18, mean: 18 })
  })
})

describe('assumptions that a run breaks', () => {
  const broken = (run: Omit<Run, 'nodes'>) => brokenAssumptions(configOf({ nodes: 4, ...run }))

  test('none', () => {
    expect(broken({ algorithm: lamport })).toEqual([])
    expect(broken({ algorithm: lamport, faults: ['spike:0.1,2', 'pause:0@1-2'] })).toEqual([])
    expect(broken({ algorithm: raymond, channels: 'fifo' })).toEqual([])
    expect(broken({ algorithm: raymond, channels: 'unordered' })).toEqual([])
  })

  test('channels, each kind of fault once, bounds on delay, quorums that do not meet', () => {
    expect(broken({ algorithm: lamport, channels: 'unordered' })).toEqual(['channels do not keep order'])
    expect(
      broken({ algorithm: lamport, faults: ['drop:0.1', 'crash:0@1', 'drop:0.2', 'pause:0@1-2'] }),
    ).toEqual(['it does not claim to survive drop, crash'])
    const hurried = { ...lamport, facts: { ...lamport.facts, timing: 'bounded' as const } }
    expect(broken({ algorithm: hurried, latency: 'uniform:1,2' })).toEqual([])
    expect(broken({ algorithm: hurried, latency: 'exponential:1' })).toEqual(['delays have no bound'])
    expect(broken({ algorithm: hurried, latency: { links: { '0>1': 'exponential:1' } } })).toEqual([
      'delays have no bound',
    ])
    const config = configOf({ algorithm: maekawa, nodes: 4 })
    const quorums = quorumsFromLists([
      [0, 1],
      [0, 1],
      [2, 3],
      [2, 3],
    ])
    expect(brokenAssumptions({ ...config, setup: { ...config.setup, quorums } })).toEqual([
      'the quorums of nodes 0 and 2 do not meet',
    ])
  })
})
