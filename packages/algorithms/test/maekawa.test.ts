import { quorumsFromLists } from '@turnwise/core/quorum/quorum-from-text'
import { simulationConfig } from '@turnwise/simulator/configuration'
import { Stage } from '@turnwise/simulator/stage'
import { describe, expect, test } from 'vitest'
import { maekawa } from '../src/quorum/maekawa.ts'
import { measured, SIZES } from './measured.ts'

/** What Maekawa (1985) and Sanders (1987, sections 5 and 6) say, as far as Velazquez (1993, section 5) tells it. */

describe('3(K-1) messages without competition', () => {
  // shows velazquez-1993 5 Maekawa
  test('on a projective plane with n = K(K-1) + 1', () => {
    for (const [nodes, size] of [
      [7, 3],
      [13, 4],
      [21, 5],
      [31, 6],
      [57, 8],
    ] as const) {
      const { messages, quorum } = measured('maekawa', { nodes, load: 'light', entries: 50 })
      expect(quorum).toBe('projective')
      expect(messages.total).toBe(50 * 3 * (size - 1))
      expect(messages.byType).toEqual({
        grant: 50 * (size - 1),
        release: 50 * (size - 1),
        request: 50 * (size - 1),
      })
    }
  })

  test('with majorities', () => {
    for (const nodes of SIZES) {
      const { messages } = measured('maekawa', { nodes, quorum: 'majority', load: 'light', entries: 20 })
      expect(messages.perEntry).toBe(3 * Math.floor(nodes / 2))
    }
  })
})

// shows sanders-1987 5 Deadlock Free Algorithm, special cases
describe('in competition at most 7(K-1), or 6(K-1) when requesters yield whenever asked', () => {
  for (const [set, most] of [
    ['fail=all', 7],
    ['fail=none', 6],
  ] as const) {
    test(set, () => {
      for (const nodes of [7, 13, 21]) {
        for (let seed = 1; seed <= 5; seed += 1) {
          const wishes = { nodes, load: 'heavy', entries: 300, latency: 'exponential:1', set: [set], seed }
          const { messages, predicted } = measured('maekawa', wishes)
          const others = Math.sqrt(nodes - 0.75) - 0.5
          expect(predicted.perEntry.max).toBe(Math.round(most * others))
          expect(messages.perEntry).toBeLessThanOrEqual(most * others)
          expect(messages.byType['fail'] === undefined).toBe(set === 'fail=none')
        }
      }
    })
  }
})

test('two message delays from an exit to the next entry: a release and a grant', () => {
  const { syncDelay } = measured('maekawa', { nodes: 13, load: 'heavy', entries: 300 })
  expect(syncDelay?.max).toBe(2)
})

// shows claim arbiters-at-most-5
test('five messages for each other member are no bound: requests that come smaller and smaller', () => {
  const arbiters = [7, 8]
  const askers = [0, 1, 2, 3, 4, 5, 6]
  const quorum = quorumsFromLists([...askers.map((node) => [node, ...arbiters]), arbiters, arbiters])
  const { setup } = simulationConfig(maekawa, { nodes: 9, quorum, set: ['fail=none'] })
  const stage = new Stage(maekawa, setup)
  for (const node of askers) stage.request(node)
  // At one arbiter after the other, the largest first: for a later request the arbiter takes the grant back.
  for (const arbiter of arbiters) {
    for (const last of askers.toReversed()) {
      stage.deliverAll(
        ({ message, from, to }) => message.type !== 'request' || (to === arbiter && from >= last),
      )
    }
  }
  for (const node of askers) {
    stage.release(node)
    stage.deliverAll()
  }
  expect(stage.jury.violations).toEqual([])
  const sent = stage.events.filter(({ is }) => is === 'send').length
  // REQUEST, GRANT, RELEASE; and INQUIRE, YIELD, GRANT for all requests but the first at each arbiter.
  expect(sent).toBe(arbiters.length * (3 * askers.length + 3 * (askers.length - 1)))
  expect(sent / askers.length).toBeGreaterThan(5 * arbiters.length)
})
