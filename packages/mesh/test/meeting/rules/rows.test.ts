import { describe, expect, test } from 'vitest'
import { rowOf } from '../../../src/protocol/meeting/cells.ts'
import { LEASE, MeetingScript } from '../script.ts'
import { cutOff, isRenewal, met, provenBy, seal, until } from './proof.ts'

describe('M1 renew', () => {
  test('M1: a member writes a higher beat into its row every third of a lease', () => {
    const script = met(['a'])
    const beats: (number | undefined)[] = []
    for (let i = 0; i < 8; i += 1) {
      script.pass(1)
      beats.push(script.row('a1')?.beat)
    }
    expect(new Set(beats).size).toBe(3)
    expect(beats.toSorted((a = 0, b = 0) => a - b)).toEqual(beats)
  })

  provenBy('lease-from-answer', 'M1: the deadline counts from the sending of the attempt', (rules) => {
    const script = met(['a'], rules)
    script.fate = (_, call) => (isRenewal(call) ? 'later' : 'now')
    script.pass(4)
    const sentAt = script.now
    script.now += 30
    script.under('a', 'cas').finish()
    expect(script.node('a').deadline).toBe(sentAt + LEASE)
  })

  provenBy(
    'unknown-renewal-counts',
    'M1: an unknown outcome counts only if the row shows its beat',
    (rules) => {
      const script = met(['a'], rules)
      const { deadline } = script.node('a')
      script.fate = (_, call) => (isRenewal(call) ? 'lost' : 'now')
      script.pass(4)
      expect(script.node('a').deadline).toBe(deadline)
      script.fate = (_, call) => (isRenewal(call) ? 'unsure' : 'now')
      script.pass(4)
      expect(script.node('a').deadline).toBe(script.now + LEASE)
    },
  )

  test('M1: the deadline counts from the sending of the attempt whose beat is in the row', () => {
    const script = met(['a'])
    script.fate = (_, call) => (isRenewal(call) ? 'later' : 'now')
    script.pass(4)
    const firstSent = script.now
    const first = script.under('a', 'cas')
    first.loseAnswer()
    // Another attempt, on the version that was read; the first one arrives before it.
    script.pass(4)
    const second = script.under('a', 'cas')
    first.reach()
    second.finish()
    expect(script.row('a1')?.beat).toBe(script.meeting('a').row.beat - 1)
    expect(script.node('a').deadline).toBe(firstSent + LEASE)
  })

  test('M1: every attempt has a beat of its own', () => {
    const script = met(['a'])
    const since = script.calls.length
    script.fate = (_, call) => (isRenewal(call) ? 'lost' : 'now')
    script.pass(12)
    const beats = script.calls
      .slice(since)
      .flatMap(({ call }) => (call.do === 'cas' ? [JSON.parse(call.value ?? '{}').beat] : []))
    expect(beats.length).toBeGreaterThan(2)
    expect(new Set(beats).size).toBe(beats.length)
  })

  provenBy(
    'refusal-ignored',
    'M1: a refused renewal is looked up, and a sealed row ends the session',
    (rules) => {
      const script = met(['a'], rules)
      script.request('a', 'L')
      seal(script, 'a1')
      script.fate = (_, call) => (call.do === 'list' ? 'later' : 'now')
      script.pass(4)
      expect(script.of('a', 'out')).toHaveLength(1)
      expect(script.of('a', 'lost')).toHaveLength(1)
    },
  )

  test('M1: a row that is gone ends the session', () => {
    const script = met(['a'])
    script.scribble(rowOf('a1'), null)
    script.pass(4)
    expect(script.of('a', 'out')).toHaveLength(1)
  })

  test('M1: a creation of unknown outcome counts if the row is there', () => {
    const script = new MeetingScript()
    script.fate = (_, call) => (isRenewal(call) ? 'unsure' : 'now')
    script.add('a')
    expect(script.of('a', 'out')).toEqual([])
    expect(script.meeting('a').row.until).toBe(LEASE)
    expect(script.begun['a']).not.toBeNull()
  })

  test('M1: a creation of unknown outcome that is not there is not tried again under this session', () => {
    const script = new MeetingScript()
    script.fate = (_, call) => (isRenewal(call) ? 'lost' : 'now')
    script.add('a')
    expect(script.of('a', 'out')).toHaveLength(1)
    const since = script.calls.length
    script.pass(10)
    expect(script.asked('a', since)).toEqual([])
  })

  test('M1: while the register is away the row is looked up with every tick, and not more often', () => {
    const script = met(['a'])
    script.fate = () => 'lost'
    script.pass(4)
    const since = script.calls.length
    script.pass(3)
    expect(script.asked('a', since).filter((each) => each === 'read rows/a1')).toHaveLength(3)
  })

  test('M1: what is held is lost at the deadline, and callers go in after the next renewal', () => {
    const script = met(['a'])
    script.request('a', 'L')
    script.fate = () => 'lost'
    script.now = script.node('a').deadline
    script.do('a', { kind: 'wake' })
    expect(script.of('a', 'lost')).toHaveLength(1)
    script.request('a', 'L')
    expect(script.holds('a', 'L')).toEqual([])
    script.fate = () => 'now'
    script.pass(5)
    expect(script.holds('a', 'L')).toHaveLength(1)
  })

  test('M1: an answer to an earlier session does not count for the next', () => {
    const script = met(['a'])
    script.fate = (_, call) => (isRenewal(call) ? 'later' : 'now')
    script.pass(4)
    const old = script.under('a', 'cas').reach()
    seal(script, 'a1')
    script.now += LEASE / 10
    script.do('a', { kind: 'hint' })
    script.renew('a', 'a2')
    const { until, version } = script.meeting('a').row
    script.now += 50
    script.do('a', { kind: 'answered', ticket: 1, answer: { kind: 'done', version: 'x' } })
    old.finish()
    expect(script.meeting('a').row).toMatchObject({ until, version })
    expect(script.of('a', 'out')).toHaveLength(1)
  })

  test('M1: after a sleep nothing that was sent before it counts', () => {
    const script = met(['a'])
    script.request('a', 'L')
    script.fate = (_, call) => (isRenewal(call) ? 'later' : 'now')
    script.pass(4)
    script.do('a', { kind: 'slept' })
    expect(script.of('a', 'lost')).toHaveLength(1)
    script.under('a', 'cas').finish()
    expect(script.node('a').deadline).toBe(Number.NEGATIVE_INFINITY)
    script.fate = () => 'now'
    script.pass(4)
    expect(script.node('a').deadline).toBeGreaterThan(script.now)
  })
})

describe('M9 out', () => {
  provenBy(
    'keeps-holds',
    'M9: a member that finds itself sealed has lost everything at that moment',
    (rules) => {
      const script = met(['a', 'b'], rules)
      script.request('a', 'L')
      expect(script.holds('a', 'L')).toHaveLength(1)
      seal(script, 'a1')
      script.pass(4)
      const told = script.effects.flatMap(({ id, effect }) => (id === 'a' ? [effect.kind] : []))
      expect(told.filter((kind) => kind === 'lost' || kind === 'out')).toEqual(['lost', 'out'])
      expect(script.holds('a', 'L')).toEqual([])
    },
  )

  test('M9: it deletes its own row, sealed or not, so that nobody waits for the lease', () => {
    const script = met(['a', 'b'])
    seal(script, 'a1')
    script.pass(4, 'a')
    expect(script.of('a', 'out')).toHaveLength(1)
    expect(script.row('a1')).toBeNull()
  })

  describe('M9: what clients of a daemon were promised', () => {
    /** Clients hold L through c, and were told for how long. */
    const serving = () => {
      const script = met(['a', 'b', 'c'])
      script.request('c', 'L')
      script.request('a', 'L')
      const { deadline } = script.node('c')
      script.node('c').promised = deadline
      return { script, deadline }
    }

    test('nobody is let in before, though others end its session', () => {
      const { script, deadline } = serving()
      script.passes = cutOff('c1')
      script.do('a', { kind: 'renew' })
      until(script, () => script.of('c', 'out').length > 0)
      expect(script.now).toBeLessThan(deadline)
      expect(script.holds('c', 'L')).toEqual([])
      until(script, () => script.holds('a', 'L').length > 0)
      expect(script.now).toBeGreaterThanOrEqual(deadline)
    })

    test('nobody is let in before, though its clock has jumped', () => {
      const { script, deadline } = serving()
      script.do('c', { kind: 'slept' })
      expect(script.holds('c', 'L')).toEqual([])
      until(script, () => script.holds('a', 'L').length > 0)
      expect(script.now).toBeGreaterThanOrEqual(deadline)
    })

    test('nobody is let in before, though a renewal that was under way has no answer', () => {
      const { script, deadline } = serving()
      script.fate = (id, call) => (id === 'c' && call.do === 'cas' ? 'later' : 'now')
      until(script, () => script.held.length > 0)
      script.do('c', { kind: 'slept' })
      script.under('c', 'cas').loseAnswer()
      until(script, () => script.holds('a', 'L').length > 0)
      expect(script.now).toBeGreaterThanOrEqual(deadline)
    })

    test('nor with waitOutLease before its lease has ended, though nothing was promised', () => {
      const script = met(['a', 'b'], undefined, { waitsOut: true })
      script.request('b', 'L')
      script.request('a', 'L')
      const { deadline } = script.node('b')
      seal(script, 'b1')
      until(script, () => script.holds('a', 'L').length > 0)
      expect(script.now).toBeGreaterThanOrEqual(deadline)
    })

    test('nobody waits if nothing is held', () => {
      const { script } = serving()
      script.release('c', 'L')
      script.do('c', { kind: 'slept' })
      expect([script.of('c', 'out'), script.holds('a', 'L').length]).toEqual([[], 1])
    })
  })

  test('M9: a row that nobody of the mesh wrote ends the session, and goes', () => {
    const script = met(['a'])
    script.scribble(rowOf('a1'), 'not a row')
    script.pass(4)
    expect(script.of('a', 'out')).toHaveLength(1)
    expect(script.cells.has(rowOf('a1'))).toBe(false)
  })

  test('M9: its own list may show it too', () => {
    const script = met(['a', 'b'])
    seal(script, 'a1')
    script.now += LEASE / 10
    script.do('a', { kind: 'hint' })
    expect(script.of('a', 'out')).toHaveLength(1)
    expect(script.row('a1')).toBeNull()
  })

  test('M9: so does a later view that does not name it', () => {
    const script = met(['a', 'b'])
    const view = {
      ...script.view,
      epoch: (script.view?.epoch ?? 0) + 1,
      members: [{ id: 'b1', address: '' }],
    }
    script.scribble('view', JSON.stringify(view))
    script.request('a', 'L')
    script.receive('a1', 'b1', { type: 'freeze', epoch: view.epoch })
    script.passes = () => false
    script.pass(6, 'a')
    expect(script.of('a', 'out')).toHaveLength(1)
    expect(script.of('a', 'lost')).toHaveLength(1)
  })

  test('M9: callers that wait go on waiting, and are let in under the next session', () => {
    const script = met(['a', 'b'])
    script.request('b', 'L')
    script.request('a', 'L')
    seal(script, 'a1')
    script.pass(4)
    script.renew('a', 'a2')
    script.release('b', 'L')
    script.pass(20)
    expect(script.members).toEqual(['b1', 'a2'])
    expect(script.holds('a', 'L')).toHaveLength(1)
  })

  test('M9: one that was cut makes no row before those who cut it have answered', () => {
    const script = met(['a', 'b'])
    seal(script, 'a1', ['b1'])
    script.passes = cutOff('a1', 'a2')
    script.pass(4, 'a')
    script.renew('a', 'a2')
    script.pass(10)
    expect(script.row('a2')).toBeNull()
    script.passes = () => true
    script.pass(2)
    expect(script.row('a2')).not.toBeNull()
  })

  test('M9: or those who cut it are gone', () => {
    const script = met(['a', 'b'])
    seal(script, 'a1', ['b1'])
    script.kill('b')
    script.scribble(rowOf('b1'), null)
    script.pass(4, 'a')
    script.renew('a', 'a2')
    script.pass(2)
    expect(script.row('a2')).not.toBeNull()
  })

  test('M9: or ten leases have passed', () => {
    const script = met(['a', 'b'])
    seal(script, 'a1', ['b1'])
    script.passes = cutOff('a1', 'a2')
    script.pass(4, 'a')
    const since = script.now
    script.renew('a', 'a2')
    while (script.now < since + 9.5 * LEASE) script.pass(1)
    expect(script.row('a2')).toBeNull()
    script.pass(6)
    expect(script.row('a2')).not.toBeNull()
  })

  test('M9: who is out does not answer for the session that is over', () => {
    const script = met(['a', 'b'])
    seal(script, 'a1')
    script.pass(4, 'a')
    const before = script.sent.length
    script.receive('a1', 'b1', { type: 'hello', session: 'b1', address: '', waits: false })
    script.receive('a1', 'b1', { type: 'freeze', epoch: 5000 })
    expect(script.sent.slice(before)).toEqual([])
  })
})
