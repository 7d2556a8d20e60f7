import { describe, expect, test } from 'vitest'
import { SOUND_MEETING } from '../../../broken/meeting.ts'
import { VIEW } from '../../../src/protocol/meeting/cells.ts'
import type { MeetingRules } from '../../../src/protocol/meeting/meeting-rules.ts'
import { LEASE, MeetingScript } from '../script.ts'
import { deciding, met, provenBy } from './proof.ts'

describe('M6 freeze', () => {
  test('M6: it stops granting, remembers the epoch and reports what it holds; holders stay inside and may leave', () => {
    const script = met(['a', 'b'])
    const f = (script.view?.epoch ?? 0) + 1
    script.request('b', 'L')
    script.passes = () => false
    script.receive('b1', 'a1', { type: 'freeze', epoch: f })
    const { message } = script.said('b1', 'report').at(-1) ?? {}
    expect(message).toMatchObject({ epoch: f, session: 'b1', begun: f - 1 })
    expect(Object.keys(message?.holds ?? {})).toEqual(['L'])
    script.request('b', 'M')
    expect(script.holds('b', 'M')).toEqual([])
    expect(script.holds('b', 'L')).toHaveLength(1)
    script.release('b', 'L')
    expect(script.holds('b', 'L')).toEqual([])
    expect(script.node('b').durable.promised.epoch).toBe(f)
  })

  provenBy('frozen-for-less', 'M6: who is frozen for more answers NO, and what would be enough', (rules) => {
    const script = met(['a', 'b'], rules)
    script.passes = () => false
    script.receive('b1', 'a1', { type: 'freeze', epoch: 5000 })
    script.receive('b1', 'a1', { type: 'freeze', epoch: 4999 })
    expect(script.said('b1', 'no').map(({ message }) => message)).toEqual([
      { type: 'no', epoch: 4999, above: 5000 },
    ])
  })

  test('M6: so does who has begun it', () => {
    const script = met(['a', 'b'])
    const { epoch = 0 } = script.view ?? {}
    script.receive('b1', 'a1', { type: 'freeze', epoch })
    expect(script.said('b1', 'no').map(({ message }) => message)).toEqual([
      { type: 'no', epoch, above: epoch + 1 },
    ])
  })

  provenBy('report-without-freezing', 'M6: who has reported grants nothing until a view begins', (rules) => {
    const script = met(['a'], rules)
    script.receive('a1', 'x1', { type: 'freeze', epoch: 5000 })
    script.request('a', 'L')
    expect(script.holds('a', 'L')).toEqual([])
  })

  test('M6: the proposer asks for what those need that said NO', () => {
    const script = met(['a', 'b'])
    script.receive('b1', 'x1', { type: 'freeze', epoch: 5000 })
    script.do('a', { kind: 'renew' })
    script.pass(1)
    expect(script.begun).toEqual({ a: 5000, b: 5000 })
  })

  test('M6: and for what it is frozen for itself', () => {
    const script = met(['a', 'b'])
    script.receive('a1', 'x1', { type: 'freeze', epoch: 5000 })
    script.pass(8)
    expect(script.begun).toEqual({ a: 5000, b: 5000 })
  })
})

describe('M6 thaw', () => {
  /** `a` proposes, and `c` has answered but does not report. */
  function waiting(rules: MeetingRules = SOUND_MEETING): MeetingScript {
    const script = met(['a', 'b', 'c'], rules)
    script.passes = (from, _, { type }) => from !== 'c1' || type !== 'report'
    script.do('a', { kind: 'renew' })
    expect(script.meeting('a').attempt?.stage).toBe('freezing')
    return script
  }

  test('M6: nobody stays frozen for a member that was killed between its answer and its report', () => {
    const script = waiting()
    script.request('b', 'L')
    expect(script.holds('b', 'L')).toEqual([])
    script.kill('c')
    script.do('a', { kind: 'disconnected', peer: 'c1' })
    expect(script.meeting('a').attempt?.stage).toBe('probing')
    expect(script.holds('b', 'L')).toHaveLength(1)
    script.pass(14)
    expect(script.members).toEqual(['a1', 'b1'])
    expect(script.holds('b', 'L')).toHaveLength(1)
    expect(script.of('b', 'lost')).toEqual([])
  })

  test('M6: nor if no connection has ended: then for a twentieth of a lease', () => {
    const script = waiting()
    script.request('b', 'L')
    script.kill('c')
    script.now += LEASE / 20
    script.do('a', { kind: 'wake' })
    expect(script.holds('b', 'L')).toHaveLength(1)
  })

  test('M6: a member that is only slow is waited for longer with each attempt', () => {
    const script = waiting()
    script.pass(4)
    expect(script.said('a1', 'thaw').length).toBeGreaterThan(3)
    script.passes = () => true
    script.pass(2)
    expect(script.begun['c']).toBe(script.view?.epoch)
    expect(script.view?.epoch).toBeGreaterThan(1001)
  })

  test('M6: what callers did meanwhile happens when it thaws', () => {
    const script = met(['a', 'b', 'c'])
    script.request('b', 'L')
    script.request('a', 'L')
    script.passes = (from, _, { type }) => from !== 'c1' || type !== 'report'
    script.do('a', { kind: 'renew' })
    script.release('b', 'L')
    script.request('b', 'L')
    expect([script.holds('a', 'L'), script.holds('b', 'L')]).toEqual([[], []])
    script.do('a', { kind: 'disconnected', peer: 'c1' })
    expect([script.holds('a', 'L').length, script.holds('b', 'L').length]).toEqual([1, 0])
    script.passes = () => true
    script.release('a', 'L')
    script.pass(1)
    expect(script.holds('b', 'L')).toHaveLength(1)
  })

  test('M6: a FREEZE that THAW has overtaken freezes nobody', () => {
    const script = waiting()
    const { epoch = 0 } = script.meeting('a').attempt ?? {}
    script.kill('c')
    script.do('a', { kind: 'disconnected', peer: 'c1' })
    script.receive('b1', 'a1', { type: 'freeze', epoch })
    script.request('b', 'L')
    expect(script.holds('b', 'L')).toHaveLength(1)
  })

  provenBy('thaws-though-reported', 'M6: a node that reported to another proposer stays frozen', (rules) => {
    const script = waiting(rules)
    const { epoch = 0 } = script.meeting('a').attempt ?? {}
    script.receive('b1', 'x1', { type: 'freeze', epoch })
    script.receive('b1', 'a1', { type: 'thaw', epoch })
    script.request('b', 'L')
    expect(script.holds('b', 'L')).toEqual([])
  })

  provenBy('gives-up-a-decision', 'M6: a proposer that may have decided gives nothing up', (rules) => {
    const script = deciding(['a', 'b'], rules)
    script.under('a', 'cas', VIEW).loseAnswer()
    script.do('a', { kind: 'leave' })
    expect(script.said('a1', 'thaw')).toEqual([])
  })

  provenBy('tries-an-epoch-again', 'M6: an epoch that was given up is not tried again', (rules) => {
    const script = waiting(rules)
    const { epoch = 0 } = script.meeting('a').attempt ?? {}
    script.do('a', { kind: 'disconnected', peer: 'c1' })
    script.do('a', { kind: 'receive', from: 'c1', message: { type: 'here', session: 'c1' } })
    expect(script.meeting('a').attempt?.epoch).toBeGreaterThan(epoch)
  })
})
