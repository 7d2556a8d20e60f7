import type { AnyAlgorithm } from '@turnwise/core/algorithm'
import { describe, expect, test } from 'vitest'
import { LATENCIES, playWell, statesOf, without } from './contract-play.ts'
import { choir, napper, pager, twoStep, watcher } from './contract-toys.ts'
import { only, play, receipts, timesOf, unitsOf } from './harness.ts'
import { permits } from './toy-desk.ts'

describe('a broadcast medium', () => {
  test('a broadcast is one message, however many hear it', () => {
    for (const nodes of [2, 5, 30]) {
      const { report } = playWell({ algorithm: pager, nodes, load: ['0 request 1'] })
      expect(report.messages.byType).toEqual({ ask: 1, back: 1, permit: 1 })
      expect(report.messages.mostInFlight).toBe(nodes - 1)
    }
  })

  test('the sender does not hear itself, all others do', () => {
    const { events, ...played } = playWell({ algorithm: pager, nodes: 4, load: ['0 request 2'] })
    expect(only(events, 'send').map(({ to }) => to)).toEqual([null, 2, null])
    expect(receipts(events).filter(([, , type]) => type === 'ask')).toEqual([
      [1, 0, 'ask'],
      [1, 1, 'ask'],
      [1, 3, 'ask'],
    ])
    expect(statesOf<{ heard: number[] }>({ ...played, events }).map(({ heard }) => heard)).toEqual([
      [2],
      [2],
      [],
      [2],
    ])
  })

  test.each(LATENCIES)('under load, with %s', (latency) => {
    playWell({ algorithm: pager, nodes: 5, load: 'heavy', latency, entries: 60 })
  })
})

describe('an ordered broadcast medium', () => {
  test('the sender hears itself', () => {
    const { report, events } = playWell({ algorithm: choir, nodes: 3, load: ['0 request 1'] })
    expect(report.messages.total).toBe(2)
    expect(receipts(events).filter(([, , type]) => type === 'want')).toEqual([
      [1, 0, 'want'],
      [1, 1, 'want'],
      [1, 2, 'want'],
    ])
  })

  test.each(LATENCIES)('everyone hears all broadcasts in one order, with %s', (latency) => {
    for (const seed of [1, 2, 3]) {
      const played = playWell({ algorithm: choir, nodes: 6, load: 'heavy', latency, entries: 50, seed })
      const [first, ...others] = statesOf<{ heard: string[] }>(played).map(({ heard }) => heard)
      expect(first).toHaveLength(100)
      for (const heard of others) expect(heard).toEqual(first)
    }
  })

  test('on an unordered medium the same algorithm fails: the order is the promise', () => {
    const deaf: AnyAlgorithm = { ...choir, facts: { ...choir.facts, medium: 'broadcast' } }
    const { report } = play({ algorithm: deaf, nodes: 3, load: 'heavy', entries: 6 })
    expect(report.violations.length).toBeGreaterThan(0)
  })
})

describe('timers', () => {
  test('one that is set anew rings once, at its new time; a cancelled one not at all', () => {
    const { events } = playWell({ algorithm: napper, nodes: 1, load: ['0 request 0'] })
    expect(only(events, 'timeout')).toEqual([{ at: 2_000_000, is: 'timeout', node: 0, timer: 'nap' }])
    expect(timesOf(events, 'enter')).toEqual([[2, 0]])
  })

  test('a cancelled one does not keep the network from being silent', () => {
    const { events } = playWell({ algorithm: napper, nodes: 1, entries: 4, load: 'light' })
    expect(timesOf(events, 'request').map(([time]) => time)).toEqual([0, 3, 6, 9])
    expect(unitsOf(events.at(-1))).toBe(12)
  })

  test('one that still runs does', () => {
    const { events } = playWell({
      algorithm: napper,
      nodes: 1,
      entries: 2,
      load: 'light',
      set: ['forget=true'],
    })
    expect(timesOf(events, 'request').map(([time]) => time)).toEqual([0, 1000])
    expect(unitsOf(events.at(-1))).toBe(2000)
  })

  test('a timer of one node is not that of another', () => {
    const { events } = play({ algorithm: napper, nodes: 2, load: ['0 request 0', '1 request 1'] })
    expect(timesOf(events, 'timeout')).toEqual([
      [2, 0],
      [3, 1],
    ])
  })

  test('a crash stops them, and a restart does not bring them back', () => {
    const faults = ['crash:0@1', 'restart:0@1.5']
    const { events } = play({ algorithm: napper, nodes: 1, load: ['0 request 0', '50 request 0'], faults })
    expect(only(events, 'restart')).toHaveLength(1)
    // What the first caller waited for never came: the second is behind it.
    expect(only(events, 'timeout')).toEqual([])
  })
})

describe('steps', () => {
  test('a release in two steps: the second is an event of its own, at the same time', () => {
    const { events } = playWell({ algorithm: twoStep, nodes: 3, load: ['0 request 1'] })
    const told = events.slice(events.findIndex(({ is }) => is === 'leave'))
    expect(told.map(({ is, at }) => [is, at])).toEqual([
      ['leave', 3_000_000],
      ['proceed', 3_000_000],
      ['send', 3_000_000],
      ['receive', 4_000_000],
    ])
  })

  test.each(LATENCIES)('under load, with %s', (latency) => {
    const played = playWell({ algorithm: twoStep, nodes: 4, load: 'heavy', latency, entries: 40 })
    expect(only(played.events, 'proceed')).toHaveLength(40)
  })

  test('a step is void when the node stops before it, also after a restart', () => {
    const { events, report, simulation } = play({
      algorithm: twoStep,
      nodes: 2,
      load: ['0 request 1', '9 request 0'],
      set: ['slip=true'],
      faults: ['restart:1@5'],
    })
    expect(report.violations.map(({ judge, text }) => [judge, text])).toContainEqual([
      'rules',
      'node 1 stops: slipped between two steps',
    ])
    expect(simulation.firedFaults.size).toBe(1)
    expect(timesOf(events, 'leave')).toContainEqual([3, 1])
    expect(only(events, 'proceed')).toEqual([])
  })
})

describe('failure detection', () => {
  test('the living suspect a crashed node five units of time later, and trust it again after its restart', () => {
    const faults = ['crash:1@3', 'restart:1@20']
    const { events, ...played } = play({
      algorithm: watcher,
      nodes: 4,
      load: ['0 request 2', '30 request 2'],
      faults,
    })
    expect(
      only(events, 'suspect', 'restore').map((event) => [unitsOf(event), event.is, event.node, event.peer]),
    ).toEqual([
      [8, 'suspect', 0, 1],
      [8, 'suspect', 2, 1],
      [8, 'suspect', 3, 1],
      [25, 'restore', 0, 1],
      [25, 'restore', 2, 1],
      [25, 'restore', 3, 1],
    ])
    const states = statesOf<{ suspected: number[] }>({ events, ...played })
    expect(states.map(({ suspected }) => suspected)).toEqual([[], [], [], []])
  })

  test('an algorithm hears what it has a handler for', () => {
    const faults = ['crash:1@3', 'restart:1@20']
    const heardBy = (algorithm: AnyAlgorithm) =>
      only(
        play({ algorithm, nodes: 2, load: ['0 request 0', '30 request 0'], faults }).events,
        'suspect',
        'restore',
      ).map(({ is }) => is)
    expect(heardBy(watcher)).toEqual(['suspect', 'restore'])
    expect(heardBy(without('suspect', watcher))).toEqual(['restore'])
    expect(heardBy(without('restore', watcher))).toEqual(['suspect'])
  })

  test('a node that is down when the news comes is not told', () => {
    const { events } = play({
      algorithm: watcher,
      nodes: 3,
      load: ['0 request 2', '20 request 2'],
      faults: ['crash:0@3', 'crash:1@4'],
    })
    expect(only(events, 'suspect').map(({ node, peer }) => [node, peer])).toEqual([
      [2, 0],
      [2, 1],
    ])
  })
})

describe('messages that cannot be handed over', () => {
  const asks = (faults: readonly string[]) =>
    play({ algorithm: watcher, nodes: 3, load: ['1 request 0'], faults })

  test.each([
    ['a crashed receiver', 'crash:1@0', 'crash', 2],
    ['a receiver that crashes before it arrives', 'crash:1@1.5', 'crash', 2],
    ['a cut at the moment of sending', 'cut:0>1@0-1.5', 'cut', 1],
    ['a cut at the moment of arrival', 'cut:0>1@1.5-9', 'cut', 2],
  ])('%s: the sender is told', (_what, fault, why, at) => {
    const { events, report, simulation } = asks([fault])
    expect(only(events, 'lose')).toEqual([{ at: at * 1e6, is: 'lose', id: 1, node: 1, why }])
    expect(only(events, 'undelivered')).toEqual([{ at: at * 1e6, is: 'undelivered', id: 1, node: 0 }])
    expect(simulation.stateOf(0)).toMatchObject({ returned: [1], serial: 1 })
    expect(report.violations).toEqual([])
  })

  test('a dropped message is lost in silence', () => {
    const { events, report } = asks(['drop:1'])
    expect(only(events, 'lose').map(({ why }) => why)).toEqual(['drop'])
    expect(only(events, 'undelivered')).toEqual([])
    expect(report.violations.map(({ judge }) => judge)).toEqual(['progress'])
    expect(report.unserved).toBe(1)
  })

  test('a sender that has crashed meanwhile is not told', () => {
    const { events } = asks(['crash:1@0', 'crash:0@1.5'])
    expect(only(events, 'lose').map(({ why }) => why)).toEqual(['crash'])
    expect(only(events, 'undelivered')).toEqual([])
  })

  test('an algorithm that does not listen for it is not told', () => {
    const { events } = play({ algorithm: permits, nodes: 2, load: ['0 request 1'], faults: ['crash:0@0'] })
    expect(only(events, 'lose')).toHaveLength(1)
    expect(only(events, 'undelivered')).toEqual([])
  })
})

describe('restarts', () => {
  test('with memory the state is what it was, and the algorithm is told', () => {
    const { simulation } = play({
      algorithm: watcher,
      nodes: 2,
      load: ['0 request 0'],
      faults: ['crash:0@5', 'restart:0@6'],
      entries: 2,
    })
    expect(simulation.stateOf(0)).toMatchObject({ serial: 1, restarts: ['memory'] })
  })

  test('without it the state is fresh from init, and the algorithm is told', () => {
    const { simulation } = play({
      algorithm: watcher,
      nodes: 2,
      load: ['0 request 0'],
      faults: ['crash:0@5', 'restart:0@6,amnesia'],
      entries: 2,
    })
    expect(simulation.stateOf(0)).toMatchObject({ serial: 0, restarts: ['amnesia'] })
  })
})
