import type { NodeId } from '@turnwise/core/algorithm'
import { simulationConfig } from '@turnwise/simulator/configuration'
import { Stage } from '@turnwise/simulator/stage'
import { describe, expect, test } from 'vitest'
import { mishraSrimaniCoordinator } from '../src/token/mishra-srimani-coordinator.ts'
import { enterAlone } from './alone.ts'
import { measured, SIZES } from './measured.ts'

/** What the reconstruction promises; Velazquez (1993, section 4) says that there is one coordinator, and that it moves. */

function stageOf(nodes: number): Stage {
  return new Stage(mishraSrimaniCoordinator, simulationConfig(mishraSrimaniCoordinator, { nodes }).setup)
}

describe('messages per entry', () => {
  test('0 for the coordinator, 2 for whom knows it', () => {
    for (const nodes of SIZES) {
      const stage = stageOf(nodes)
      expect([0, 1, 1, 0, 1].map((node) => enterAlone(stage, node))).toEqual([0, 2, 0, 2, 2])
    }
  })

  test('f+1 where the request passes f-1 former coordinators: n when it passes all of them', () => {
    for (const nodes of SIZES) {
      const stage = stageOf(nodes)
      for (let node = 1; node < nodes; node += 1) expect(enterAlone(stage, node)).toBe(node + 1)
    }
  })

  test('at heavy load 2, since who leaves knows its successor, and a hand-over takes one message delay', () => {
    for (const nodes of SIZES) {
      const entries = 5 * nodes
      const { messages, syncDelay } = measured('mishra-srimani-coordinator', {
        nodes,
        load: 'heavy',
        entries,
      })
      // The first entry is for nothing; of those who ask node 0 at the beginning all but one come too late.
      expect(messages.total).toBe(2 * (entries - 1) + (nodes - 2))
      expect(syncDelay).toEqual({ mean: 1, max: 1 })
    }
  })
})

test('a request that chases the role is noted on its way', () => {
  const stage = stageOf(3)
  const ask = (node: NodeId) => stage.request(node)
  const deliver = (type: string, from: NodeId, to: NodeId, requester?: NodeId) => {
    const found = stage.underWay.find(
      ({ message, ...way }) =>
        message.type === type &&
        way.from === from &&
        way.to === to &&
        (requester === undefined || (message as { requester?: NodeId }).requester === requester),
    )
    if (found === undefined) throw new Error(`no ${type} from ${from} to ${to}`)
    stage.deliver(found)
  }
  ask(1)
  deliver('request', 1, 0)
  deliver('coordinator', 0, 1)
  // Node 0 passes the request of node 2 on to node 1, but its own is faster, and so is the role that comes back.
  ask(2)
  deliver('request', 2, 0)
  ask(0)
  deliver('request', 0, 1, 0)
  stage.release(1)
  deliver('coordinator', 1, 0)
  stage.release(0)
  deliver('coordinator', 0, 2)
  expect(stage.statusOf(2)).toBe('inside')
  // The request itself arrives late, and is not served a second time.
  deliver('request', 0, 1, 2)
  deliver('request', 1, 0, 2)
  stage.release(2)
  expect(stage.underWay).toEqual([])
})

// shows velazquez-1993 4 Mishra-Srimani, second algorithm
test('at any time there is one coordinator, and it is the one that entered last', () => {
  const stage = stageOf(5)
  for (const node of [3, 1, 4, 1, 2, 0, 0, 3]) {
    enterAlone(stage, node)
    const roles = stage.states.map((state) => (state as { role: object | null }).role !== null)
    expect(roles).toEqual([0, 1, 2, 3, 4].map((other) => other === node))
  }
})
