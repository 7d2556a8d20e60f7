import { NO_TROUBLE } from '@turnwise/checker/instance'
import type { Algorithm, Here, NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { simulationConfig } from '@turnwise/simulator/configuration'
import { reportOf } from '@turnwise/simulator/report'
import { Simulation } from '@turnwise/simulator/simulation'
import { type Envelope, Stage } from '@turnwise/simulator/stage'
import { describe, expect, test } from 'vitest'
import { checkModel } from '../../../scripts/models.ts'
import { isDue } from '../../../test/extent.ts'
import { type Message, mishraSrimani, type Options, type State } from '../src/token/mishra-srimani.ts'
import { measured, SIZES } from './measured.ts'

/** What Velazquez (1993, section 4) says of Mishra and Srimani's first algorithm. */

const allButPrivilege = ({ message }: Envelope) => message.type !== 'privilege'
const ORDINARY = ['ack', 'privilege', 'request']

function stageOf(nodes: number, set: string[] = []): Stage {
  return new Stage(mishraSrimani, simulationConfig(mishraSrimani, { nodes, set }).setup)
}

function underWay(stage: Stage, type: string) {
  return stage.underWay.filter(({ message }) => message.type === type)
}

/** The initiator checks, waits in vain for the answer of the one that failed, and makes a new token. */
function recover(stage: Stage, initiator: NodeId): void {
  stage.timeout(initiator, 'T')
  stage.deliverAll()
  stage.timeout(initiator, 'answers')
  stage.deliverAll()
}

/** (n-1) checks, (n-2) answers, (n-1) announcements, (n-2) updates and (n-1) times the good news. */
function recoveryCost(nodes: number): number {
  return 3 * (nodes - 1) + 2 * (nodes - 2)
}

describe('without failures', () => {
  // shows claim bounded-numbers-cost
  test('it costs what Suzuki and Kasami with bounded numbers costs, run for run', () => {
    for (const nodes of [1, ...SIZES]) {
      for (const load of ['light', 'heavy', 'closed:2']) {
        const run = { nodes, load, entries: 6 * nodes, latency: 'uniform:0,3', seed: nodes }
        const { messages } = measured('mishra-srimani', run)
        expect(messages).toEqual(measured('suzuki-kasami-bounded', run).messages)
      }
    }
  })

  test('nobody checks, whatever the law of delays', () => {
    for (const latency of ['constant:10', 'uniform:0,20', 'exponential:10']) {
      for (const nodes of [2, 5, 16, 50]) {
        const { messages } = measured('mishra-srimani', { nodes, latency, load: 'heavy', entries: 300 })
        expect(Object.keys(messages.byType).toSorted()).toEqual(ORDINARY)
      }
    }
  })
})

describe('a token that was lost with a node is replaced', () => {
  // shows velazquez-1993 4 Mishra-Srimani
  test('at a cost of (n-1)+(n-2)+(n-1)+(n-2)+(n-1) messages when the holder crashes', () => {
    for (const nodes of SIZES) {
      const stage = stageOf(nodes)
      stage.crash(0)
      stage.request(1)
      stage.deliverAll()
      const before = stage.jury.cost.messages
      recover(stage, 1)
      expect(stage.statusOf(1)).toBe('inside')
      expect(stage.jury.cost.messages - before).toBe(recoveryCost(nodes))
      expect(stage.states[1]).toMatchObject({ epoch: 1, failed: 0, token: { epoch: 1 } })
    }
  })

  test('when the node to which it travels crashes; everyone who waits is in its queue', () => {
    for (const nodes of [3, 4, 6, 9]) {
      const stage = stageOf(nodes)
      for (let node = 1; node < nodes; node += 1) stage.request(node)
      stage.deliverAll(allButPrivilege)
      stage.crash(1)
      stage.deliverAll()
      recover(stage, nodes - 1)
      for (const next of [nodes - 1, ...Array.from({ length: nodes - 3 }, (_, i) => i + 2)]) {
        expect(stage.statusOf(next)).toBe('inside')
        stage.release(next)
        stage.deliverAll()
      }
      expect(stage.jury.violations).toEqual([])
    }
  })

  test('when a node that waits crashes and the token is sent to it all the same', () => {
    const stage = stageOf(4)
    stage.request(0)
    for (const node of [1, 2, 3]) stage.request(node)
    stage.deliverAll()
    stage.crash(1)
    stage.release(0)
    stage.deliverAll()
    recover(stage, 3)
    expect(stage.statusOf(3)).toBe('inside')
    stage.release(3)
    stage.deliverAll()
    expect(stage.statusOf(2)).toBe('inside')
    expect(stage.jury.violations).toEqual([])
  })

  // shows velazquez-1993 4 Mishra-Srimani
  test('once when two start at once: the lower number goes on', () => {
    for (const nodes of [3, 4, 5, 9]) {
      const stage = stageOf(nodes)
      stage.crash(0)
      for (const node of [1, 2]) stage.request(node)
      stage.deliverAll()
      for (const node of [2, 1]) stage.timeout(node, 'T')
      stage.deliverAll()
      stage.timeout(1, 'answers')
      stage.deliverAll()
      expect([1, 2].map((node) => stage.statusOf(node))).toEqual(['inside', 'waiting'])
      expect(stage.jury.cost.sentByType.get('create-privilege')).toBe(nodes - 1)
      stage.release(1)
      stage.deliverAll()
      expect(stage.statusOf(2)).toBe('inside')
    }
  })

  test('when the initiator itself is the one that fails', () => {
    const stage = stageOf(3)
    for (const node of [1, 2]) stage.request(node)
    stage.deliverAll(allButPrivilege)
    stage.timeout(1, 'T')
    for (const envelope of underWay(stage, 'privilege-check')) stage.deliver(envelope)
    stage.crash(1)
    stage.deliverAll()
    stage.timeout(2, 'initiator')
    recover(stage, 2)
    expect(stage.statusOf(2)).toBe('inside')
  })

  test('and its fences are above those of a holder that went in and out alone before it failed', () => {
    const stage = stageOf(3)
    for (let entry = 0; entry < 5; entry += 1) {
      stage.request(0)
      stage.release(0)
    }
    stage.crash(0)
    stage.request(1)
    recover(stage, 1)
    expect(stage.statusOf(1)).toBe('inside')
    expect(stage.jury.violations).toEqual([])
  })
})

describe('a token that was not lost', () => {
  test('is left alone when its holder says so: n-1 checks, n-1 answers and n-1 times the all-clear', () => {
    for (const nodes of SIZES) {
      const stage = stageOf(nodes)
      stage.request(0)
      stage.request(1)
      stage.deliverAll()
      const before = stage.jury.cost.messages
      stage.timeout(1, 'T')
      stage.deliverAll()
      expect(stage.jury.cost.messages - before).toBe(3 * (nodes - 1))
      expect(stage.jury.cost.sentByType.get('rep-critical')).toBe(1)
      stage.release(0)
      stage.deliverAll()
      expect(stage.statusOf(1)).toBe('inside')
    }
  })

  test('is parked by a node that has said NO_CRIT, and used after the all-clear', () => {
    const stage = stageOf(3)
    for (const node of [1, 2]) stage.request(node)
    stage.deliverAll(allButPrivilege)
    stage.timeout(2, 'T')
    for (const envelope of underWay(stage, 'privilege-check')) stage.deliver(envelope)
    stage.deliver(get(underWay(stage, 'privilege'), 0))
    expect(stage.statusOf(1)).toBe('waiting')
    stage.deliver(get(underWay(stage, 'rep-critical'), 0))
    stage.deliverAll()
    expect(stage.statusOf(1)).toBe('inside')
    expect(stage.jury.cost.sentByType.get('create-privilege')).toBeUndefined()
  })

  test('is thrown away when a new one was announced first', () => {
    const stage = stageOf(3)
    for (const node of [1, 2]) stage.request(node)
    stage.deliverAll(allButPrivilege)
    stage.timeout(2, 'T')
    stage.deliverAll(allButPrivilege)
    expect(stage.statusOf(2)).toBe('inside')
    stage.deliverAll()
    expect(stage.statusOf(1)).toBe('waiting')
    stage.release(2)
    stage.deliverAll()
    expect(stage.statusOf(1)).toBe('inside')
    expect(stage.jury.violations).toEqual([])
  })
})

test('a node that has failed acknowledges no round: after T2 the token goes on without', () => {
  const stage = stageOf(3, ['L=1'])
  stage.crash(2)
  stage.request(1)
  stage.deliverAll()
  stage.request(0)
  stage.release(1)
  stage.deliverAll()
  expect(stage.statusOf(0)).toBe('waiting')
  stage.timeout(1, 'acks')
  stage.deliverAll()
  expect(stage.statusOf(0)).toBe('inside')
})

describe('runs', () => {
  test('one node crashes, whenever and whichever: all others are served', () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const nodes = 2 + (seed % 5)
      const set = seed % 2 === 0 ? ['T=1', 'T2=10'] : ['T=5', 'T2=20', `L=${1 + (seed % 3)}`]
      const fault = [`crash:${seed % nodes}@${(seed * 7) % 40}.5`]
      const load = seed % 3 === 0 ? 'heavy' : 'closed:3'
      const run = { nodes, seed, entries: 30, load, latency: 'uniform:0,3', fault, set }
      expect(measured('mishra-srimani', run)).toMatchObject({ unserved: 0, gaveUp: false })
    }
  })

  test('false alarms of a time-out that is too short cost messages, and nothing else', () => {
    const run = {
      nodes: 5,
      seed: 1,
      entries: 100,
      load: 'heavy',
      latency: 'uniform:0,3',
      set: ['T=1', 'T2=10'],
    }
    const { messages, unserved } = measured('mishra-srimani', run)
    expect(unserved).toBe(0)
    expect(messages.byType['false-alarm']).toBeGreaterThan(0)
    expect(messages.perEntry).toBeGreaterThan(2 * 5)
  })

  test('a partition makes two tokens: it is no fault that this algorithm survives', () => {
    const run = {
      nodes: 3,
      seed: 1,
      entries: 3,
      load: 'heavy',
      fault: ['split:0/1,2@5-60'],
      set: ['T=5', 'T2=10'],
    }
    const report = reportOf(
      new Simulation(simulationConfig(mishraSrimani, { ...run, inside: 'constant:40' })).runToEnd(),
    )
    expect(report.violations.map(({ judge }) => judge)).toContain('exclusion')
    expect(mishraSrimani.facts.faults).toEqual(['crash'])
  })
})

describe('a T that is too short breaks nothing', () => {
  interface Impatient extends State {
    alarms: number
  }

  type Place = Here<Message, Options>

  /** Besides its time-outs, each node gets so many alarms, each at any moment. */
  function impatient(alarms: readonly number[]): Algorithm<Impatient, Message, Options> {
    const { facts, shapes, receive } = mishraSrimani
    const jumpy = (node: Impatient, here: Place): Place => ({
      ...here,
      setTimer(timer, delay) {
        here.setTimer(timer, delay)
        if (timer === 'T' && node.alarms > 0) here.setTimer('alarm', delay)
      },
      cancelTimer(timer) {
        here.cancelTimer(timer)
        if (timer === 'T') here.cancelTimer('alarm')
      },
    })
    const receivers = Object.fromEntries(
      Object.entries(receive).map(([type, handler]) => [
        type,
        (node: Impatient, here: Place, message: never, from: NodeId) =>
          handler(node, jumpy(node, here), message, from),
      ]),
    )
    return {
      ...mishraSrimani,
      facts: { ...facts, timers: { ...facts.timers, alarm: 'pace' } },
      shapes: { ...shapes, state: { ...shapes.state, alarms: 'data' } },
      init: (self, setup) => ({ ...mishraSrimani.init(self, setup), alarms: get(alarms, self) }),
      request: (node, here, ask) => mishraSrimani.request(node, jumpy(node, here), ask),
      release: (node, here) => mishraSrimani.release(node, jumpy(node, here)),
      receive: receivers as typeof receive,
      timeout(node, here, timer) {
        if (timer === 'alarm') node.alarms -= 1
        if (timer === 'alarm' || timer === 'T') here.cancelTimer(timer === 'T' ? 'alarm' : 'T')
        mishraSrimani.timeout?.(node, jumpy(node, here), timer === 'alarm' ? 'T' : timer)
      },
    }
  }

  const worlds = [
    { alarms: [2, 2], requests: 1, crashes: 0, states: 14_336 },
    { alarms: [1, 1], requests: 1, crashes: 1, states: 2_648 },
    { alarms: [1, 1], requests: 2, crashes: 1, states: 42_325 },
  ]
  test.each(worlds.filter(({ states }) => isDue(states, 10_000, 1e6)))(
    'every run with alarms $alarms, $requests requests each and $crashes crashes',
    (world) => {
      const { alarms, requests, crashes, states } = world
      const algorithm = impatient(alarms)
      const { setup } = simulationConfig(algorithm, { nodes: alarms.length })
      const budgets = { ...NO_TROUBLE, crashes }
      const { expected, failure } = checkModel({
        algorithm,
        setup,
        requests,
        channels: 'unordered',
        timing: 'bounded',
        budgets,
      })
      expect(failure).toBeNull()
      expect(expected.states).toBe(states)
    },
  )
})
