import { describe, expect, test } from 'vitest'
import { SOUND_MEETING } from '../../../broken/meeting.ts'
import { rowOf } from '../../../src/protocol/meeting/cells.ts'
import { MeetingScript } from '../script.ts'
import { cutOff, met } from './proof.ts'

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
