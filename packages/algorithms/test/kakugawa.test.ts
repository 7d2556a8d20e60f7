import { defaultKCoterie, quorumsFrom, quorumsFromLists } from '@turnwise/core/quorum/quorum-from-text'
import type { QuorumChoice } from '@turnwise/core/quorum/quorums'
import { describe, expect, test } from 'vitest'
import { extent } from '../../../test/extent.ts'
import { measured, SIZES } from './measured.ts'

/** What Velazquez (1993, section 6) says of the algorithm of Kakugawa and others. */

const SURVEY = [
  [0, 1],
  [0, 2],
  [1, 3],
  [2, 3],
]

// shows velazquez-1993 6 Kakugawa et al.
test("the survey's example: two nodes inside together by {0,1} and {2,3}, three messages each", () => {
  const wishes = { nodes: 4, k: 2, quorum: quorumsFromLists(SURVEY), load: 'heavy', entries: 200 }
  expect(measured('kakugawa', wishes).maxInside).toBe(2)
  expect(measured('kakugawa', { ...wishes, load: 'light' }).messages.perEntry).toBe(3)
})

// shows claim k-quorums-conditions
test('what passes the printed condition for k = 3 never lets three in', () => {
  const quorum = quorumsFromLists([[0], [1, 2], [1, 3], [0]])
  for (let seed = 1; seed <= 20; seed += 1) {
    const wishes = { nodes: 4, k: 3, quorum, set: ['draw=any'], load: 'heavy', inside: 'exponential:5', seed }
    expect(measured('kakugawa', { ...wishes, entries: 100 }).maxInside).toBe(2)
  }
})

describe.each([1, 2, 3, 4, 5])('k = %i', (k) => {
  const sizes = SIZES.filter((nodes) => nodes > k)

  test('without competition an entry costs 3s messages, s the other members of its quorum', () => {
    for (const nodes of sizes) {
      const { kind, choice } = defaultKCoterie(nodes, k)
      const { min, max } = (choice as QuorumChoice).others('own')
      const { messages } = measured('kakugawa', { nodes, k, entries: 60 })
      const { request, grant, release } = messages.byType
      expect([grant, release]).toEqual([request, request])
      expect(messages.perEntry).toBeGreaterThanOrEqual(3 * min)
      expect(messages.perEntry).toBeLessThanOrEqual(3 * max)
      if (kind === 'k-majority') expect(messages.total).toBe(60 * 3 * (Math.ceil((nodes + 1) / (k + 1)) - 1))
    }
  })

  // shows velazquez-1993 6.1 Table 3
  // shows claim arbiters-at-most-5
  test.each(['all', 'none'])('in competition at most 7s, or 6s without FAIL (fail=%s)', (fail) => {
    for (const nodes of sizes) {
      const { max } = (defaultKCoterie(nodes, k).choice as QuorumChoice).others('own')
      const wishes = {
        nodes,
        k,
        load: 'heavy',
        entries: 100,
        latency: 'exponential:1',
        set: [`fail=${fail}`],
      }
      const { perEntry } = measured('kakugawa', wishes).messages
      expect(perEntry).toBeLessThanOrEqual((fail === 'all' ? 7 : 6) * max)
    }
  })

  test.each(['k-majority', 'k-singleton', 'disjoint'])(
    'k are inside together, and never more (%s)',
    (form) => {
      for (const nodes of sizes) {
        if (form === 'k-majority' && (nodes > 16 || defaultKCoterie(nodes, k).kind !== form)) continue
        const quorum = quorumsFrom(form, nodes, k)
        const wishes = {
          nodes,
          k,
          quorum,
          set: ['draw=any'],
          load: 'heavy',
          // Of many quorums most meet: that k of a k-majority are drawn apart is rare, and of a large one too rare.
          entries: form !== 'k-majority' ? 150 : nodes <= 2 * k ? 3000 : extent(150, 3000),
          inside: 'exponential:8',
        }
        const { maxInside } = measured('kakugawa', wishes)
        expect(maxInside).toBeLessThanOrEqual(k)
        if (form !== 'k-majority' || nodes <= 2 * k) expect(maxInside, `${nodes} nodes`).toBe(k)
      }
    },
  )
})

test('a k-majority costs more than disjoint majorities and keeps nodes waiting longer', () => {
  const wishes = { nodes: 9, k: 2, load: 'heavy', entries: 1000, inside: 'exponential:8' }
  const inMajorities = measured('kakugawa', { ...wishes, quorum: 'k-majority' })
  const inGroups = measured('kakugawa', { ...wishes, quorum: 'disjoint' })
  expect(inGroups.messages.total).toBeLessThan(inMajorities.messages.total)
  expect(inGroups.responseTime?.mean).toBeLessThan(0.6 * (inMajorities.responseTime?.mean ?? 0))
})

test('k coordinators: three messages to whichever is drawn, none within one', () => {
  const { messages } = measured('kakugawa', { nodes: 9, k: 3, quorum: 'k-singleton', entries: 300 })
  expect(messages.perEntry).toBeGreaterThan(1)
  expect(messages.perEntry).toBeLessThan(3)
})
