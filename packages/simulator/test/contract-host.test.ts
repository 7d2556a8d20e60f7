import { type AnyAlgorithm, impossible } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { describe, expect, test } from 'vitest'
import { reportOf } from '../src/report.ts'
import { Simulation } from '../src/simulation.ts'
import { Stage } from '../src/stage.ts'
import { carousel, relay } from './caller-toys.ts'
import { LATENCIES, playWell } from './contract-play.ts'
import { gambler } from './contract-toys.ts'
import { configOf, only, play, timesOf } from './harness.ts'
import { permits, slipping } from './toy-desk.ts'

describe('an algorithm that never falls silent', () => {
  test('begins by itself, before anyone asks', () => {
    const { events } = playWell({ algorithm: carousel, nodes: 3, load: ['4.5 request 0'] })
    expect(timesOf(events, 'timeout').slice(0, 3)).toEqual([
      [1, 0],
      [3, 1],
      [5, 2],
    ])
    expect(timesOf(events, 'enter')).toEqual([[7, 0]])
  })

  test('heavy load: the run ends when all are served', () => {
    for (const latency of LATENCIES) {
      const { report, events } = playWell({
        algorithm: carousel,
        nodes: 5,
        load: 'heavy',
        entries: 50,
        latency,
      })
      expect(report).toMatchObject({ entries: 50, gaveUp: false })
      expect(events.at(-1)?.is).toBe('leave')
    }
  })

  test('light load: the next asks ten units of time after the last has left', () => {
    const { events } = playWell({ algorithm: carousel, nodes: 5, load: 'light', entries: 20 })
    const leaves = timesOf(events, 'leave').map(([time]) => time)
    expect(
      timesOf(events, 'request')
        .map(([time]) => time)
        .slice(1),
    ).toEqual(leaves.slice(0, -1).map((time) => time + 10))
  })

  test('light load in a world that begins with someone inside has one request outstanding all the same', () => {
    const { events } = playWell({
      algorithm: carousel,
      nodes: 5,
      load: 'light',
      entries: 20,
      world: { inside: [3] },
      inside: 'constant:7',
    })
    let outstanding = 0
    for (const event of only(events, 'request', 'leave')) {
      outstanding += event.is === 'request' ? 1 : event.at === 7_000_000 ? 0 : -1
      expect(outstanding).toBeLessThanOrEqual(1)
    }
    expect(only(events, 'request')).toHaveLength(20)
  })

  test('one that has nothing to do for long is not given up', () => {
    const load = ['0 request 0', '3000 request 1']
    const { report } = playWell({ algorithm: carousel, nodes: 2, load })
    expect(report.events).toBeGreaterThan(3000)
    expect(report).toMatchObject({ entries: 2, gaveUp: false })
  })

  test('one that serves nobody is given up', () => {
    const deaf: AnyAlgorithm = { ...carousel, timeout: (_state, here) => here.setTimer('hop', 1) }
    // Too many events to write down.
    const report = reportOf(
      new Simulation(configOf({ algorithm: deaf, nodes: 2, load: ['0 request 0'] })).runToEnd(),
    )
    expect(report.gaveUp).toBe(true)
    expect(report.violations.map(({ judge }) => judge)).toEqual(['progress'])
  })
})

describe('an algorithm that knows only its neighbours', () => {
  test.each(['grid', 'ring', 'line', 'random', 'tree:3'])('sends along the edges of %s alone', (topology) => {
    const { simulation, events } = playWell({
      algorithm: relay,
      nodes: 9,
      topology,
      load: 'heavy',
      latency: 'exponential:1',
      entries: 60,
      world: { home: 4 },
    })
    const graph = simulation.config.setup.topology
    const sent = only(events, 'send')
    expect(sent.length).toBeGreaterThan(60)
    expect(sent.filter(({ from, to }) => to === null || !graph.linked(from, to))).toEqual([])
  })
})

describe('a handler that breaks the rules', () => {
  test('meeting the impossible is a violation, and the node stops; it is no crash of the program', () => {
    const broken = slipping(() => impossible('two tokens'))
    const { report, events } = play({ algorithm: broken, nodes: 2, load: ['0 request 1', '5 request 0'] })
    expect(report.violations).toEqual([
      { judge: 'rules', at: 0, nodes: [1], text: 'node 1 stops: two tokens' },
      { judge: 'rules', at: 5, nodes: [0], text: 'node 0 stops: two tokens' },
    ])
    expect(only(events, 'violation', 'crash').map(({ is }) => is)).toEqual([
      'violation',
      'crash',
      'violation',
      'crash',
    ])
    expect(report.unserved).toBe(0)
  })

  test.each([
    ['to itself', 1, 'node 1 sends ask to node 1'],
    ['to a node beyond the last', 3, 'node 1 sends ask to node 3'],
    ['to a node below the first', -1, 'node 1 sends ask to node -1'],
    ['to half a node', 0.5, 'node 1 sends ask to node 0.5'],
    ['to no node', Number.NaN, 'node 1 sends ask to node NaN'],
  ])('a message %s is refused', (_where, to, text) => {
    const broken = slipping((here) => here.send(to, { type: 'ask' }))
    const { report, events } = play({ algorithm: broken, nodes: 3, load: ['0 request 1'] })
    expect(report.violations.map((violation) => violation.text)).toEqual([`node 1 stops: ${text}`])
    expect(only(events, 'send')).toEqual([])
    expect(report.messages.total).toBe(0)
  })

  test('to enter without having asked is a violation', () => {
    const pushy: AnyAlgorithm = {
      ...permits,
      receive: { ...permits.receive, ask: (_state, here) => here.enter(1) },
    }
    const { report, events } = play({ algorithm: pushy, nodes: 2, load: ['0 request 1'] })
    expect(report.violations.map(({ judge, text }) => [judge, text])).toEqual([
      ['progress', 'node 1 asked at time 0 and was never let in'],
      ['rules', 'node 0 enters without having asked'],
    ])
    expect(only(events, 'enter')).toEqual([])
  })

  test('any other error is a mistake of the program and stops it, unless messages may be corrupted', () => {
    const broken = slipping(() => {
      throw new TypeError('a typo')
    })
    const withFault = (fault: string) =>
      play({ algorithm: broken, nodes: 2, load: ['0 request 1'], faults: [fault] }).report.violations
    expect(() => withFault('drop:1e-9')).toThrow(new TypeError('a typo'))
    expect(withFault('corrupt:1e-9').map(({ judge, text }) => [judge, text])).toEqual([
      ['rules', 'node 1 stops: a typo'],
    ])
    expect(() => play({ algorithm: broken, nodes: 2, load: ['0 request 1'] })).toThrow(
      new TypeError('a typo'),
    )
  })

  test('a handler that changes a message it was given stops the program in these tests', () => {
    const greedy: AnyAlgorithm = {
      ...permits,
      receive: { ...permits.receive, ask: (_state, _here, ask) => Object.assign(ask, { type: 'back' }) },
    }
    expect(() => play({ algorithm: greedy, nodes: 2, load: ['0 request 1'] })).toThrow(TypeError)
  })
})

describe('what the host promises', () => {
  test('init is called once per node before any event, then start, with the same setup for all', () => {
    const calls: string[] = []
    const setups = new Set<object>()
    const curious: AnyAlgorithm = {
      ...permits,
      init(self, setup) {
        calls.push(`init ${self}`)
        setups.add(setup)
        return permits.init(self, setup)
      },
      start(_state, here) {
        calls.push(`start ${here.self}`)
        setups.add(here.setup)
      },
      request(state, here, ask) {
        calls.push(`request ${here.self}`)
        setups.add(here.setup)
        permits.request(state as ReturnType<typeof permits.init>, here, ask)
      },
    }
    play({ algorithm: curious, nodes: 3, load: ['0 request 2'] })
    const each = (event: string) => [0, 1, 2].map((node) => `${event} ${node}`)
    expect(calls).toEqual([...each('init'), ...each('start'), 'request 2'])
    expect(setups.size).toBe(1)
  })

  test('start is called once per node, after every init and before any event, and its timers run', () => {
    const calls: string[] = []
    const early: AnyAlgorithm = {
      ...permits,
      facts: { ...permits.facts, timers: { alarm: 'pace' } },
      init(self, setup) {
        calls.push(`init ${self}`)
        return permits.init(self, setup)
      },
      start(_state, here) {
        calls.push(`start ${here.self}`)
        here.setTimer('alarm', 2 + here.self)
      },
      timeout: (_state, here, timer) => void calls.push(`${timer} ${here.self}`),
    }
    const { events } = play({ algorithm: early, nodes: 2, load: ['0 request 0'] })
    expect(calls).toEqual(['init 0', 'init 1', 'start 0', 'start 1', 'alarm 0', 'alarm 1'])
    expect(timesOf(events, 'timeout')).toEqual([
      [2, 0],
      [3, 1],
    ])
    const stage = new Stage(early, configOf({ algorithm: early, nodes: 2 }).setup)
    stage.timeout(1, 'alarm')
    expect(calls.at(-1)).toBe('alarm 1')
    expect(() => stage.timeout(1, 'alarm')).toThrow(/no timer/)
  })

  test('without start, a node that does nothing has no state, and the first is asked at once whether the setup suits', () => {
    const made: number[] = []
    const lazy: AnyAlgorithm = {
      ...permits,
      init(self, setup) {
        made.push(self)
        return permits.init(self, setup)
      },
    }
    const { simulation } = play({ algorithm: lazy, nodes: 5, load: ['0 request 3'] })
    expect(made).toEqual([0, 3])
    expect(simulation.stateOf(4)).toEqual(permits.init(4, simulation.config.setup))
    expect(simulation.stateOf(4)).toBe(simulation.stateOf(4))
  })

  test('release is an event of its own, however short the stay', () => {
    const { events } = playWell({ algorithm: gambler, nodes: 1, entries: 3, inside: 'uniform:0,0.000001' })
    for (const [index, leave] of only(events, 'leave').entries()) {
      expect(leave.at).toBeGreaterThan(get(only(events, 'enter'), index).at)
    }
  })

  test('sendToOthers is one message to each other node, in the order of their numbers', () => {
    const chatty = slipping((here) => here.sendToOthers({ type: 'back' }))
    const { events, report } = play({ algorithm: chatty, nodes: 5, load: ['0 request 2'] })
    expect(only(events, 'send').map(({ to }) => to)).toEqual([0, 1, 3, 4])
    expect(report.messages.total).toBe(4)
  })
})
