import type { NodeId } from '@turnwise/core/algorithm'
import { arrange } from '@turnwise/core/setup'
import type { TraceEvent } from '@turnwise/core/trace/trace'
import { simulationConfig } from '@turnwise/simulator/configuration'
import { Simulation } from '@turnwise/simulator/simulation'
import { Stage } from '@turnwise/simulator/stage'
import { describe, expect, test } from 'vitest'
import { suzukiKasamiBounded } from '../src/token/suzuki-kasami-bounded.ts'
import { enterAlone } from './alone.ts'
import { measured, SIZES } from './measured.ts'

/** What Velazquez (1993, section 4) says of Suzuki and Kasami's algorithm with bounded sequence numbers. */

const BOUNDS = [1, 2, 3, 5, 8]

/** Messages of a type that a node's own entries cause: its requests, and what is sent to it. */
function dueTo(node: NodeId, type: string, { events }: Stage): number {
  return events.filter(
    (event) =>
      event.is === 'send' &&
      event.message.type === type &&
      (type === 'request' ? event.from === node : event.to === node),
  ).length
}

describe.each(BOUNDS)('L = %i', (L) => {
  const set = [`L=${L}`]

  // shows velazquez-1993 4 Suzuki-Kasami, bounded numbers
  // shows claim bounded-numbers-cost
  test('L entries by one node cost L n + (n-1) messages, every time', () => {
    for (const nodes of SIZES) {
      const options = { L, scan: 'cyclic' } as const
      const stage = new Stage(
        suzukiKasamiBounded,
        arrange(suzukiKasamiBounded.facts, { nodes, options }).setup,
      )
      for (let round = 1; round <= 3; round += 1) {
        for (let entry = 0; entry < L; entry += 1) {
          enterAlone(stage, 1)
          // The token goes elsewhere before node 1 asks again.
          enterAlone(stage, 0)
        }
        expect(dueTo(1, 'request', stage)).toBe(round * L * (nodes - 1))
        expect(dueTo(1, 'privilege', stage)).toBe(round * L)
        expect(dueTo(1, 'ack', stage)).toBe(round * (nodes - 1))
      }
    }
  })

  test('but for the acknowledgements a run is one of the unbounded algorithm', () => {
    for (const load of ['light', 'heavy', 'closed:3']) {
      const wishes = { nodes: 7, load, entries: 300 }
      const { byType, ...unbounded } = measured('suzuki-kasami', wishes).messages
      const bounded = measured('suzuki-kasami-bounded', { ...wishes, set }).messages
      expect(bounded.byType).toEqual({ ...byType, ack: bounded.total - unbounded.total })
    }
  })

  test('at heavy load every entry but the first costs n, and every L-th of a node n-1 acknowledgements', () => {
    for (const nodes of SIZES) {
      const rounds = 4
      const entries = rounds * L * nodes
      const { messages } = measured('suzuki-kasami-bounded', { nodes, load: 'heavy', entries, set })
      // The first entry, of the node with the token, took no number: its last round is not full.
      const acks = (nodes - 1) * (rounds * nodes - 1)
      expect(messages.byType['ack']).toBe(acks)
      expect(messages.total).toBe(nodes * (entries - 1) + acks)
    }
  })

  // shows velazquez-1993 4 Suzuki-Kasami, bounded numbers
  test('no number is larger than L, on channels that keep no order', () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const numbers = new Set<number>()
      const record = (event: TraceEvent) => {
        if (event.is === 'send' && 'number' in event.message) numbers.add(event.message.number as number)
      }
      const wishes = { nodes: 4, entries: 40 * L, load: 'closed:1', latency: 'exponential:1', seed, set }
      const { jury } = new Simulation({ ...simulationConfig(suzukiKasamiBounded, wishes), record }).runToEnd()
      expect(jury.violations).toEqual([])
      expect([...numbers].toSorted((a, b) => a - b)).toEqual(Array.from({ length: L }, (_, i) => i + 1))
    }
  })

  test('with equal delays the acknowledgements are there in time: one message delay to the next entry', () => {
    const { syncDelay } = measured('suzuki-kasami-bounded', { nodes: 9, load: 'heavy', entries: 200, set })
    expect(syncDelay).toEqual({ mean: 1, max: 1 })
  })
})

test('the holder enters again for nothing, and takes no number for it', () => {
  const { messages } = measured('suzuki-kasami-bounded', { nodes: 20, load: 'hot:1,0', entries: 100 })
  expect(messages.total).toBe(0)
})
