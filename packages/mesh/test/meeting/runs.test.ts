/** Random runs of nodes that meet at a register, and each broken rule in a run that shows it. */
import { describe, expect, test } from 'vitest'
import { extent } from '../../../../test/extent.ts'
import { brokenMeetings, SOUND_MEETING } from '../../broken/meeting.ts'
import { type Counts, noCounts } from '../simulation/counts.ts'
import { LEASE } from '../simulation/plan.ts'
import { meetingPlanFor } from './plan.ts'
import { simulateMeeting } from './register.ts'

const [FIRST, LAST] = extent([1, 6], [1, 100], [1, 600])

describe(`seeds ${FIRST} to ${LAST}`, () => {
  const total = noCounts()
  const WIDTH = extent(6, 20)
  for (let first = FIRST; first <= LAST; first += WIDTH) {
    test(`from ${first}: nobody is let in beside another, fences rise, and everyone enters when faults are over`, () => {
      for (let seed = first; seed < first + WIDTH; seed += 1) {
        const { violation, counts } = simulateMeeting(meetingPlanFor(seed))
        for (const key of Object.keys(total) as (keyof Counts)[]) total[key] += counts[key]
        const replay = `npm run mesh:meetings -- --seed ${seed}`
        expect(violation === null ? 'fine' : `${violation.judge}: ${violation.text}; ${replay}`).toBe('fine')
      }
    })
  }

  test('they met what they are about', () => {
    const { begun, grants, carried, lost, crashes, pauses, cuts, leaves, quietTails } = total
    const met = { begun, grants, carried, lost, crashes, pauses, cuts, leaves, quietTails }
    for (const [what, count] of Object.entries(met))
      expect([what, count > extent(0, 10)]).toEqual([what, true])
  })
})

test('a group, whose callers want some of its names', () => {
  for (let seed = FIRST; seed <= LAST / 2; seed += 1) {
    const { violation } = simulateMeeting(meetingPlanFor(seed, { plan: { names: ['&a,b,c=G'] } }))
    const replay = `npm run mesh:meetings -- --seed ${seed} --names '&a,b,c=G'`
    expect(violation === null ? 'fine' : `${violation.judge}: ${violation.text}; ${replay}`).toBe('fine')
  }
})

test('callers with priorities that steal, update, upgrade and downgrade', () => {
  const drawn = { steals: 0.1, shared: 0.6, downgrades: 0.4, updates: 0.3, priorities: 0.5, localTurns: 2 }
  for (let seed = FIRST; seed <= LAST / 2; seed += 1) {
    const plan = { algorithm: 'token-queue', ...drawn }
    const { violation } = simulateMeeting(meetingPlanFor(seed, { plan }))
    const replay = `npm run mesh:meetings -- --seed ${seed} --plan '${JSON.stringify(plan)}'`
    expect(violation === null ? 'fine' : `${violation.judge}: ${violation.text}; ${replay}`).toBe('fine')
  }
})

test('somebody deletes the view again and again: nobody is let in beside another, and fences rise', () => {
  for (let seed = FIRST; seed <= LAST / 4; seed += 1) {
    const { violation } = simulateMeeting(meetingPlanFor(seed, { engine: { wipes: 3 * LEASE } }))
    const replay = `npm run mesh:meetings -- --seed ${seed} --wipes ${3 * LEASE}`
    expect(violation === null ? 'fine' : `${violation.judge}: ${violation.text}; ${replay}`).toBe('fine')
  }
})

test('a mistake that no run shows says why', () => {
  const silent = brokenMeetings.filter(({ seed, unseen }) => (seed === null) !== (unseen !== undefined))
  expect(silent.map(({ name }) => name)).toEqual([])
})

describe('a broken rule is caught', () => {
  for (const { name, mistake, change, seed, world } of brokenMeetings) {
    if (seed === null) continue
    test(`${name}: ${mistake}`, () => {
      const plan = meetingPlanFor(seed, world)
      expect(simulateMeeting(plan, { ...SOUND_MEETING, ...change }).violation).not.toBeNull()
    })
    test(`${name}: the same run under the rule is fine`, () => {
      expect(simulateMeeting(meetingPlanFor(seed, world)).violation).toBeNull()
    })
  }
})
