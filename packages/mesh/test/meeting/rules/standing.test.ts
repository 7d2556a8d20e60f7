import { describe, expect, test } from 'vitest'
import { SOUND_MEETING } from '../../../broken/meeting.ts'
import { rowOf, VIEW } from '../../../src/protocol/meeting/cells.ts'
import { LEASE, MeetingScript } from '../script.ts'
import { cutOff, isDecision, met } from './proof.ts'

describe('M10 stuck', () => {
  test('M10: frozen, and nothing heard for half a lease: it proposes', () => {
    const script = met(['a', 'b'])
    const { epoch = 0 } = script.view ?? {}
    script.receive('a1', 'x1', { type: 'freeze', epoch: epoch + 1 })
    script.pass(4)
    expect(script.view?.epoch).toBe(epoch)
    script.pass(2)
    expect(script.begun).toEqual({ a: epoch + 1, b: epoch + 1 })
  })

  test('M10: the proposer has died, and everybody is frozen: the next goes on', () => {
    const script = met(['a', 'b', 'c'])
    script.request('c', 'L')
    script.fate = (id, call) => (id === 'a' && isDecision(call) ? 'later' : 'now')
    script.do('a', { kind: 'renew' })
    script.kill('a')
    script.request('b', 'L')
    script.pass(40)
    expect(script.members).toEqual(['b1', 'c1'])
    expect([script.holds('b', 'L').length, script.holds('c', 'L').length]).toEqual([0, 1])
    script.release('c', 'L')
    expect(script.holds('b', 'L')).toHaveLength(1)
  })

  test('M10: by the word of the kernel that the proposer has died nothing is waited for', () => {
    for (const isDecided of [false, true]) {
      const script = met(['a', 'b', 'c'], SOUND_MEETING, { life: 'process' })
      const { epoch = 0 } = script.view ?? {}
      script.request('a', 'L')
      script.request('c', 'L')
      script.fate = (id, call) => (id === 'a' && isDecision(call) ? 'later' : 'now')
      script.do('a', { kind: 'renew' })
      if (isDecided) script.under('a', 'cas', VIEW).reach()
      script.kill('a')
      expect([script.begun['b'], script.begun['c']]).toEqual([epoch, epoch])
      for (const name of ['b', 'c']) script.do(name, { kind: 'dead', session: 'a1' })
      expect(script.members).toEqual(['b1', 'c1'])
      expect(script.holds('c', 'L')).toHaveLength(1)
    }
  })

  test('M10: it is named in a view that nobody has begun: it asks the members, and then proposes', () => {
    const script = met(['a', 'b'])
    script.request('b', 'L')
    const { epoch = 0 } = script.view ?? {}
    script.fate = (id, call) => (id === 'a' && isDecision(call) ? 'later' : 'now')
    script.passes = (_, __, { type }) => type !== 'draft'
    script.do('a', { kind: 'renew' })
    // Decided, and nobody knows it.
    script.under('a', 'cas', VIEW).reach()
    script.kill('a')
    expect([script.view?.epoch, script.begun['b']]).toEqual([epoch + 1, epoch])
    script.pass(8)
    expect(script.said('b1', 'fetch').map(({ to, message }) => [to, message.epoch])).toContainEqual([
      'a1',
      epoch + 1,
    ])
    script.pass(30)
    expect(script.members).toEqual(['b1'])
    expect(script.holds('b', 'L')).toHaveLength(script.of('b', 'lost').length === 0 ? 1 : 0)
    expect(script.begun['b']).toBe(script.view?.epoch)
  })

  test('M10: so does a joiner that is named and was never told', () => {
    const script = met(['a'])
    script.fate = (id, call) => (id === 'a' && isDecision(call) ? 'later' : 'now')
    script.add('j')
    script.pass(2)
    script.under('a', 'cas', VIEW).reach()
    script.kill('a')
    expect(script.members).toEqual(['a1', 'j1'])
    script.pass(40)
    expect(script.members).toEqual(['j1'])
    expect(script.begun['j']).toBe(script.view?.epoch)
  })

  test('M10: and so do two that hear each other, though the others that are named have died', () => {
    const script = new MeetingScript()
    const names = ['a', 'b', 'c', 'd', 'e']
    script.passes = () => false
    for (const name of names) script.add(name)
    script.passes = () => true
    script.fate = (id, call) => (id === 'a' && isDecision(call) ? 'later' : 'now')
    for (let round = 0; round < 20 && script.held.length === 0; round += 1) script.pass(1)
    script.under('a', 'cas', VIEW).reach()
    for (const name of ['a', 'b', 'd']) script.kill(name)
    expect(script.members).toEqual(['a1', 'b1', 'c1', 'd1', 'e1'])
    script.pass(60)
    expect(script.members).toEqual(['c1', 'e1'])
    expect(script.begun['e']).toBe(script.view?.epoch)
  })

  test('M10: a joiner says HELLO to the members, and proposes if none of their rows lives', () => {
    const script = met(['a', 'b'])
    for (const name of ['a', 'b']) script.kill(name)
    const at = script.now
    script.add('j')
    expect(script.said('j1', 'hello').map(({ to }) => to)).toEqual(['a1', 'b1'])
    script.pass(8)
    expect(script.members).toEqual(['a1', 'b1'])
    script.pass(20)
    expect(script.members).toEqual(['j1'])
    expect(script.now).toBeGreaterThanOrEqual(at + LEASE)
  })

  test('M10: the joiner that knows first that none lives tells the one that proposes, and is taken in', () => {
    const script = met(['a'])
    for (const name of ['j', 'k']) script.add(name)
    // The first joiner does not hear of it.
    script.passes = (from) => from !== 'a1'
    script.do('a', { kind: 'leave' })
    script.kill('a')
    script.do('k', { kind: 'disconnected', peer: 'a1' })
    expect(script.members).toEqual(['j1', 'k1'])
    expect(script.said('k1', 'freeze')).toEqual([])
  })

  test('M10: a joiner of whom nobody knew looks again soon whether there is a view', () => {
    const script = new MeetingScript()
    // Both begin before there is a view. The first one lists before the other has a row.
    script.fate = (_, call) => (call.do === 'cas' && call.cell === VIEW ? 'later' : 'now')
    script.add('a')
    script.add('b')
    script.fate = () => 'now'
    script.under('a', 'cas', VIEW).finish()
    expect(script.members).toEqual(['a1'])
    script.pass(3)
    expect(script.members).toEqual(['a1', 'b1'])
  })

  test('M10: while one of them lives it waits', () => {
    const script = met(['a', 'b'])
    script.add('j')
    script.passes = (_, to) => to !== 'j1'
    script.pass(30)
    expect(script.said('j1', 'freeze')).toEqual([])
  })
})

describe('M12 first', () => {
  test('M12: alone, at once: with its row it makes the first view', () => {
    const script = new MeetingScript()
    script.add('a')
    expect(script.begun).toEqual({ a: 1000 })
    script.request('a', 'L')
    expect(script.holds('a', 'L')).toHaveLength(1)
  })

  test('M12: everybody who has a row must have reported, or be over', () => {
    const script = new MeetingScript()
    const row = { address: 'at z1', life: '', beat: 1, sealed: false, cut: [] }
    script.scribble(rowOf('z1'), JSON.stringify(row))
    script.add('a')
    script.pass(8)
    expect(script.view).toBeNull()
    script.pass(20)
    expect(script.members).toEqual(['a1'])
    expect(script.now).toBeGreaterThanOrEqual(LEASE)
  })

  test('M12: without a view one that is slow to answer is not ended in a lease', () => {
    const script = new MeetingScript()
    script.passes = cutOff('b1')
    script.fate = () => 'later'
    script.add('a')
    script.add('b')
    while (script.held.length > 0) script.held.shift()?.finish()
    script.fate = () => 'now'
    const since = script.now
    while (script.now < since + LEASE) script.pass(1)
    expect([script.row('b1')?.sealed, script.view]).toEqual([false, null])
    script.passes = () => true
    script.pass(8)
    expect(script.members).toEqual(['a1', 'b1'])
  })

  test('M12: of two that begin together one makes the view, and both are in it', () => {
    const script = new MeetingScript()
    script.fate = () => 'later'
    script.add('a')
    script.add('b')
    while (script.held.length > 0) script.held.shift()?.finish()
    script.fate = () => 'now'
    script.pass(8)
    expect(script.members).toEqual(['a1', 'b1'])
    expect(script.begun['a']).toBe(script.begun['b'])
    const { epoch } = script.view ?? {}
    script.pass(20)
    expect(script.view?.epoch).toBe(epoch)
  })

  test('M12: the cell was deleted: members report, their holds count, and the epoch rises', () => {
    const script = met(['a', 'b'])
    const { epoch = 0 } = script.view ?? {}
    script.request('b', 'L')
    script.scribble(VIEW, null)
    script.add('j')
    script.pass(10)
    expect(script.members.toSorted()).toEqual(['a1', 'b1', 'j1'])
    expect(script.view?.epoch).toBeGreaterThan(epoch)
    script.request('j', 'L')
    expect([script.holds('b', 'L').length, script.holds('j', 'L').length]).toEqual([1, 0])
    expect(script.twoHolders).toBeNull()
  })

  test('M12: a list that was asked for before there was no view does not say who is there', () => {
    const script = new MeetingScript()
    script.fate = (_, call) => (call.do === 'read' ? 'later' : 'now')
    script.add('j')
    script.under('j', 'read', VIEW).finish()
    // It reads the view once more. Meanwhile one comes and makes a view, and somebody deletes the cell.
    script.now += 10
    const row = { address: 'at z1', life: '', beat: 1, sealed: false, cut: [] }
    script.scribble(rowOf('z1'), JSON.stringify(row))
    script.under('j', 'read', VIEW).finish()
    expect(script.view).toBeNull()
    expect(script.meeting('j').attempt?.members.map(({ id }) => id)).toEqual(['j1', 'z1'])
  })

  test('M12: an epoch is the seconds, if they are more than the last one', () => {
    const script = new MeetingScript()
    script.add('a', { seconds: 1000 })
    script.kill('a')
    script.scribble(rowOf('a1'), null)
    script.add('j', { seconds: 70_000 })
    script.pass(6)
    expect(script.begun['j']).toBe(70_000)
    script.now += 5000
    script.do('j', { kind: 'renew' })
    expect(script.begun['j']).toBe(70_005)
  })

  test('M12: and otherwise one more than the last', () => {
    const script = new MeetingScript()
    script.add('a', { seconds: 1000 })
    script.kill('a')
    script.scribble(rowOf('a1'), null)
    script.add('j', { seconds: 5 })
    script.pass(6)
    expect(script.begun['j']).toBe(1001)
  })
})

describe('M13 the engine is away', () => {
  test('M13: turns go on until the deadline, and views do not change', () => {
    const script = met(['a', 'b'])
    script.fate = () => 'lost'
    const { epoch } = script.view ?? {}
    script.do('a', { kind: 'renew' })
    script.pass(4)
    script.request('a', 'L')
    script.release('a', 'L')
    script.request('b', 'L')
    expect(script.holds('b', 'L')).toHaveLength(1)
    script.pass(20)
    expect(script.view?.epoch).toBe(epoch)
    expect(script.of('b', 'lost')).toHaveLength(1)
    expect(script.meeting('b').trouble).toBe('no answer')
  })

  test('M13: when it is back members come back by themselves', () => {
    const script = met(['a', 'b', 'c'])
    script.fate = () => 'lost'
    script.pass(30)
    script.fate = () => 'now'
    for (const name of ['a', 'b', 'c']) script.request(name, 'L')
    script.pass(10)
    const holding = ['a', 'b', 'c'].filter((name) => script.holds(name, 'L').length > 0)
    expect(holding).toHaveLength(1)
    expect(script.of('a', 'out')).toEqual([])
  })

  test('M13: what fails is asked again with the tick, and not as fast as it fails', () => {
    const script = met(['a', 'b'])
    script.fate = (_, call) => (call.do === 'cas' ? 'now' : 'lost')
    script.do('a', { kind: 'renew' })
    const since = script.calls.length
    script.pass(5, 'a')
    expect(script.asked('a', since).length).toBeLessThan(20)
  })
})

describe('M13 lists', () => {
  test('M13: a list that fails is asked for again with the tick', () => {
    const script = met(['a', 'b'])
    script.fate = (_, call) => (call.do === 'list' ? 'lost' : 'now')
    script.now += 5
    const since = script.calls.length
    script.do('a', { kind: 'renew' })
    script.pass(3, 'a')
    expect(script.asked('a', since).filter((each) => each === 'list rows/').length).toBeLessThan(6)
  })
})

describe('M14 an old copy', () => {
  test('M14: a read asked after it began that shows a lower epoch stops it, and what it held is lost', () => {
    const script = met(['a', 'b'])
    script.request('a', 'L')
    script.pass(1)
    const old = { ...script.view, epoch: 7 }
    script.scribble(VIEW, JSON.stringify(old))
    script.do('a', { kind: 'renew' })
    expect(script.of('a', 'stale-state')).toHaveLength(1)
    expect(script.of('a', 'lost')).toHaveLength(1)
    expect(script.holds('a', 'L')).toEqual([])
  })

  test('M14: a read that was asked before says nothing', () => {
    const script = met(['a', 'b'])
    script.fate = (id, call) => (id === 'b' && call.do === 'read' && call.cell === VIEW ? 'later' : 'now')
    script.do('b', { kind: 'renew' })
    script.pass(5, 'b')
    const read = script.under('b', 'read', VIEW).reach()
    script.pass(1, 'a')
    script.do('a', { kind: 'renew' })
    expect(script.begun['b']).toBe(script.view?.epoch)
    script.now += 1
    read.finish()
    expect(script.of('b', 'stale-state')).toEqual([])
  })
})

describe('cells', () => {
  test('what is in the cell of the view and is none is told, and nobody is frozen for it', () => {
    const script = met(['a', 'b'])
    script.scribble(VIEW, 'not a view')
    const before = script.said('a1', 'freeze').length
    script.do('a', { kind: 'renew' })
    script.pass(20)
    expect(script.of('a', 'contradiction').length).toBeGreaterThan(0)
    expect(script.said('a1', 'freeze')).toHaveLength(before)
    script.request('b', 'L')
    expect(script.holds('b', 'L')).toHaveLength(1)
  })
})
