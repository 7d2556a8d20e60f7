import { describe, expect, test } from 'vitest'
import { rowOf } from '../../../src/protocol/meeting/cells.ts'
import { LEASE, MeetingScript } from '../script.ts'
import { cutOff, isRenewal, met, seal } from './proof.ts'

describe('M11 leave', () => {
  test('M11: holds are dropped, the row goes, the first members are told, and nobody waits for a lease', () => {
    const script = met(['a', 'b', 'c'])
    script.request('c', 'L')
    script.request('a', 'L')
    const at = script.now
    script.do('c', { kind: 'leave' })
    expect(script.row('c1')).toBeNull()
    expect(script.of('c', 'left')).toHaveLength(1)
    script.kill('c')
    script.pass(2)
    expect(script.members).toEqual(['a1', 'b1'])
    expect(script.holds('a', 'L')).toHaveLength(1)
    expect(script.now - at).toBeLessThan(LEASE / 2)
  })

  test('M11: joiners that wait for it are told, and one of them proposes at once', () => {
    const script = met(['a'])
    script.add('j')
    const at = script.now
    script.do('a', { kind: 'leave' })
    script.kill('a')
    expect([script.members, script.now]).toEqual([['j1'], at])
  })

  test('M11: its row is read when a connection to it ends, though the row was seen before', () => {
    const script = met(['a'])
    script.add('j')
    // The word of the one that leaves is lost.
    script.passes = (from) => from !== 'a1'
    script.do('a', { kind: 'leave' })
    script.kill('a')
    expect(script.members).toEqual(['a1'])
    script.do('j', { kind: 'disconnected', peer: 'a1' })
    expect(script.members).toEqual(['j1'])
  })

  test('M11: a member that leaves instead of reporting tells the proposer', () => {
    const script = met(['a', 'b', 'c', 'd', 'e'])
    script.passes = (from, _, { type }) => from !== 'e1' || type !== 'report'
    // It is not among the first members, who are told anyway.
    script.do('d', { kind: 'renew' })
    script.pass(15)
    expect(script.meeting('d').attempt?.stage).toBe('freezing')
    script.do('e', { kind: 'leave' })
    expect(script.members).toEqual(['a1', 'b1', 'c1', 'd1'])
  })

  test('M11: a renewal that is under way does not keep the row', () => {
    const script = met(['a', 'b'])
    script.fate = (_, call) => (isRenewal(call) ? 'later' : 'now')
    script.pass(4, 'a')
    const renewal = script.under('a', 'cas').reach()
    script.do('a', { kind: 'leave' })
    script.fate = () => 'now'
    for (const held of script.held.splice(0)) held.finish()
    renewal.finish()
    expect(script.row('a1')).toBeNull()
    expect(script.of('a', 'left')).toHaveLength(1)
  })

  test('M11: nor does a version that it has not seen', () => {
    const script = met(['a', 'b'])
    seal(script, 'a1')
    script.do('a', { kind: 'leave' })
    expect(script.row('a1')).toBeNull()
    expect(script.of('a', 'left')).toHaveLength(1)
  })

  test('M11: who leaves while it changes the view leaves the others able to go on', () => {
    const script = met(['a', 'b', 'c'])
    script.request('c', 'L')
    script.fate = (id, call) => (id === 'a' && call.do === 'cas' && call.cell === 'view' ? 'later' : 'now')
    script.do('a', { kind: 'renew' })
    const decision = script.under('a', 'cas', 'view')
    script.do('a', { kind: 'leave' })
    script.kill('a')
    script.pass(3)
    // Its decision arrives when it has left.
    decision.reach()
    script.pass(15)
    expect(script.members).toEqual(['b1', 'c1'])
    expect(script.holds('c', 'L')).toHaveLength(1)
    script.request('b', 'L')
    script.release('c', 'L')
    expect(script.holds('b', 'L')).toHaveLength(1)
  })

  test('M11: nor does a creation that is under way', () => {
    const script = new MeetingScript()
    script.fate = () => 'later'
    script.add('a')
    const creation = script.under('a', 'cas').reach()
    script.do('a', { kind: 'leave' })
    script.fate = () => 'now'
    creation.finish()
    expect(script.row('a1')).toBeNull()
    expect(script.of('a', 'left')).toHaveLength(1)
  })

  test('M11: a register that does not answer keeps nobody from leaving', () => {
    const script = met(['a', 'b'])
    script.fate = () => 'lost'
    script.do('a', { kind: 'leave' })
    expect(script.of('a', 'left')).toHaveLength(1)
  })

  test('M11: who has left answers nobody and asks nothing', () => {
    const script = met(['a', 'b'])
    script.do('a', { kind: 'leave' })
    const since = [script.calls.length, script.sent.length]
    script.receive('a1', 'b1', { type: 'freeze', epoch: 5000 })
    script.receive('a1', 'b1', { type: 'hello', session: 'b1', address: '', waits: false })
    script.pass(10, 'a')
    script.do('a', { kind: 'hint' })
    script.renew('a', 'a2')
    expect([script.calls.length, script.sent.length]).toEqual(since)
    expect(script.of('a', 'left')).toHaveLength(1)
  })

  test('M11: a row is deleted by others only when it was seen sealed for D, so that gone means over', () => {
    const script = met(['a', 'b', 'c'])
    script.add('j')
    script.passes = cutOff('j1')
    script.pass(1)
    script.kill('j')
    const renewedAt = script.now
    while (script.cells.has(rowOf('j1'))) {
      const { sealed } = script.row('j1') ?? {}
      script.pass(1)
      if (!script.cells.has(rowOf('j1'))) expect(sealed).toBe(true)
      expect(script.now).toBeLessThan(renewedAt + 3 * LEASE)
    }
    expect(script.now).toBeGreaterThanOrEqual(renewedAt + LEASE)
  })
})
