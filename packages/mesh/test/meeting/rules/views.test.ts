import { describe, expect, test } from 'vitest'
import { rowOf, VIEW } from '../../../src/protocol/meeting/cells.ts'
import { MeetingScript } from '../script.ts'
import { deciding, isDecision, met, provenBy } from './proof.ts'

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
    expect(script.node('a').begun?.table['L']?.map(({ id }) => id)).toEqual(['b1'])
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
      expect(script.meeting('a').seen['b1']?.sealed).toBe(true)
      script.passes = () => true
      script.receive('c1', 'a1', { type: 'freeze', epoch: script.meeting('a').attempt?.epoch ?? 0 })
      expect(script.members).toEqual(['a1', 'b1', 'c1'])
      expect(script.node('a').begun?.table['L']?.map(({ id }) => id)).toEqual(['b1'])
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
    const { begun } = script.node('b')
    if (begun === null) throw new Error('b has begun no view')
    const before = script.of('b', 'begun').length
    script.receive('b1', 'a1', { type: 'view', record: begun })
    script.receive('b1', 'a1', { type: 'view', record: { ...begun, epoch: begun.epoch - 1 } })
    expect(script.of('b', 'begun')).toHaveLength(before)
  })

  test('M8: nor one that does not name its session', () => {
    const script = met(['a', 'b'])
    const { begun } = script.node('b')
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
    expect(script.node('b').begun).toEqual(script.node('c').begun)
    expect(script.node('b').begun).toEqual(script.node('a').begun)
  })

  test('M8: of a change it learns the addresses of those who come, and forgets those who go', () => {
    const script = met(['a', 'b', 'c'])
    script.pass(40)
    const from = script.effects.length
    script.add('d')
    script.pass(5)
    script.do('c', { kind: 'leave' })
    script.pass(5)
    expect(script.members).toEqual(['a1', 'b1', 'd1'])
    const told = script.effects.slice(from).flatMap(({ id, effect }) => {
      return id === 'b' && effect.kind === 'addresses' && !effect.isWhole
        ? Object.entries(effect.addresses)
        : []
    })
    expect(told).toContainEqual(['d1', 'at d1'])
    expect(told.findLast(([id]) => id === 'c1')).toEqual(['c1', null])
    expect(told.findLast(([id]) => id === 'd1')).toEqual(['d1', 'at d1'])
    expect(told).not.toContainEqual(['a1', null])
  })

  test('M8: a change after a view that it has not begun is asked for whole', () => {
    const script = met(['a', 'b'])
    const { begun } = script.node('b')
    if (begun === null) throw new Error('b has begun no view')
    const epoch = begun.epoch + 2
    script.receive('b1', 'a1', { type: 'change', epoch, after: epoch - 1, gone: [], come: [], table: {} })
    expect(script.begun['b']).toBe(begun.epoch)
    expect(script.said('b1', 'fetch')).toMatchObject([{ to: 'a1', message: { epoch } }])
  })

  test('M8: a member that has begun passes it on to one that asks', () => {
    const script = met(['a', 'b', 'c'])
    script.passes = (_, to, { type }) => !['change', 'draft'].includes(type) || to !== 'c1'
    script.do('a', { kind: 'renew' })
    script.kill('a')
    script.passes = () => true
    script.pass(7)
    expect(script.said('b1', 'view').map(({ to }) => to)).toContain('c1')
    expect(script.begun['c']).toBe(script.begun['b'])
  })
})
