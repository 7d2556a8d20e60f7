import { NO_TROUBLE } from '@turnwise/checker/instance'
import type { Algorithm } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { simulationConfig } from '@turnwise/simulator/configuration'
import { type Envelope, Stage } from '@turnwise/simulator/stage'
import { describe, expect, test } from 'vitest'
import { checkModel } from '../../../scripts/models.ts'
import { isDue } from '../../../test/extent.ts'
import { type Message, nishioLiManning, type Options, type State } from '../src/token/nishio-li-manning.ts'
import { measured, SIZES } from './measured.ts'

/** What Velazquez (1993, section 4) says of Nishio, Li and Manning's algorithm. */

const allButToken = ({ message }: Envelope) => message.type !== 'token'

function stageOf(nodes: number): Stage {
  return new Stage(nishioLiManning, simulationConfig(nishioLiManning, { nodes }).setup)
}

function underWay(stage: Stage, type: string) {
  return stage.underWay.filter(({ message }) => message.type === type)
}

/** Node 1 asks, and the token that node 0 sends it is under way. */
function withTokenUnderWay(nodes: number): Stage {
  const stage = stageOf(nodes)
  stage.request(1)
  stage.deliverAll(allButToken)
  return stage
}

describe('without failures', () => {
  test('an entry costs n messages, n-1 requests and the token, or none with the token here', () => {
    for (const nodes of SIZES) {
      const { messages, entries } = measured('nishio-li-manning', { nodes, load: 'light', entries: 100 })
      const passes = messages.byType['token'] ?? 0
      expect(messages.total).toBe(passes * nodes)
      expect(messages.byType['request'] ?? 0).toBe(passes * (nodes - 1))
      expect(passes).toBeLessThanOrEqual(entries)
    }
  })

  test('at heavy load every entry but the first costs n, and a hand-over one message delay', () => {
    for (const nodes of SIZES) {
      const entries = 5 * nodes
      const { messages, syncDelay } = measured('nishio-li-manning', { nodes, load: 'heavy', entries })
      expect(messages.total).toBe(nodes * (entries - 1))
      expect(syncDelay).toEqual({ mean: 1, max: 1 })
    }
  })

  test('nobody inquires, whatever the law of delays', () => {
    for (const latency of ['constant:10', 'uniform:0,20', 'exponential:10']) {
      for (const nodes of [2, 5, 16, 50]) {
        const { messages } = measured('nishio-li-manning', { nodes, latency, load: 'heavy', entries: 300 })
        expect(Object.keys(messages.byType).toSorted()).toEqual(['request', 'token'])
      }
    }
  })
})

describe('a lost token', () => {
  // shows velazquez-1993 4 Nishio-Li-Manning
  test('is replaced at a cost of 2(n-1) messages, and the fences go on rising', () => {
    for (const nodes of SIZES) {
      const stage = withTokenUnderWay(nodes)
      stage.deliver(get(underWay(stage, 'token'), 0))
      stage.release(1)
      stage.request(0)
      stage.deliverAll(allButToken)
      stage.drop(get(underWay(stage, 'token'), 0))
      const before = stage.jury.cost.messages
      stage.timeout(0, 'T')
      stage.deliverAll()
      expect(stage.jury.cost.messages - before).toBe(2 * (nodes - 1))
      expect(stage.statusOf(0)).toBe('inside')
      expect(stage.states[0]).toMatchObject({ age: { number: 1, node: 0 }, token: { fence: 2 } })
    }
  })

  // shows velazquez-1993 3.1 The token-based approach, a token that is asked for
  test('is replaced once when two miss it at once: the higher proposal wins', () => {
    for (const nodes of [3, 4, 5, 9]) {
      const stage = withTokenUnderWay(nodes)
      stage.request(2)
      stage.deliverAll(allButToken)
      stage.drop(get(underWay(stage, 'token'), 0))
      stage.timeout(1, 'T')
      stage.timeout(2, 'T')
      stage.deliverAll()
      expect(stage.statusOf(1)).toBe('waiting')
      expect(stage.statusOf(2)).toBe('inside')
      expect(stage.jury.cost.sentByType.get('nack')).toBe(1)
      stage.release(2)
      stage.deliverAll()
      expect(stage.statusOf(1)).toBe('inside')
    }
  })

  test('that was only late is discarded, wherever it arrives', () => {
    const stage = withTokenUnderWay(3)
    stage.request(2)
    stage.deliverAll(allButToken)
    stage.timeout(2, 'T')
    stage.deliverAll(allButToken)
    expect(stage.statusOf(2)).toBe('inside')
    stage.deliver(get(underWay(stage, 'token'), 0))
    expect(stage.statusOf(1)).toBe('waiting')
    expect(stage.states[1]).toMatchObject({ token: null, age: { number: 1, node: 2 } })
    stage.release(2)
    stage.deliverAll()
    expect(stage.statusOf(1)).toBe('inside')
    expect(stage.jury.violations).toEqual([])
  })

  test('that comes during the inquiry is used, and the others do not take it for an old one', () => {
    const stage = withTokenUnderWay(3)
    stage.timeout(1, 'T')
    for (const envelope of underWay(stage, 'token-missing')) stage.deliver(envelope)
    stage.deliver(get(underWay(stage, 'token'), 0))
    expect(stage.statusOf(1)).toBe('inside')
    stage.request(2)
    stage.deliverAll()
    stage.release(1)
    stage.deliverAll()
    expect(stage.statusOf(2)).toBe('inside')
  })
})

test('a token that is not lost is left alone: the holder says so, and passes it on when it leaves', () => {
  const stage = withTokenUnderWay(3)
  stage.deliverAll()
  stage.request(2)
  stage.drop(underWay(stage, 'request').find(({ to }) => to === 1) ?? get(underWay(stage, 'request'), 0))
  stage.timeout(2, 'T')
  stage.deliverAll()
  expect(stage.statusOf(2)).toBe('waiting')
  stage.release(1)
  stage.deliverAll()
  expect(stage.statusOf(2)).toBe('inside')
  expect(stage.jury.violations).toEqual([])
})

describe('it recovers', () => {
  const FAULTS = [
    ['drop:0.1'],
    ['drop:0.3'],
    ['drop:0.05', 'duplicate:0.3'],
    ['cut:0-1@3-60'],
    ['split:0/1@2-50'],
    ['crash:0@5.3', 'restart:0@40'],
    ['crash:1@5.3', 'restart:1@40', 'drop:0.05'],
  ]

  /** Time-outs from hasty to patient: hasty ones fire while nothing is lost. */
  test.each(FAULTS.map((fault) => [fault.join(' '), fault] as const))('%s', (_text, fault) => {
    for (const set of [
      ['T=1', 'T2=1'],
      ['T=2', 'T2=3'],
      ['T=100', 'T2=50'],
    ]) {
      for (const nodes of [2, 3, 6]) {
        for (let seed = 1; seed <= 8; seed += 1) {
          const load = seed % 2 === 0 ? 'heavy' : 'closed:3'
          const run = { nodes, seed, entries: 30, load, latency: 'exponential:1', fault, set }
          expect(measured('nishio-li-manning', run)).toMatchObject({ unserved: 0, gaveUp: false })
        }
      }
    }
  })
})

describe('a time-out that is too short breaks nothing', () => {
  interface Impatient extends State {
    alarms: number
  }

  /** Each node sees so many time-outs, at any moment: without a limit, inquiries would pile up without end. */
  function impatient(alarms: readonly number[]): Algorithm<Impatient, Message, Options> {
    const { shapes } = nishioLiManning
    return {
      ...nishioLiManning,
      shapes: { ...shapes, state: { ...shapes.state, alarms: 'data' } },
      init: (self, setup) => ({ ...nishioLiManning.init(self, setup), alarms: get(alarms, self) }),
      timeout(node, here, timer) {
        if (node.alarms === 0) return
        node.alarms -= 1
        nishioLiManning.timeout?.(node, here, timer)
      },
    }
  }

  const worlds = [
    { alarms: [1, 1], requests: 1, states: 1_249 },
    { alarms: [2, 2], requests: 1, states: 40_894 },
    { alarms: [1, 1], requests: 2, states: 15_580 },
    { alarms: [0, 1, 0], requests: 1, states: 58_185 },
  ]
  test.each(worlds.filter(({ states }) => isDue(states, 10_000, 1e6)))(
    'every run with time-outs $alarms and $requests requests each',
    ({ alarms, requests, states }) => {
      const algorithm = impatient(alarms)
      const { setup } = simulationConfig(algorithm, { nodes: alarms.length })
      const world = { setup, requests, channels: 'unordered', timing: 'any', budgets: NO_TROUBLE } as const
      const { expected, failure } = checkModel({ algorithm, ...world })
      expect(failure).toBeNull()
      expect(expected.states).toBe(states)
    },
  )
})
