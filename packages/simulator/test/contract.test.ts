import { catalogue } from '@turnwise/algorithms/catalogue'
import { type AnyAlgorithm, impossible } from '@turnwise/core/algorithm'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { describe, expect, test } from 'vitest'
import { reportOf } from '../src/report.ts'
import { Simulation } from '../src/simulation.ts'
import {
  carousel,
  choir,
  fickle,
  gambler,
  library,
  napper,
  pager,
  permits,
  relay,
  slipping,
  twoStep,
  watcher,
} from './contract-toys.ts'
import { complaintsAbout } from './dumb-judge.ts'
import { configOf, only, type Played, play, type Run, receipts, timesOf, unitsOf } from './harness.ts'

/** Plays a run that must be right in every way. */
function playWell(run: Run): Played {
  const played = play(run)
  expect(played.report.violations).toEqual([])
  expect(played.report.unserved).toBe(0)
  expect(complaintsAbout(played)).toEqual([])
  return played
}

function statesOf<State>({ simulation }: Played): State[] {
  const { nodes } = simulation.config.setup
  return Array.from({ length: nodes }, (_, node) => simulation.stateOf(node) as State)
}

function without(handler: 'suspect' | 'restore', algorithm: AnyAlgorithm): AnyAlgorithm {
  const copy = { ...algorithm }
  delete copy[handler]
  return copy
}

const LATENCIES = ['constant:1', 'uniform:0,3', 'exponential:1']

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

  test('a crash stops them', () => {
    const run = { algorithm: napper, nodes: 1, load: ['0 request 0'], faults: ['crash:0@1', 'restart:0@1.5'] }
    expect(only(play(run).events, 'timeout')).toEqual([])
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

describe('chance and options', () => {
  const throws = (seed: number, ...set: string[]) => {
    const played = play({ algorithm: gambler, nodes: 1, load: 'light', entries: 100, seed, set })
    return statesOf<{ drawn: number[] }>(played)[0].drawn
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
    expect(() => throws(1, 'colour=red')).toThrow('"colour" is not an option of this algorithm')
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

describe('an algorithm that never falls silent', () => {
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
      ['progress', 'node 1 asked at 0 and was never let in'],
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
  test('init is called once per node before any event, with the same setup for all', () => {
    const calls: string[] = []
    const setups = new Set<object>()
    const curious: AnyAlgorithm = {
      ...permits,
      init(self, setup) {
        calls.push(`init ${self}`)
        setups.add(setup)
        return permits.init(self, setup)
      },
      request(state, here, ask) {
        calls.push(`request ${here.self}`)
        setups.add(here.setup)
        permits.request(state as ReturnType<typeof permits.init>, here, ask)
      },
    }
    play({ algorithm: curious, nodes: 3, load: ['0 request 2'] })
    expect(calls).toEqual(['init 0', 'init 1', 'init 2', 'request 2'])
    expect(setups.size).toBe(1)
  })

  test('release is an event of its own, however short the stay', () => {
    const { events } = playWell({ algorithm: gambler, nodes: 1, entries: 3, inside: 'uniform:0,0.000001' })
    for (const [index, leave] of only(events, 'leave').entries()) {
      expect(leave.at).toBeGreaterThan(only(events, 'enter')[index].at)
    }
  })

  test('sendToOthers is one message to each other node, in the order of their numbers', () => {
    const chatty = slipping((here) => here.sendToOthers({ type: 'back' }))
    const { events, report } = play({ algorithm: chatty, nodes: 5, load: ['0 request 2'] })
    expect(only(events, 'send').map(({ to }) => to)).toEqual([0, 1, 3, 4])
    expect(report.messages.total).toBe(4)
  })
})
