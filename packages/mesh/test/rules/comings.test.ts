import { describe, expect, test } from 'vitest'
import { atLeast } from '../../../../test/present.ts'
import { SOUND } from '../../broken/under.ts'
import { fenceNumber } from '../../src/protocol/fence.ts'
import type { Rules } from '../../src/protocol/rules.ts'
import { Script } from '../script.ts'
import { begun, cutOff, provenBy } from './proof.ts'

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
