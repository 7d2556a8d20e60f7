import { describe, expect, test } from 'vitest'
import { atLeast, present } from '../../../../test/present.ts'
import { SOUND } from '../../broken/under.ts'
import { type Config, isLive } from '../../src/protocol/state.ts'
import { Script } from '../script.ts'
import { LEASE } from '../simulation/plan.ts'
import { answers, begun, cutOff, goneOnWithout, heartbeatOf, provenBy } from './proof.ts'

describe('R1 heartbeats', () => {
  test('go to everyone, stamped with the own clock at sending; oneself answers like any voter', () => {
    const script = begun(['a', 'b', 'c'])
    script.now = 30
    const before = script.sent.length
    script.beat('a')
    const beats = script.sent.slice(before).filter(({ message }) => message.type === 'heartbeat')
    expect(beats.map(({ to }) => to).toSorted()).toEqual(['b', 'c'])
    expect(beats.map(({ message }) => 'at' in message && message.at)).toEqual([30, 30])
    expect(script.node('a').acked).toEqual({ a1: 30, b1: 30, c1: 30 })
  })
})

describe('R8 silence', () => {
  test('is judged by the lease that the silent one told: who has a longer one speaks less often', () => {
    const settings = { algorithm: 'central-coordinator', lease: 300, drift: 0 }
    const script = new Script(['a', 'b', 'c'], SOUND, {}, { c: { settings } })
    script.do('a', { kind: 'renew' })
    script.beat('a', 'b', 'c')
    // Between two of its heartbeats, which are a fifth of its lease apart.
    script.now = 59
    script.beat('a', 'b')
    expect(isLive(script.node('a'), 'c', script.now)).toBe(true)
    expect(present(script.node('b').heard['a']).suspects).not.toContain('c')
    script.now = 150
    expect(isLive(script.node('a'), 'c', script.now)).toBe(false)
    expect(isLive(script.node('a'), 'b', script.now)).toBe(false)
  })
})

describe('R2 which heartbeats are acknowledged', () => {
  provenBy('acks-for-anyone', 'only those of sessions in the accepted record', (rules) => {
    const script = begun(['a', 'b', 'c'], rules)
    expect(answers(script, 'a', 'b', heartbeatOf('b1', { begun: 1, accepted: 1, promised: 1 }))).toContain(
      'ack',
    )
    expect(answers(script, 'a', 'b', heartbeatOf('b7'))).not.toContain('ack')
  })

  test('a session that an accepted record left out is told so', () => {
    const script = begun(['a', 'b', 'c'])
    expect(answers(script, 'a', 'b', heartbeatOf('b7', { begun: 0 }))).toContain('out')
  })

  test('none of a session that has said GONE', () => {
    const script = begun(['a', 'b', 'c'])
    script.do('a', {
      kind: 'receive',
      from: 'b',
      message: { type: 'gone', session: { voterId: 'b1', k: 1 } },
    })
    expect(answers(script, 'a', 'b', heartbeatOf('b1', { begun: 1, accepted: 1, promised: 1 }))).toEqual([])
  })

  test('a promise of a higher epoch does not stop acks', () => {
    const script = begun(['a', 'b', 'c'])
    script.do('a', {
      kind: 'receive',
      from: 'b',
      message: { type: 'prepare', epoch: 5, ballot: 'other', insists: true },
    })
    expect(answers(script, 'a', 'b', heartbeatOf('b1', { begun: 1, accepted: 1, promised: 5 }))).toContain(
      'ack',
    )
  })
})

describe('R3 what an ack means', () => {
  provenBy('accept-at-once', 'no record that lacks the session is accepted for D', (rules) => {
    const script = goneOnWithout('c', rules)
    script.beat('a')
    expect(script.node('a').durable.accepted?.epoch).toBe(1)
    script.now = 100
    script.beat('a')
    expect(script.node('a').begun?.members.map(({ id }) => id)).toEqual(['a', 'b'])
  })

  provenBy('acks-while-waiting', 'and meanwhile it gets no new ack', (rules) => {
    const script = goneOnWithout('c', rules)
    script.beat('a')
    expect(
      answers(script, 'a', 'c', heartbeatOf('c1', { at: 95, begun: 1, accepted: 1, promised: 1 })),
    ).toEqual([])
  })

  provenBy('no-drift-allowance', 'D allows for a fast voter and a slow holder', (rules) => {
    const settings = { algorithm: 'central-coordinator', lease: 100, drift: 0.1 }
    const script = begun(['a', 'b', 'c'], rules, { settings })
    script.now = 10
    script.beat('c')
    expect(script.node('a').owed['c1.1']).toBeCloseTo(10 + (100 * 1.1) / 0.9)
  })
})

describe('R4 the deadline', () => {
  provenBy('lease-from-receipt', 'counts from the sending of the heartbeat', (rules) => {
    const script = begun(['a', 'b', 'c'], rules)
    script.holdsBack = (_from, to, { type }) => to === 'a' && type === 'ack'
    script.now = 20
    script.beat('a')
    script.now = 90
    script.holdsBack = () => false
    script.letGo()
    expect(script.node('a').deadline).toBe(120)
  })

  test('is what a majority acknowledged', () => {
    const script = begun(['a', 'b', 'c'])
    script.now = 50
    script.passes = cutOff('b', 'c')
    script.beat('a')
    expect(script.node('a').deadline).toBe(100)
    script.passes = cutOff('c')
    script.beat('a')
    expect(script.node('a').deadline).toBe(150)
  })
})

describe('"Pauses and sleep": the machine of a holder slept', () => {
  test('acks that had come before, and are read when it wakes, count for nothing', () => {
    const script = begun(['a', 'b', 'c'], SOUND, {
      settings: { algorithm: 'token-queue', lease: LEASE, drift: 0 },
    })
    script.request('a', 'L', 'first')
    script.request('a', 'L', 'second')
    script.now = 90
    script.holdsBack = (_from, to, { type }) => to === 'a' && type === 'ack'
    script.beat('a')
    script.passes = cutOff('a')
    script.request('b', 'L')
    for (script.now = 100; script.holds('b', 'L').length === 0; script.now += 10) script.beat('b', 'c')
    // By its own clock, a moment has passed.
    script.now = 91
    script.do('a', { kind: 'slept' })
    expect(script.of('a', 'lost')).toMatchObject([{ caller: 'first' }])
    script.letGo()
    expect(script.twoHolders).toBeNull()
    expect(script.node('a').deadline).toBe(Number.NEGATIVE_INFINITY)
  })
})

describe('R5 the gate', () => {
  test('without a lease nobody is let in; after the next acks they are', () => {
    const script = begun(['a', 'b', 'c'])
    script.now = 100
    script.request('a', 'L')
    expect(script.grants('L')).toEqual([])
    script.beat('a')
    expect(script.grants('L')).toHaveLength(1)
  })

  test('frozen, the next caller of the node follows under one hold, with the next counter', () => {
    const script = begun(['a', 'b', 'c'])
    script.request('a', 'L', 'first')
    script.request('a', 'L', 'second')
    const message = { type: 'prepare', epoch: 5, ballot: 'other', insists: true } as const
    script.do('a', { kind: 'receive', from: 'b', message })
    script.release('a', 'L', 'first')
    const [first, second] = atLeast(2, script.grants('L'))
    expect(second.caller).toBe('second')
    expect(second.fence).toEqual({ epoch: 1, counter: first.fence.counter + 1 })
  })
})

describe('R6 lapse', () => {
  test('a node asks to be woken when its lease ends, if that is before the next tick', () => {
    const script = begun(['a', 'b', 'c'])
    script.passes = () => false
    script.now = 85
    script.do('b', { kind: 'tick' })
    const end = { kind: 'wake', at: 100 }
    expect(script.of('b', 'wake')).not.toContainEqual(end)
    script.now = 95
    script.do('b', { kind: 'tick' })
    expect(script.of('b', 'wake')).toContainEqual(end)
  })

  test('is final, even if an ack of the same event revives the lease', () => {
    const script = begun(['a', 'b', 'c'])
    script.now = 10
    script.request('a', 'L')
    script.now = 50
    script.holdsBack = (_from, to, { type }) => to === 'a' && type === 'ack'
    script.beat('a')
    script.now = 100
    script.holdsBack = () => false
    script.letGo()
    expect(script.node('a').deadline).toBe(150)
    expect(script.of('a', 'lost')).toMatchObject([{ name: 'L', caller: 'a' }])
  })

  test('the node stays in the view and gives the lock back', () => {
    const script = begun(['a', 'b', 'c'])
    script.request('a', 'L')
    script.passes = (_from, to, { type }) => to !== 'a' || type !== 'ack'
    script.now = 80
    script.beat('a', 'b', 'c')
    script.now = 100
    script.do('a', { kind: 'wake' })
    script.passes = () => true
    script.request('b', 'L')
    expect(script.grants('L').map(({ id }) => id)).toEqual(['a', 'b'])
    expect(script.views).toMatchObject({ a: 1, b: 1 })
  })
})

describe('R24 a mesh of one', () => {
  /** Node a alone holds a lock, and has done nothing for ten leases. */
  function blocked(config: Partial<Config> = {}): Script {
    const script = begun(['a'], SOUND, config)
    script.own = { b: { peers: ['a', 'b'] } }
    script.do('a', { kind: 'peers', peers: ['a', 'b'] })
    script.request('a', 'L')
    script.now = 1000
    return script
  }

  test.each(['wake', 'tick', 'slept'] as const)(
    'never loses a lock: nobody else can want it (%s)',
    (kind) => {
      const script = blocked()
      script.do('a', { kind })
      expect(script.of('a', 'lost')).toEqual([])
      expect(script.node('a').deadline).toBe(1100)
      script.release('a', 'L')
      script.request('a', 'L', 'again')
      expect(script.grants('L')).toHaveLength(2)
    },
  )

  test('nor when it grows: a newcomer waits for the holder', () => {
    const script = blocked()
    script.add('b')
    script.request('b', 'L')
    script.beat('b')
    for (let round = 0; round < 30; round += 1) {
      script.pass(1)
      expect(script.twoHolders).toBeNull()
    }
    expect(script.node('a').begun?.members.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(script.holds('a', 'L')).toHaveLength(1)
    expect(script.grants('L').map(({ id }) => id)).toEqual(['a'])
    // From now on it is a lease like any other.
    script.now += 100
    script.do('a', { kind: 'wake' })
    expect(script.of('a', 'lost')).toHaveLength(1)
  })

  test('nor do its readers keep out a writer of a node that has come: they join for a lease, as in any mesh', () => {
    const script = blocked({ localTurns: 1 })
    script.release('a', 'L')
    script.request('a', 'L', 'r0', 'shared')
    script.add('b')
    script.pass(12)
    script.request('b', 'L')
    for (let turn = 1; turn < 10; turn += 1) {
      script.request('a', 'L', `r${turn}`, 'shared')
      script.pass(2)
      script.release('a', 'L', `r${turn - 1}`)
    }
    expect(script.grants('L').map(({ id }) => id)).toContain('b')
  })

  test('one that has promised another view has a lease like any other', () => {
    const script = blocked()
    const message = { type: 'prepare', epoch: 5, ballot: 'b/b1.1/1', insists: true } as const
    script.do('a', { kind: 'receive', from: 'b', message })
    expect(script.of('a', 'lost')).toEqual([])
    script.now = 1100
    script.do('a', { kind: 'wake' })
    expect(script.of('a', 'lost')).toHaveLength(1)
  })
})

describe('R7 left out', () => {
  function leftOut(): Script {
    const script = begun(['a', 'b', 'c'])
    script.request('c', 'L')
    script.passes = cutOff('c')
    script.pass(18)
    expect(script.node('a').begun?.members.map(({ id }) => id)).toEqual(['a', 'b'])
    return script
  }

  test('OUT after the lapse: a fresh session on disk, holds lost, callers go on waiting, taken in again', () => {
    const script = leftOut()
    script.request('c', 'M')
    expect(script.node('c').durable.k).toBe(1)
    script.passes = () => true
    script.beat('c')
    expect(script.disk('c').k).toBe(2)
    expect(script.of('c', 'lost')).toHaveLength(1)
    script.pass(20)
    expect(script.node('a').begun?.members.map(({ id }) => id)).toEqual(['a', 'b', 'c'])
    expect(script.grants('M').map(({ id }) => id)).toEqual(['c'])
  })

  test('OUT while the lease runs counts for nothing', () => {
    const script = begun(['a', 'b', 'c'])
    const message = { type: 'out', session: { voterId: 'c1', k: 1 }, epoch: 9 } as const
    script.do('c', { kind: 'receive', from: 'a', message })
    expect(script.node('c').durable.k).toBe(1)
  })

  test('nobody is let in under a lower epoch than that of the view that left it out', () => {
    const script = new Script(['a', 'b', 'c'], SOUND)
    script.do('a', { kind: 'renew' })
    script.beat('a', 'b', 'c')
    script.passes = cutOff('c')
    script.pass(18)
    script.request('c', 'L')
    expect(script.grants('L')).toEqual([])
  })
})
