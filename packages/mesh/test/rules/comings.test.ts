import { describe, expect, test } from 'vitest'
import { atLeast } from '../../../../test/present.ts'
import { SOUND } from '../../broken/under.ts'
import { fenceNumber } from '../../src/protocol/fence.ts'
import { blank } from '../../src/protocol/record.ts'
import type { Rules } from '../../src/protocol/rules.ts'
import { Script } from '../script.ts'
import { answers, begun, cutOff, heartbeatOf, provenBy } from './proof.ts'

const ids = ['a', 'b', 'c']

function voters(script: Script, id: string): string[] | undefined {
  return script.node(id).begun?.voters.map(({ voterId }) => voterId)
}

describe('R19 restart with state', () => {
  provenBy('same-session', 'is a new session, on disk', (rules) => {
    const script = begun(ids, rules)
    script.restart('b')
    expect(script.disk('b').k).toBe(2)
    expect(script.node('b').begun).toBeNull()
  })

  provenBy('restart-owes-nothing', 'owes everybody in its accepted record, but for itself', (rules) => {
    const script = begun(ids, rules)
    script.now = 40
    script.restart('b')
    expect(script.node('b').owed).toEqual({ 'a1.1': 140, 'c1.1': 140 })
  })

  provenBy('forgets-longest-lease', 'for the longest lease it ever acknowledged', (rules) => {
    const settings = { algorithm: 'central-coordinator', lease: 300, drift: 0 }
    const script = new Script(ids, rules, {}, { c: { settings } })
    script.do('a', { kind: 'renew' })
    script.beat('c')
    expect(script.node('c').deadline).toBe(300)
    script.now = 40
    script.restart('b')
    expect(script.node('b').owed['c1.1']).toBe(340)
  })

  /** c is set to a lease of 300, which the others have acknowledged. */
  const LONG = { algorithm: 'central-coordinator', lease: 300, drift: 0 }
  function withLongLease(rules: Rules): Script {
    const script = new Script(ids, rules, {}, { c: { settings: LONG } })
    script.do('a', { kind: 'renew' })
    script.beat('a', 'b', 'c')
    expect(script.disk('b').longest).toBe(300)
    return script
  }

  test('a lease that was typed wrong is forgotten when its debts are over, and not before', () => {
    const script = withLongLease(SOUND)
    script.own = {}
    script.restart('c')
    script.pass(20)
    expect(script.node('b').begun?.members).toHaveLength(3)
    expect(script.disk('b').longest).toBe(300)
    script.pass(40)
    for (const id of ['a', 'b']) expect(script.disk(id).longest).toBe(100)
    // A node that is set to it again is remembered again, before it is acknowledged.
    script.own = { c: { settings: LONG } }
    script.restart('c')
    script.pass(20)
    expect(script.disk('b').longest).toBe(300)
  })

  test('it stays as long as a member uses it', () => {
    const script = withLongLease(SOUND)
    script.pass(200)
    expect(script.disk('b').longest).toBe(300)
    expect(script.node('b').fadingSince).toBeNull()
  })

  test('a clock that jumped begins anew to count', () => {
    const script = withLongLease(SOUND)
    script.own = {}
    script.restart('c')
    script.pass(35)
    script.do('b', { kind: 'slept' })
    script.pass(38)
    expect(script.disk('b').longest).toBe(300)
    script.pass(10)
    expect(script.disk('b').longest).toBe(100)
  })

  /**
   * c holds L until 300, by the acks of b and its own. b is started twice in a row: after the first time nobody is heard who uses a
   * lease of 300, and if that were forgotten at once, b would owe c too little after the second.
   */
  provenBy(
    'fades-at-once',
    'what was acknowledged is owed though nobody with that lease is heard',
    (rules) => {
      const script = new Script(ids, rules, {}, { c: { settings: LONG } })
      script.passes = (from, to, { type }) => from !== 'c' || to !== 'a' || type !== 'heartbeat'
      script.do('a', { kind: 'renew' })
      script.beat('a', 'b', 'c')
      script.request('c', 'L')
      expect(script.holds('c', 'L')).toHaveLength(1)
      script.passes = cutOff('c')
      for (const _ of ['once', 'twice']) {
        script.now += 5
        script.restart('b')
        script.beat('b')
      }
      script.request('a', 'L')
      for (let round = 0; round < 60; round += 1) {
        script.pass(1)
        expect(script.twoHolders).toBeNull()
      }
      expect(script.grants('L').map(({ id }) => id)).toEqual(['c', 'a'])
    },
  )

  test('its own locks are free without a wait: its higher session proves that the lower one holds nothing', () => {
    const script = begun(ids)
    script.request('c', 'L')
    script.now = 5
    script.restart('c')
    script.request('a', 'L')
    script.pass(9)
    expect(script.grants('L').map(({ id }) => id)).toEqual(['c', 'a'])
  })
})

describe('R20 lost state', () => {
  test('a voter without its disk is another voter, and replaced through a joint view', () => {
    const script = begun(ids)
    script.loseDisk('c')
    script.pass(40)
    expect(voters(script, 'a')).toEqual(['a1', 'b1', 'c2'])
    expect(script.of('a', 'begun').some(({ record }) => record.oldVoters !== null)).toBe(true)
  })

  test('a restored old copy of a directory is recognised: it says so once, and is silent', () => {
    const script = begun(ids)
    const copy = script.disk('c')
    script.restart('c')
    script.restart('c')
    script.beat('c')
    script.pass(30)
    script.disks['c'] = copy
    script.restart('c')
    script.beat('c')
    expect(script.of('c', 'stale-state')).toHaveLength(1)
    expect(script.of('c', 'stale-state')[0]?.known.k).toBeGreaterThan(script.node('c').durable.k)
    const before = script.sent.length
    script.beat('c')
    expect(script.sent).toHaveLength(before)
    // What the host does about it: the directory is discarded, and the others replace the voter.
    script.loseDisk('c')
    script.pass(50)
    expect(voters(script, 'a')).toEqual(['a1', 'b1', 'c2'])
    expect(script.node('c').begun?.members).toHaveLength(3)
  })

  test('also if it is one start old, by what it had promised; and its report is not counted before', () => {
    const script = begun(ids)
    const copy = script.disk('c')
    script.restart('c')
    script.pass(30)
    expect(script.disk('c').k).toBe(2)
    script.disks['c'] = copy
    script.restart('c')
    script.passes = cutOff('b')
    script.do('a', { kind: 'renew' })
    expect(script.node('a').proposal?.promises['c']).toBeUndefined()
    expect(script.of('c', 'stale-state')).toHaveLength(1)
  })

  test.each(['promise', 'accepted'] as const)(
    'a word that counts says how far its voter has come: %s, if nothing else arrives of this life',
    (last) => {
      const script = begun(ids)
      const before = script.disk('c')
      script.restart('c')
      script.beat('c')
      let isOver = false
      script.passes = (from, _to, { type }) => {
        if (from !== 'c' || isOver) return from !== 'c'
        isOver = type === last
        return true
      }
      script.do('a', { kind: 'renew' })
      expect(isOver).toBe(true)
      // Of the life before, or of this one between its promise and its acceptance.
      script.disks['c'] =
        last === 'promise' ? before : { ...script.disk('c'), k: 1, accepted: before.accepted }
      script.restart('c')
      expect(script.disk('c').k).toBe(2)
      script.passes = () => true
      script.beat('c')
      expect(script.of('c', 'stale-state')).toHaveLength(1)
    },
  )

  test('nobody helps it catch up before it is told: it would go on under the session of another life', () => {
    const script = begun(ids)
    const copy = script.disk('c')
    script.restart('c')
    script.pass(30)
    expect(script.node('a').begun?.members.map(({ session }) => session.k)).toEqual([1, 1, 2])
    script.disks['c'] = copy
    script.restart('c')
    script.holdsBack = (_from, _to, { type }) => type === 'stale'
    script.beat('c', 'a', 'b')
    expect(script.views['c']).toBeNull()
    script.holdsBack = () => false
    script.letGo()
    expect(script.of('c', 'stale-state')).toHaveLength(1)
  })

  test('a voter that has restarted itself still knows the sessions in its record', () => {
    const script = begun(ids)
    for (let i = 0; i < 5; i += 1) script.restart('c')
    const copy = { ...script.disk('c'), k: 2 }
    script.pass(40)
    script.restart('a')
    script.restart('b')
    script.disks['c'] = copy
    script.restart('c')
    script.beat('c')
    expect(script.of('c', 'stale-state')).toHaveLength(1)
  })

  test('words of old that arrive late harm nobody', () => {
    const script = begun(ids)
    const late = heartbeatOf('c1', { begun: 1, accepted: 1, promised: 1 })
    script.do('a', { kind: 'renew' })
    script.restart('c')
    script.pass(30)
    expect(answers(script, 'a', 'c', late)).toEqual(['stale'])
    expect(script.of('c', 'stale-state')).toEqual([])
    expect(script.node('c').begun?.members).toHaveLength(3)
  })

  /** Row 19: v accepted view 2 with w, loses its disk, and acknowledges x in view 1. */
  function keepsIdentity(host: 'new' | 'old'): Script {
    const script = begun(['v', 'w', 'x'])
    script.passes = cutOff('x')
    script.pass(18)
    expect(script.views).toEqual({ v: 2, w: 2, x: 1 })
    script.disks['v'] = blank(host === 'new' ? 'v2' : 'v1')
    return script
  }

  test('row 19, a host that keeps the identity without the state: promised to others what v had promised w', () => {
    for (const host of ['new', 'old'] as const) {
      const script = keepsIdentity(host)
      script.restart('v')
      // It does not remember how far v had come.
      script.restart('x')
      // x alone and the forgetful v: by the old identity that is a majority of the first view.
      script.passes = cutOff('w')
      script.do('x', { kind: 'renew' })
      script.now += 101
      script.do('x', { kind: 'tick' })
      expect((script.views['x'] ?? 0) > 1, host).toBe(host === 'old')
    }
  })

  test('row 19, found out by a voter that remembers', () => {
    const script = keepsIdentity('old')
    script.restart('v')
    script.passes = cutOff('w')
    script.node('x').proposal = null
    script.do('x', { kind: 'renew' })
    expect(script.views['x']).toBe(1)
    expect(script.of('v', 'stale-state')).toHaveLength(1)
  })
})

describe('R21 genesis', () => {
  const later = (rules: Rules, config = {}) => new Script(ids, rules, { firstStart: undefined, ...config })

  provenBy('genesis-by-majority', 'needs every configured voter, to promise and to accept', (rules) => {
    const script = later(rules)
    script.passes = cutOff('c')
    script.pass(30)
    expect(script.views).toEqual({ a: null, b: null, c: null })
    script.passes = (from, _to, { type }) => from !== 'c' || type !== 'accepted'
    script.pass(10)
    expect(script.views).toEqual({ a: null, b: null, c: null })
    script.passes = () => true
    script.pass(30)
    expect(script.node('a').begun?.members).toHaveLength(3)
  })

  test('with fewer by the explicit word of an operator', () => {
    const script = later(SOUND, { firstStart: ['a', 'b'] })
    script.passes = cutOff('c')
    script.pass(15)
    expect(voters(script, 'a')).toEqual(['a1', 'b1'])
    script.passes = () => true
    script.pass(30)
    expect(script.node('c').begun?.members).toHaveLength(3)
    expect(voters(script, 'c')).toEqual(['a1', 'b1'])
  })

  /** Three voters and m, which never votes. All three disks are lost while m holds L. */
  function allDisksLost(rules: Rules, firstEpoch: number): Script {
    const script = new Script([...ids, 'm'], rules, { firstStart: undefined, voters: ids })
    script.pass(30)
    script.request('m', 'L')
    expect(script.grants('L').map(({ id }) => id)).toEqual(['m'])
    script.beat('m')
    script.passes = cutOff('m')
    script.own = Object.fromEntries(ids.map((id) => [id, { firstEpoch }]))
    for (const id of ids) script.loseDisk(id)
    return script
  }

  provenBy(
    'blank-at-once',
    'all disks lost: a second first view waits until no lease of the first is left',
    (rules) => {
      const script = allDisksLost(rules, 1)
      script.do('a', { kind: 'renew' })
      script.beat('a', 'b', 'c')
      script.request('a', 'L')
      expect(script.twoHolders).toBeNull()
      script.pass(25)
      expect(script.node('a').begun?.members).toHaveLength(3)
      script.request('a', 'L')
      expect(script.grants('L').map(({ id }) => id)).toEqual(['m', 'a'])
      expect(script.twoHolders).toBeNull()
    },
  )

  test('all disks lost: fences rise only if the host knows an epoch above; or if one who knows is heard', () => {
    const rises = (firstEpoch: number, hearsM: boolean) => {
      const script = allDisksLost(SOUND, firstEpoch)
      if (hearsM) script.passes = () => true
      script.pass(60)
      script.request('a', 'L')
      const [before, after] = atLeast(2, script.grants('L'))
      return fenceNumber(after.fence) > fenceNumber(before.fence)
    }
    expect(rises(1000, false)).toBe(true)
    expect(rises(1, true)).toBe(true)
    // Not protected: nobody knows.
    expect(rises(1, false)).toBe(false)
  })

  test('a majority of disks lost and one survivor: no second first view, with it or without it', () => {
    for (const isCut of [true, false]) {
      const script = later(SOUND)
      script.pass(30)
      script.passes = isCut ? cutOff('c') : () => true
      script.loseDisk('a')
      script.loseDisk('b')
      script.pass(60)
      expect(script.views).toMatchObject({ a: null, b: null })
    }
  })
})

describe('R22 leave', () => {
  provenBy('gone-too-early', 'drops its holds, then says GONE; the next view needs no wait', (rules) => {
    const script = begun(ids, rules)
    script.request('c', 'L')
    script.do('c', { kind: 'leave' })
    expect(script.of('c', 'lost')).toMatchObject([{ name: 'L' }])
    script.kill('c')
    script.request('a', 'L')
    script.pass(3)
    expect(script.node('a').begun?.members.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(script.grants('L').map(({ id }) => id)).toEqual(['c', 'a'])
  })

  test('one after another: the pause after a ballot is for those that came to nothing', () => {
    const five = [...ids, 'd', 'e']
    const script = begun(five)
    for (const id of ['e', 'd']) {
      script.do(id, { kind: 'leave' })
      script.kill(id)
      script.pass(3)
      expect(script.node('a').begun?.members.at(-1)?.id).not.toBe(id)
    }
  })

  test('for good: a voter is removed first, and then goes', () => {
    const script = begun(ids)
    script.do('c', { kind: 'leave', forGood: true })
    expect(script.of('c', 'left')).toEqual([])
    script.pass(20)
    expect(script.of('c', 'left')).toHaveLength(1)
    script.kill('c')
    script.pass(10)
    expect(voters(script, 'a')).toEqual(['a1', 'b1'])
    expect(script.node('a').begun?.oldVoters).toBeNull()
  })

  test('for good: the last voter just goes', () => {
    const script = begun(['a'])
    script.do('a', { kind: 'leave', forGood: true })
    expect(script.of('a', 'left')).toHaveLength(1)
  })
})

// It takes b for a voter still and misses it, and b does not speak to one that does not vote. If that had lasted for a lease the one that
// votes took it for a broken link, and never took in the other.
test('one that was away while voters changed is taken in, though it misses one that does not vote any more', () => {
  const script = new Script(['a', 'b', 'c'], SOUND)
  script.pass(20)
  script.kill('c')
  script.do('a', { kind: 'voters', wanted: ['a'] })
  script.pass(60)
  // With its disk it would remember that c voted once, and speak to it.
  script.loseDisk('b')
  script.pass(40)
  expect(script.node('b').begun?.voters.map(({ id }) => id)).toEqual(['a'])
  script.restart('c')
  script.passes = (_, to, message) => to !== 'c' || message.type !== 'prepare'
  script.pass(20)
  expect(script.node('a').heard['c']?.suspects).toEqual(['b'])
  script.passes = () => true
  script.pass(40)
  expect(script.node('a').begun?.members.map(({ id }) => id)).toEqual(['a', 'b', 'c'])
})
