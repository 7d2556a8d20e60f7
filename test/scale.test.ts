/** The formulas of docs/scale.md, held against the protocol in virtual time. */
import { describe, expect, test } from 'vitest'
import { churn, LEASE, viewCost } from '../scripts/scale/churn.ts'
import { idleWrites, messagesOfView, pauseOfView, viewsPerHour } from '../scripts/scale/model.ts'
import { extent } from './extent.ts'

describe('a view', () => {
  test.each([10, extent(30, 100)])('of %i members costs what the formulas say', (members) => {
    const { messages, pause, writes, record } = viewCost(members)
    expect(messages).toBe(messagesOfView(members))
    expect(pause).toBe(pauseOfView(1))
    expect((writes * members * 1000) / LEASE).toBeCloseTo(idleWrites(members, LEASE), 0)
    expect(record / members).toBeLessThan(60)
  })
})

describe('members that come and go', () => {
  const plan = { members: 10, perMinute: 30, kills: false, delay: 1, minutes: extent(2, 20) }

  test('in good order: as many views as the formula says, short pauses, and nobody is lost', () => {
    const { views, ended, longestPause } = churn(plan, () => {})
    const expected = viewsPerHour(plan.perMinute)
    // Comings and goings are drawn: three times their deviation.
    const made = (expected * plan.minutes) / 60
    expect(Math.abs(views / expected - 1)).toBeLessThan(3 / Math.sqrt(made))
    expect(ended).toBe(0)
    expect(longestPause).toBeLessThan(LEASE)
  })

  test('of whom half are killed: their locks stand still for about a lease', () => {
    const { takeover, ended, views } = churn({ ...plan, kills: true }, () => {})
    expect(takeover / LEASE).toBeGreaterThan(0.5)
    expect(takeover / LEASE).toBeLessThan(2)
    expect(ended).toBe(0)
    expect(views).toBeLessThan(viewsPerHour(plan.perMinute))
  })
})
