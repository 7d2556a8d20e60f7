import { describe, expect, test } from 'vitest'
import { SOUND_MEETING } from '../../../broken/meeting.ts'
import { type Call, rowOf, VIEW } from '../../../src/protocol/meeting/cells.ts'
import type { MeetingRules } from '../../../src/protocol/meeting/rules.ts'
import { LEASE, MeetingScript } from '../script.ts'
import { cutOff, met, provenBy } from './proof.ts'

const isDecision = (call: Call) => call.do === 'cas' && call.cell === VIEW

/** `a` proposes, everybody has reported, and its decision is under way. */
function deciding(names: readonly string[], rules: MeetingRules = SOUND_MEETING): MeetingScript {
  const script = met(names, rules)
  script.fate = (id, call) => (id === 'a' && isDecision(call) ? 'later' : 'now')
  script.do('a', { kind: 'renew' })
  return script
}

describe('M5 who changes the view', () => {
  test('M5: the first member that lives proposes, and the others have no part in it', () => {
    const script = met(['a', 'b', 'c'])
    script.scribble(rowOf('c1'), null)
    script.kill('c')
    script.pass(6)
    expect(script.members).toEqual(['a1', 'b1'])
    expect(script.said('b1', 'freeze')).toEqual([])
  })

  test('M5: if the first does not, the next does after a backoff', () => {
    const script = met(['a', 'b', 'c'])
    script.kill('a')
    script.scribble(rowOf('a1'), null)
    script.pass(10)
    expect(script.members).toEqual(['b1', 'c1'])
    expect(script.said('c1', 'freeze')).toEqual([])
  })

  test('M5: a message that is not acknowledged for half a lease is a reason', () => {
    const script = met(['a', 'b', 'c'])
    const epoch = script.view?.epoch ?? 0
    script.passes = (_, __, { type }) => type !== 'link-ack'
    for (const name of ['a', 'b', 'c']) script.request(name, 'L')
    script.pass(12)
    expect(script.view?.epoch).toBeGreaterThan(epoch)
  })

  test('M5: a joiner is one when it was heard and has heard, and those that come together come in together', () => {
    const script = met(['a'])
    const epoch = script.view?.epoch ?? 0
    script.add('b')
    script.add('c')
    script.pass(3)
    expect(script.members).toEqual(['a1', 'b1', 'c1'])
    expect(script.view?.epoch).toBe(epoch + 1)
  })

  test('M5: one that is heard and does not hear is no reason', () => {
    const script = met(['a', 'b'])
    script.passes = (_, to) => to !== 'j1'
    const epoch = script.view?.epoch
    script.add('j')
    script.pass(20)
    expect(script.view?.epoch).toBe(epoch)
  })

  test('M5: a joiner that has died meanwhile costs a view, and not one after another', () => {
    const script = met(['a', 'b'])
    const epoch = script.view?.epoch ?? 0
    script.add('j')
    script.kill('j')
    script.pass(9)
    // One by each who had heard it and had its turn to propose.
    expect(script.view?.epoch).toBeLessThanOrEqual(epoch + 2)
  })

  test('M5: a joiner for whom the algorithm has no place waits, and disturbs nobody', () => {
    const settings = { algorithm: 'ricart-agrawala modulus=3' }
    const script = met(['a', 'b'], SOUND_MEETING, { settings })
    const epoch = script.view?.epoch
    script.add('j', { settings })
    script.pass(20)
    expect(script.view?.epoch).toBe(epoch)
  })

  test('M5: one whom a view has taken in is no reason for another, however long that takes to be told', () => {
    const script = met(['a', 'b'])
    const epoch = script.view?.epoch ?? 0
    script.passes = (_, to, { type }) => to !== 'j1' || (type !== 'view' && type !== 'change')
    script.add('j')
    script.pass(9)
    expect(script.members).toEqual(['a1', 'b1', 'j1'])
    expect(script.view?.epoch).toBe(epoch + 1)
    script.passes = () => true
    script.pass(1)
    expect(script.begun).toEqual({ a: epoch + 1, b: epoch + 1, j: epoch + 1 })
  })

  test('M5: the report of a joiner is waited for after those of the members have come, however late these came', () => {
    const script = met(['a', 'b'])
    const late: Record<string, () => void> = {}
    script.passes = (from, to, message) => {
      if (message.type !== 'report') return true
      late[from] = () => script.receive(to, from, message)
      return false
    }
    script.add('j')
    for (let i = 0; i < 9 && late['j1'] === undefined; i += 1) script.pass(1)
    // It was busy for a while, and both are there to be read.
    script.pass(3, 'j')
    script.passes = () => true
    late['b1']?.()
    late['j1']?.()
    expect(script.members).toEqual(['a1', 'b1', 'j1'])
  })

  test('M8: while a view is not begun everywhere a joiner waits for the next, but not for longer than T', () => {
    const script = met(['a', 'b'])
    const epoch = script.view?.epoch ?? 0
    script.passes = (_, to, { type }) => to !== 'b1' || (type !== 'view' && type !== 'change')
    script.do('a', { kind: 'renew' })
    script.pass(1)
    expect(script.view?.epoch).toBe(epoch + 1)
    script.add('j')
    script.pass(4)
    expect(script.view?.epoch).toBe(epoch + 1)
    script.pass(10)
    expect(script.members).toEqual(['a1', 'b1', 'j1'])
  })

  test('M5: the first view is not followed by another without a reason', () => {
    const script = new MeetingScript()
    script.add('a')
    script.add('b')
    script.pass(5)
    const { epoch } = script.view ?? {}
    script.pass(20)
    expect(script.view?.epoch).toBe(epoch)
    expect(script.members).toEqual(['a1', 'b1'])
    expect(epoch).toBe(1001)
  })

  test('M5: who has begun the view of another gives up its own attempt', () => {
    const script = met(['a', 'b', 'c'])
    script.passes = cutOff('c1')
    script.do('b', { kind: 'renew' })
    script.pass(6)
    expect(script.meeting('b').attempt).not.toBeNull()
    script.passes = () => true
    script.do('a', { kind: 'renew' })
    script.pass(1, 'a')
    expect(script.meeting('b').attempt).toBeNull()
  })
})

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
    expect(script.nodes['b'].durable.promised.epoch).toBe(f)
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

describe('M7 decide', () => {
  test('M7: not before every member has reported or its lease is over', () => {
    const script = met(['a', 'b', 'c'])
    script.passes = (from, _, { type }) => from !== 'c1' || type !== 'report'
    script.do('a', { kind: 'renew' })
    script.pass(2)
    expect(script.begun['a']).toBe(script.view?.epoch)
    expect(script.calls.filter(({ call }) => isDecision(call)).at(-1)?.at).toBeLessThan(script.now)
    expect(script.meeting('a').attempt?.stage).toBe('freezing')
  })

  test('M7: a report counts for its epoch only', () => {
    const script = met(['a', 'b'])
    script.passes = (from, _, { type }) => from !== 'b1' || type !== 'report'
    script.do('a', { kind: 'renew' })
    const { epoch = 0 } = script.meeting('a').attempt ?? {}
    const report = { type: 'report', session: 'b1', address: '', begun: null, holds: {} } as const
    script.receive('a1', 'b1', { ...report, epoch: epoch - 1 })
    expect(script.meeting('a').attempt?.stage).toBe('freezing')
    script.receive('a1', 'b1', { ...report, epoch })
    expect(script.view?.epoch).toBe(epoch)
  })

  provenBy('table-from-memory', 'M7: the table holds what was reported', (rules) => {
    const script = met(['a', 'b'], rules)
    script.request('b', 'L')
    script.do('a', { kind: 'renew' })
    expect(script.nodes['a'].begun?.table['L']?.map(({ id }) => id)).toEqual(['b1'])
    script.request('a', 'L')
    expect(script.twoHolders).toBeNull()
    expect(script.holds('a', 'L')).toEqual([])
  })

  provenBy(
    'sealed-is-left-out',
    'M7: one that reported stays, though its row was sealed meanwhile',
    (rules) => {
      const script = met(['a', 'b', 'c'], rules)
      script.request('b', 'L')
      script.passes = (from, _, { type }) => from !== 'c1' || type !== 'report'
      script.do('a', { kind: 'renew' })
      const row = { ...script.row('b1'), sealed: true }
      script.scribble(rowOf('b1'), JSON.stringify(row))
      script.receive('a1', 'x1', { type: 'look', session: 'b1' })
      expect(script.meeting('a').seen['b1'].sealed).toBe(true)
      script.passes = () => true
      script.receive('c1', 'a1', { type: 'freeze', epoch: script.meeting('a').attempt?.epoch ?? 0 })
      expect(script.members).toEqual(['a1', 'b1', 'c1'])
      expect(script.nodes['a'].begun?.table['L']?.map(({ id }) => id)).toEqual(['b1'])
    },
  )

  test('M7: refused, the attempt is over', () => {
    const script = deciding(['a', 'b'])
    const { epoch = 0 } = script.view ?? {}
    script.scribble(VIEW, JSON.stringify({ ...script.view, nonce: 'of another', epoch: epoch + 5 }))
    script.under('a', 'cas', VIEW).finish()
    expect(script.begun).toEqual({ a: epoch, b: epoch })
    expect(script.meeting('a').attempt).toBeNull()
  })

  provenBy(
    'unknown-view-counts',
    'M7: a decision of unknown outcome is looked up, and sent again as it was',
    (rules) => {
      const script = deciding(['a', 'b'], rules)
      const { epoch = 0 } = script.view ?? {}
      const first = script.under('a', 'cas', VIEW)
      first.loseAnswer()
      expect(script.begun['a']).toBe(epoch)
      const second = script.under('a', 'cas', VIEW)
      expect(second.call).toEqual(first.call)
      second.finish()
      expect(script.begun).toEqual({ a: epoch + 1, b: epoch + 1 })
    },
  )

  test('M7: found in the cell, it was done', () => {
    const script = deciding(['a', 'b'])
    const { epoch = 0 } = script.view ?? {}
    script.under('a', 'cas', VIEW).reach().loseAnswer()
    expect(script.begun).toEqual({ a: epoch + 1, b: epoch + 1 })
  })

  test('M7: the second is refused because the first was done after all: it is decided', () => {
    const script = deciding(['a', 'b'])
    const { epoch = 0 } = script.view ?? {}
    const first = script.under('a', 'cas', VIEW)
    first.loseAnswer()
    first.reach()
    script.under('a', 'cas', VIEW).finish()
    expect(script.begun).toEqual({ a: epoch + 1, b: epoch + 1 })
  })

  test('M7: where there was no view it is not sent again', () => {
    const script = new MeetingScript()
    script.fate = (_, call) => (isDecision(call) ? 'later' : 'now')
    script.add('a')
    script.under('a', 'cas', VIEW).loseAnswer()
    expect(script.held).toEqual([])
    expect(script.meeting('a').attempt).toBeNull()
    // After a while it proposes anew.
    script.fate = () => 'now'
    script.pass(8)
    expect(script.begun['a']).toBe(script.view?.epoch)
  })
})

describe('M8 begin', () => {
  provenBy('begins-though-frozen', 'M8: nobody begins a view who is frozen for a later one', (rules) => {
    const script = deciding(['a', 'b'], rules)
    const { epoch = 0 } = script.view ?? {}
    script.receive('b1', 'x1', { type: 'freeze', epoch: 5000 })
    script.under('a', 'cas', VIEW).finish()
    expect(script.begun).toEqual({ a: epoch + 1, b: epoch })
  })

  test('M8: nor one again, nor an earlier one', () => {
    const script = met(['a', 'b'])
    const { begun } = script.nodes['b']
    if (begun === null) throw new Error('b has begun no view')
    const before = script.of('b', 'begun').length
    script.receive('b1', 'a1', { type: 'view', record: begun })
    script.receive('b1', 'a1', { type: 'view', record: { ...begun, epoch: begun.epoch - 1 } })
    expect(script.of('b', 'begun')).toHaveLength(before)
  })

  test('M8: nor one that does not name its session', () => {
    const script = met(['a', 'b'])
    const { begun } = script.nodes['b']
    if (begun === null) throw new Error('b has begun no view')
    const members = begun.members.map((member) => (member.id === 'b1' ? { ...member, id: 'b0' } : member))
    script.receive('b1', 'a1', { type: 'view', record: { ...begun, epoch: begun.epoch + 1, members } })
    expect(script.begun['b']).toBe(begun.epoch)
  })

  test('M8: it is said again until everybody has begun', () => {
    const script = met(['a', 'b'])
    const { epoch = 0 } = script.view ?? {}
    script.passes = (_, __, { type }) => type !== 'change'
    script.do('a', { kind: 'renew' })
    expect(script.begun).toEqual({ a: epoch + 1, b: epoch })
    script.passes = () => true
    script.pass(1)
    expect(script.begun).toEqual({ a: epoch + 1, b: epoch + 1 })
    const said = script.said('a1', 'change').length
    script.pass(3)
    expect(script.said('a1', 'change')).toHaveLength(said)
  })

  test('M8: who has begun the view before is told what changes, and begins the same as one that is told all', () => {
    const script = met(['a', 'b'])
    script.add('c')
    script.pass(5)
    const to = (type: 'view' | 'change') => script.said('a1', type).map((said) => said.to)
    expect(to('change')).toContain('b1')
    expect(to('change')).not.toContain('c1')
    expect(to('view').at(-1)).toBe('c1')
    expect(script.nodes['b'].begun).toEqual(script.nodes['c'].begun)
    expect(script.nodes['b'].begun).toEqual(script.nodes['a'].begun)
  })

  test('M8: a change after a view that it has not begun is asked for whole', () => {
    const script = met(['a', 'b'])
    const { begun } = script.nodes['b']
    if (begun === null) throw new Error('b has begun no view')
    const epoch = begun.epoch + 2
    script.receive('b1', 'a1', { type: 'change', epoch, after: epoch - 1, gone: [], come: [], table: {} })
    expect(script.begun['b']).toBe(begun.epoch)
    expect(script.said('b1', 'fetch')).toMatchObject([{ to: 'a1', message: { epoch } }])
  })

  test('M8: a member that has begun passes it on to one that asks', () => {
    const script = met(['a', 'b', 'c'])
    script.passes = (_, to, { type }) => type !== 'change' || to !== 'c1'
    script.do('a', { kind: 'renew' })
    script.kill('a')
    script.passes = () => true
    script.pass(7)
    expect(script.said('b1', 'view').map(({ to }) => to)).toContain('c1')
    expect(script.begun['c']).toBe(script.begun['b'])
  })
})
