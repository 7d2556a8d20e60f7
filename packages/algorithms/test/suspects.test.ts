import { type Algorithm, impossible } from '@turnwise/core/algorithm'
import { simulationConfig } from '@turnwise/simulator/configuration'
import { Stage } from '@turnwise/simulator/stage'
import { expect, test } from 'vitest'
import { checkModel, instanceOf } from '../../../scripts/models.ts'
import { variant as sandersKeepsInforming } from '../innocent/sanders-dynamic-keeps-informing.ts'
import { ricartAgrawala } from '../src/permission/ricart-agrawala.ts'
import { helaryPlouzeauRaynal, type Message, type State } from '../src/token/helary-plouzeau-raynal.ts'

/** Sentences of the sources that no variant can try, held against every state of a small world. */

interface Witness extends State {
  /** The stamp of the request that is open. */
  asked: number | null
}

/** Says `impossible` where the token reaches a node whose request is not later than its entry of lud. */
function witnessed(holds: (lud: number, asked: number) => boolean): Algorithm<Witness, Message> {
  const { shapes, receive } = helaryPlouzeauRaynal
  return {
    ...helaryPlouzeauRaynal,
    shapes: { ...shapes, state: { ...shapes.state, asked: { clock: 'time' } } },
    init: (self, setup) => ({ ...helaryPlouzeauRaynal.init(self, setup), asked: null }),
    request(node, here, ask) {
      node.asked = node.token === null ? node.clock : null
      helaryPlouzeauRaynal.request(node, here, ask)
    },
    receive: {
      ...receive,
      token(node, here, token, from) {
        if (token.addressee === here.self && node.asked !== null) {
          const lud = token.gaveAway.find((entry) => entry.node === here.self)?.time ?? -1
          if (!holds(lud, node.asked)) impossible(`node ${here.self} asked at ${node.asked}, lud is ${lud}`)
          node.asked = null
        }
        receive.token(node, here, token, from)
      },
    },
  }
}

// shows claim rt-before-lud
test('Lemma 3: a process that is served asked after it last gave the token away', () => {
  const failing = (holds: (lud: number, asked: number) => boolean, nodes: number, requests: number | 'any') =>
    checkModel(instanceOf(witnessed(holds), { nodes, requests })).failure?.name ?? null
  const lemma = (lud: number, asked: number) => lud < asked
  expect(failing(lemma, 2, 'any')).toBeNull()
  expect(failing(lemma, 3, 1)).toBeNull()
  expect(failing((lud, asked) => asked < lud, 2, 1)).toBe('rules')
})

// shows claim one-permission
test('a node replies to two that wait at the same time', () => {
  const stage = new Stage(ricartAgrawala, simulationConfig(ricartAgrawala, { nodes: 3 }).setup)
  for (const node of [1, 2]) stage.request(node)
  for (const message of stage.underWay.filter(({ to }) => to === 0)) stage.deliver(message)
  expect(stage.underWay.filter(({ from }) => from === 0).map(({ to }) => to)).toEqual([1, 2])
  expect([1, 2].map((node) => stage.statusOf(node))).toEqual(['waiting', 'waiting'])
})

test('rule 2 of Sanders (1987), section 8, as printed: innocent only because channels keep order', () => {
  const model = { nodes: 2, requests: 2, channels: 'unordered' } as const
  const { expected } = checkModel(instanceOf(sandersKeepsInforming.algorithm, model))
  expect(expected).toMatchObject({ fails: 'exclusion', length: 15 })
})
