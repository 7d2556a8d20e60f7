import { get } from '@turnwise/core/bounds'
import { arrange } from '@turnwise/core/setup'
import { simulationConfig } from '@turnwise/simulator/configuration'
import { type Envelope, Stage } from '@turnwise/simulator/stage'
import { describe, expect, test } from 'vitest'
import { extent } from '../../../test/extent.ts'
import { atLeast } from '../../../test/present.ts'
import { nishioLiManning } from '../src/token/nishio-li-manning.ts'
import { measured, SIZES } from './measured.ts'

/** Controllers without memory, insertion and removal: Velazquez (1993, section 4) says that they can be recovered from. */

const allButToken = ({ message }: Envelope) => message.type !== 'token'

function stageOf(nodes: number, absent: number[] = []): Stage {
  const { options } = simulationConfig(nishioLiManning, { nodes }).setup
  return new Stage(nishioLiManning, arrange(nishioLiManning.facts, { nodes, options, absent }).setup)
}

describe('what it costs', () => {
  // shows velazquez-1993 4 Nishio-Li-Manning, lost memory and membership
  test('to be told everything: 2(n-1) messages', () => {
    for (const nodes of SIZES) {
      const stage = stageOf(nodes)
      stage.crash(0)
      stage.restart(0, false)
      stage.deliverAll()
      expect(stage.jury.cost.messages).toBe(2 * (nodes - 1))
      expect(stage.states[0]).toMatchObject({ token: null, recovery: null })
    }
  })

  // shows velazquez-1993 4 Nishio-Li-Manning, lost memory and membership
  test('to join: 2(n-1) messages; to leave, with or without the token: 2(n-1) messages', () => {
    for (const nodes of SIZES) {
      const stage = stageOf(nodes, [nodes - 1])
      stage.add(nodes - 1, 0)
      stage.deliverAll()
      expect(stage.jury.cost.messages).toBe(2 * (nodes - 1))
      stage.remove(0)
      stage.deliverAll()
      expect(stage.jury.cost.messages).toBe(4 * (nodes - 1))
      const holders = stage.states.map((state) => (state as { token: object | null }).token !== null)
      expect(holders).toEqual(Array.from({ length: nodes }, (_, node) => node === 1))
    }
  })
})

test('a promise that was forgotten is made again before anything else', () => {
  const stage = stageOf(3)
  stage.request(1)
  stage.deliverAll(allButToken)
  stage.request(2)
  stage.deliverAll(allButToken)
  stage.timeout(2, 'T')
  // Node 1 has promised to accept no token older than the one that node 2 proposes, and forgets it.
  stage.deliverAll(allButToken)
  expect(stage.statusOf(2)).toBe('inside')
  stage.crash(1)
  stage.restart(1, false)
  stage.request(1)
  // The old token comes, before and after node 1 knows again what it has promised.
  const [old] = atLeast(
    1,
    stage.underWay.filter(({ message }) => message.type === 'token'),
  )
  stage.duplicate(old)
  stage.deliver(old)
  stage.deliverAll(allButToken)
  expect(stage.states[1]).toMatchObject({ age: { number: 1, node: 2 } })
  stage.deliver(old)
  expect(stage.statusOf(1)).toBe('waiting')
  stage.release(2)
  stage.deliverAll()
  expect(stage.statusOf(1)).toBe('inside')
  expect(stage.jury.violations).toEqual([])
})

describe('runs', () => {
  const CHANGES = [
    (node: number, at: number) => [`crash:${node}@${at}.5`, `restart:${node}@${at + 20},amnesia`],
    (node: number, at: number) => [`remove:${node}@${at}`],
    (node: number, at: number) => [`remove:${node}@${at}`, `add:${node}@${at + 300}`],
    (node: number, at: number) => (node === 0 ? [`remove:0@${at}`] : [`add:${node}@${at}`]),
  ]

  test.each([[[]], [['drop:0.05']], [['duplicate:0.2', 'drop:0.02']]])('with %j', (others) => {
    for (let seed = 1; seed <= extent(60, 200); seed += 1) {
      const nodes = 2 + (seed % 5)
      const set = seed % 3 === 0 ? ['T=1', 'T2=3'] : ['T=20', 'T2=10']
      const fault = [...get(CHANGES, seed % 4)(seed % nodes, (seed * 7) % 50), ...others]
      const load = seed % 2 === 0 ? 'heavy' : 'closed:3'
      const run = { nodes, seed, entries: 30, load, latency: 'exponential:1', fault, set }
      expect(measured('nishio-li-manning', run)).toMatchObject({ unserved: 0, gaveUp: false })
    }
  })
})
