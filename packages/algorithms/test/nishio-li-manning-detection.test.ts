import { type Instance, NO_TROUBLE } from '@turnwise/checker/instance'
import type { Algorithm } from '@turnwise/core/algorithm'
import { simulationConfig } from '@turnwise/simulator/configuration'
import { Stage } from '@turnwise/simulator/stage'
import { describe, expect, test } from 'vitest'
import { checkModel } from '../../../scripts/models.ts'
import { isLong } from '../../../test/extent.ts'
import type { Options, State } from '../src/token/nishio-li-manning.ts'
import { type Message, nishioLiManningDetection } from '../src/token/nishio-li-manning-detection.ts'
import { measured, SIZES } from './measured.ts'

/** Nodes of Nishio, Li and Manning's algorithm that fail and stay away. */

// shows velazquez-1993 4 Nishio-Li-Manning, a node that stays away
test('a token of one that failed is replaced at a cost of 2(n-2) messages, and its fences are those of a later age', () => {
  for (const nodes of SIZES) {
    const { algorithm, setup } = simulationConfig(nishioLiManningDetection, { nodes })
    const stage = new Stage(algorithm, { ...setup, inside: [0] })
    stage.crash(0)
    for (let node = 1; node < nodes; node += 1) stage.suspect(node, 0)
    stage.request(1)
    stage.deliverAll()
    const before = stage.jury.cost.messages
    stage.timeout(1, 'T')
    stage.deliverAll()
    expect(stage.statusOf(1)).toBe('inside')
    expect(stage.jury.cost.messages - before).toBe(2 * (nodes - 2))
    expect(stage.jury.violations).toEqual([])
  }
})

test('all but one may fail, whenever, and messages be lost or repeated: every living node is served', () => {
  for (let seed = 1; seed <= 60; seed += 1) {
    const nodes = 3 + (seed % 4)
    const dying = Array.from({ length: 1 + (seed % (nodes - 1)) }, (_, i) => (i + seed) % nodes)
    const fault = [
      ...dying.map((node, i) => `crash:${node}@${(seed * (7 + 6 * i)) % 90}.5`),
      ...(seed % 2 === 0 ? ['drop:0.05', 'duplicate:0.05'] : []),
    ]
    const set = seed % 3 === 0 ? ['T=1', 'T2=3'] : []
    const load = seed % 5 === 0 ? 'heavy' : 'closed:4'
    const wishes = { nodes, seed, entries: 40, load, latency: 'exponential:1', fault, set }
    expect(measured('nishio-li-manning-detection', wishes), JSON.stringify(wishes)).toMatchObject({
      unserved: 0,
      gaveUp: false,
    })
  }
})

test('a node that comes back when all have noticed asks before it takes part, whatever it remembers', () => {
  for (let seed = 1; seed <= 40; seed += 1) {
    const node = seed % 4
    const fault = [
      `crash:${node}@${5 + seed}.5`,
      `restart:${node}@${5 + seed + 10 + ((seed * 13) % 400)}${seed % 2 === 0 ? ',amnesia' : ''}`,
    ]
    const wishes = { nodes: 4, seed, entries: 40, load: 'closed:4', latency: 'uniform:0,2', fault }
    expect(measured('nishio-li-manning-detection', wishes)).toMatchObject({ unserved: 0, gaveUp: false })
  }
})

if (isLong)
  describe('a time-out that is too short breaks nothing', () => {
    interface Impatient extends State {
      alarms: number
    }

    /** T runs out at any moment, once at node 1; after that it waits until nothing else happens. */
    test('every run with a false alarm and a crash', () => {
      const { setup } = simulationConfig(nishioLiManningDetection, { nodes: 3 })
      const { facts, shapes, ...patient } = nishioLiManningDetection
      const algorithm: Algorithm<Impatient, Message, Options> = {
        ...patient,
        facts: { ...facts, timers: { ...facts.timers, T: 'pace', 'patient T': 'time-out' } },
        shapes: { ...shapes, state: { ...shapes.state, alarms: 'data' } },
        init: (self, world) => ({ ...patient.init(self, world), alarms: self === 1 ? 1 : 0 }),
        timeout(node, here, timer) {
          if (timer === 'T' && node.alarms === 0) return here.setTimer('patient T', 1)
          if (timer === 'T') node.alarms -= 1
          if (timer === 'patient T' && (!node.waiting || node.inquiry !== null)) return
          patient.timeout?.(node, here, timer.replace('patient ', ''))
        },
      }
      const instance: Instance = {
        algorithm,
        setup,
        requests: 1,
        channels: 'fifo',
        timing: 'bounded',
        budgets: { ...NO_TROUBLE, crashes: 1 },
      }
      const { failure, expected } = checkModel(instance)
      expect([failure?.name ?? null, expected.states]).toEqual([null, 128_135])
    })
  })
