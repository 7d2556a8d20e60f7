/** What grows with the number of members, and that nothing grows with its square. */
import { describe, expect, test } from 'vitest'
import { extent } from '../../../../test/extent.ts'
import '../../check/texts.ts'
import { SOUND_MEETING, underMeeting } from '../../broken/meeting.ts'
import type { MeetingRules } from '../../src/protocol/meeting/meeting-rules.ts'
import { Crowd, LEASE } from './crowd.ts'

const [FIRST, LAST] = extent([1, 6], [1, 60], [1, 500])

/** Each holds the lock for `STAY` once and leaves, with a long lease. */
const STAY = 100
const LONG = 10_000
const WITHIN = 300

/** Six, of whom one is killed so long after a change has begun, the proposer or the first of the others. */
function struck(dials: boolean, moment: number, isVictim: (isProposer: boolean) => boolean): Crowd {
  const crowd = new Crowd({ nodes: 6, within: 0, dials })
  crowd.until(() => crowd.isWhole, LEASE)
  crowd.pass(2 * LEASE)
  crowd.forget()
  crowd.add()
  // Joiners are gathered for a tenth of a lease. Then the change begins.
  crowd.pass(LEASE / 10 + moment)
  const [proposer] = crowd.nodes[0]?.begun?.members ?? []
  crowd.kill(crowd.nodes.findIndex((node) => isVictim(node?.id === proposer?.id)))
  return crowd
}

describe('short visits: a program that joins, holds a lock for a moment, and leaves in good order', () => {
  test.each([2, 3, 8])('%i of them at once take their turns, and nobody waits for a lease', (nodes) => {
    for (let seed = FIRST; seed <= LAST; seed += 1) {
      const crowd = new Crowd({ nodes, within: WITHIN, dials: true, stay: STAY, lease: LONG, seed })
      const took = crowd.until(() => crowd.nodes.every((node) => node?.left), 3 * LONG)
      // A tick is the longest wait for a message that was lost.
      expect([seed, took < WITHIN + nodes * STAY + LONG / 10]).toEqual([seed, true])
    }
  })
})

const MANY = 120
/** Milliseconds of a processor for an event: so long that two processors are hardly enough. */
const WORK = 0.8

/** All of them, in a view. */
function met(isBackwards = false): Crowd {
  const crowd = new Crowd({ nodes: MANY, within: 0, isBackwards })
  crowd.until(() => crowd.isWhole, LEASE)
  crowd.pass(2 * LEASE)
  crowd.forget()
  return crowd
}

describe('very many members', () => {
  test('that come at once are in one view, by a few messages each and one list', () => {
    const crowd = new Crowd({ nodes: MANY, within: 0 })
    crowd.until(() => crowd.isWhole, LEASE)
    expect(crowd.counts).toMatchObject({ views: 1, ended: 0 })
    expect(crowd.counts.messages).toBeLessThan(9 * MANY)
    expect(crowd.counts.lists).toBeLessThan(MANY + 5)
  })

  test('that come one after another are taken in together, and those who are taken in do not list', () => {
    const crowd = new Crowd({ nodes: MANY, within: 2 * LEASE })
    crowd.until(() => crowd.isWhole, 3 * LEASE)
    // A tenth of a lease each, and what the first ones need.
    expect(crowd.counts.views).toBeLessThan(25)
    expect(crowd.counts.ended).toBe(0)
    expect(crowd.counts.lists).toBeLessThan(MANY)
  })

  test('that come at once and need a second for each round do not ask again while answers come', () => {
    const crowd = new Crowd({ nodes: MANY, within: 0, work: 2 })
    crowd.until(() => crowd.isWhole, 2 * LEASE)
    expect(crowd.counts).toMatchObject({ views: 1, ended: 0 })
    expect(crowd.counts.messages).toBeLessThan(25 * MANY)
    expect(crowd.counts.lists).toBeLessThan(MANY + 20)
  })

  test('that come faster than they can be answered are taken in all the same', () => {
    const crowd = new Crowd({ nodes: MANY, within: LONG / 10, work: 5, lease: LONG })
    crowd.until(() => crowd.isWhole, 2 * LONG)
    expect(crowd.counts.ended).toBe(0)
    expect(crowd.counts.messages).toBeLessThan(60 * MANY)
    expect(crowd.counts.lists).toBeLessThan(MANY + 30)
  })

  test('that are almost too many for the machine do not keep it busy with questions', () => {
    const crowd = new Crowd({ nodes: MANY, within: LEASE, work: WORK })
    crowd.until(() => crowd.isWhole, 10 * LEASE)
    expect(crowd.counts.messages).toBeLessThan(60 * MANY)
  })

  test('that do nothing say nothing, write three times in a lease, and three of them list', () => {
    const crowd = met()
    crowd.pass(10 * LEASE)
    expect(crowd.counts).toMatchObject({ messages: 0, reads: 0, views: 0, ended: 0 })
    expect(crowd.counts.writes).toBeLessThanOrEqual(30 * MANY)
    expect(crowd.counts.lists).toBeLessThanOrEqual(3 * 30)
  })

  test('are frozen for four messages on the way when one joins, and when one dies', () => {
    const crowd = met()
    const one = crowd.add()
    crowd.until(() => crowd.isWhole, LEASE)
    expect(crowd.counts).toMatchObject({ views: 1, ended: 0 })
    expect(crowd.counts.messages).toBeLessThan(7 * MANY)
    crowd.forget()
    crowd.kill(one)
    crowd.until(() => crowd.isWhole, 2 * LEASE)
    expect(crowd.counts).toMatchObject({ views: 1, ended: 0 })
    expect(crowd.counts.messages).toBeLessThan(7 * MANY)
    expect(crowd.longestFreeze).toBeLessThan(5)
  })

  test.each([false, true])(
    'are looked at a few times each in a change, in whatever order they answer (backwards: %s)',
    (isBackwards) => {
      const crowd = met(isBackwards)
      let looks = 0
      const isOver: MeetingRules['isOver'] = (...asked) => {
        looks += 1
        return SOUND_MEETING.isOver(...asked)
      }
      underMeeting({ ...SOUND_MEETING, isOver }, () => {
        crowd.add()
        crowd.until(() => crowd.isWhole, LEASE)
      })
      expect(looks).toBeLessThan(10 * MANY)
    },
  )

  test.each([false, true])(
    'do not pause for the lease of one that is killed at any moment of a change (connections: %s)',
    (dials) => {
      for (let moment = 8; moment < 20; moment += 1) {
        const crowd = struck(dials, moment, (isProposer) => !isProposer)
        crowd.until(() => crowd.isWhole, 3 * LEASE)
        expect([moment, crowd.longestFreeze < LEASE / 20 + 10]).toEqual([moment, true])
        expect(crowd.counts.ended).toBe(0)
      }
    },
  )

  test.each([
    { dials: true, longest: LEASE / 20 },
    // No connection tells of it, so they wait until nothing was heard of the change for half a lease.
    { dials: false, longest: LEASE / 2 + LEASE / 10 },
  ])(
    'do not pause for the lease of the proposer that is killed at any moment of a change (connections: $dials)',
    ({ dials, longest }) => {
      let frozen = 0
      for (let moment = 4; moment < 20; moment += 1) {
        const crowd = struck(dials, moment, (isProposer) => isProposer)
        crowd.until(() => crowd.isWhole, 4 * LEASE)
        expect([moment, crowd.longestFreeze <= longest]).toEqual([moment, true])
        expect(crowd.counts.ended).toBe(0)
        if (crowd.longestFreeze > 5) frozen += 1
      }
      // At some of the moments members were frozen for a proposer that was dead.
      expect(frozen).toBeGreaterThan(dials ? 0 : 1)
    },
  )

  test('of whom many die at once change the view once', () => {
    const crowd = met()
    for (let i = 0; i < 20; i += 1) crowd.kill(i)
    crowd.until(() => crowd.isWhole, 4 * LEASE)
    expect(crowd.counts.views).toBeLessThan(4)
    expect(crowd.counts.ended).toBe(0)
    expect(crowd.longestFreeze).toBeLessThan(5)
  })
})
