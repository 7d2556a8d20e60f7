import { describe, expect, test } from 'vitest'
import { SOUND } from '../../broken/under.ts'
import type { ViewRecord } from '../../src/protocol/record.ts'
import { Script } from '../script.ts'
import { answers, begun, cutOff, goneOnWithout, heartbeatOf, prepare, provenBy } from './proof.ts'

const members = (script: Script, id: string) => script.node(id).begun?.members.map((member) => member.id)

/** The record of view 2 with these members, by somebody's ballot. */
function recordOf(script: Script, epoch: number, ids: string[]): ViewRecord {
  const one = script.node('a').begun as ViewRecord
  return { ...one, epoch, members: one.members.filter(({ id }) => ids.includes(id)) }
}

describe('R9 prepare', () => {
  provenBy(
    'epoch-twice',
    'above every promise known, and the own promise is on disk before it leaves',
    (rules) => {
      const script = begun(['a', 'b', 'c'], rules)
      script.do('a', {
        kind: 'receive',
        from: 'b',
        message: heartbeatOf('b1', { begun: 1, accepted: 1, promised: 7 }),
      })
      script.passes = () => false
      script.do('a', { kind: 'renew' })
      expect(script.disk('a').promised.epoch).toBe(8)
      expect(script.sent.at(-1)?.message).toMatchObject({ type: 'prepare', epoch: 8 })
    },
  )

  test('a restarted proposer does not resume its ballot', () => {
    const script = begun(['a', 'b', 'c'])
    script.passes = () => false
    script.do('a', { kind: 'renew' })
    const { ballot } = script.disk('a').promised
    script.restart('a')
    script.do('a', { kind: 'renew' })
    expect(script.disk('a').promised.ballot).not.toBe(ballot)
  })
})

describe('R10 promise', () => {
  provenBy('epoch-twice', 'one per epoch: another ballot of it is refused', (rules) => {
    const script = begun(['a', 'b', 'c'], rules)
    expect(answers(script, 'b', 'a', prepare(5, 'first'))).toEqual(['heartbeat', 'promise'])
    expect(answers(script, 'b', 'c', prepare(5, 'second'))).toEqual(['refuse'])
    expect(answers(script, 'b', 'a', prepare(5, 'first'))).toEqual(['heartbeat', 'promise'])
  })

  provenBy('promise-in-memory', 'is on disk before it is told', (rules) => {
    const script = begun(['a', 'b', 'c'], rules)
    script.do('b', { kind: 'receive', from: 'a', message: prepare(5, 'first') })
    expect(script.disk('b').promised).toEqual({ epoch: 5, ballot: 'first' })
  })
})

describe('R11 report', () => {
  provenBy('no-freeze', 'after its promise a node lets nobody in', (rules) => {
    const script = begun(['a'], rules)
    script.do('a', { kind: 'receive', from: 'b', message: prepare(5, 'other') })
    script.request('a', 'L')
    expect(script.grants('L')).toEqual([])
  })

  test('tells what callers hold, not what they wait for', () => {
    const script = begun(['a', 'b', 'c'])
    script.request('b', 'L')
    script.request('c', 'M')
    script.request('b', 'M')
    script.do('b', { kind: 'receive', from: 'a', message: prepare(5, 'a/5') })
    const promise = script.sent.findLast(({ message }) => message.type === 'promise')?.message
    expect(promise?.type === 'promise' && Object.keys(promise.holds)).toEqual(['L'])
  })

  provenBy('speaks-when-frozen', 'a release of a frozen node stays local', (rules) => {
    const script = begun(['a', 'b', 'c'], rules)
    for (const name of ['L', 'M', 'N', 'O', 'P']) script.request('b', name)
    script.do('b', { kind: 'receive', from: 'a', message: prepare(5, 'a/5') })
    const before = script.sent.length
    for (const name of ['L', 'M', 'N', 'O', 'P']) script.release('b', name)
    expect(script.sent.slice(before).filter(({ message }) => message.type === 'link')).toEqual([])
  })
})

describe('R12 decide', () => {
  provenBy('prepare-without-majority', 'only with the promises of a majority of H', (rules) => {
    const script = begun(['a', 'b', 'c'], rules)
    script.passes = () => false
    script.now = 60
    script.do('a', { kind: 'renew' })
    script.now = 95
    script.do('a', { kind: 'tick' })
    expect(script.node('a').proposal).toMatchObject({ record: null })
  })

  test('waits for one that another hears, and for one that is owed a lease; and decides in the end', () => {
    const script = begun(['a', 'b', 'c'])
    const decided = () => script.node('a').installed?.record.members.map(({ id }) => id)
    // Of b only c hears, and both owe it a lease.
    script.passes = (from, to) => !(from === 'b' && to === 'a')
    script.now = 60
    script.beat('b')
    script.do('a', { kind: 'renew' })
    expect(script.disk('c').promised.epoch).toBe(2)
    expect(script.node('a').proposal?.record).toBeNull()
    script.now = 85
    script.do('a', { kind: 'tick' })
    expect(script.node('a').proposal?.record).toBeNull()
    script.now = 95
    script.do('a', { kind: 'tick' })
    expect(decided()).toEqual(['a', 'c'])
  })

  provenBy('silent-stay-in', 'only those who reported are members', (rules) => {
    const script = goneOnWithout('c', rules)
    script.do('a', { kind: 'tick' })
    expect(script.node('a').proposal?.record?.members.map(({ id }) => id)).toEqual(['a', 'b'])
  })

  provenBy('takes-in-who-is-not-in-h', 'a session that began a view but is not in H stays out', (rules) => {
    const script = begun(['a', 'b', 'c'], rules)
    script.passes = cutOff('c')
    script.pass(18)
    script.passes = (_from, _to, { type }) => ['prepare', 'promise', 'refuse', 'install'].includes(type)
    script.holdsBack = (from, _to, { type }) => from === 'b' && type === 'promise'
    script.do('a', { kind: 'renew' })
    script.letGo()
    const record = script.node('a').proposal?.record
    expect(record?.members.map(({ id }) => id)).toEqual(['a', 'b'])
  })

  /** `a` proposes, and these say that they hold L. */
  function claimants(script: Script, ...ids: string[]): void {
    script.passes = () => false
    script.now = 10
    script.do('a', { kind: 'renew' })
    const { epoch, ballot } = script.node('a').durable.promised
    const claim = { seat: 0, mode: 'exclusive', fence: { epoch: 1, counter: 16 } } as const
    for (const id of ['b', 'c']) {
      const message = {
        type: 'promise',
        epoch,
        ballot,
        session: { voterId: `${id}1`, k: 1 },
        mark: '',
        accepted: script.node(id).durable.accepted,
        begun: 1,
        holds: ids.includes(id) ? { L: [claim] } : {},
        wish: null,
      } as const
      script.do('a', { kind: 'receive', from: id, message })
    }
  }

  test('two claims that exclude each other cannot be: it is told, and both are left out', () => {
    const script = begun(['a', 'b', 'c'])
    script.request('b', 'L')
    claimants(script, 'b', 'c')
    expect(script.of('a', 'contradiction')).toEqual([{ kind: 'contradiction', what: 'b and c both claim L' }])
    const record = script.node('a').proposal?.record
    expect(record?.members.map(({ id }) => id)).toEqual(['a'])
    expect(record?.table).toEqual({})
  })

  test('what the proposer holds itself it believes', () => {
    const script = begun(['a', 'b', 'c'])
    script.request('a', 'L')
    claimants(script, 'c')
    const record = script.node('a').proposal?.record
    expect(record?.members.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(record?.table['L']?.map(({ id }) => id)).toEqual(['a'])
  })
})

describe('R13 accept', () => {
  provenBy('accepts-lower', 'nothing below the promise', (rules) => {
    const script = begun(['a', 'b', 'c'], rules)
    script.do('b', { kind: 'receive', from: 'a', message: prepare(5, 'a/5') })
    const record = recordOf(script, 4, ['a', 'b', 'c'])
    expect(answers(script, 'b', 'c', { type: 'install', record, ballot: 'c/4' })).toEqual(['refuse'])
  })

  provenBy('accept-in-memory', 'is on disk before it is told', (rules) => {
    const script = begun(['a', 'b', 'c'], rules)
    const record = recordOf(script, 2, ['a', 'b', 'c'])
    expect(answers(script, 'b', 'a', { type: 'install', record, ballot: 'a/2' })).toEqual([
      'heartbeat',
      'accepted',
    ])
    expect(script.disk('b').accepted?.epoch).toBe(2)
  })

  provenBy('accept-at-once', 'waits for leases; GONE or a higher session ends what is owed', (rules) => {
    const ends = [
      { type: 'gone', session: { voterId: 'c1', k: 1 } } as const,
      heartbeatOf('c1', { session: { voterId: 'c1', k: 2 }, accepted: 1, promised: 1 }),
    ]
    for (const message of ends) {
      const script = begun(['a', 'b', 'c'], rules)
      const record = recordOf(script, 2, ['a', 'b'])
      expect(answers(script, 'b', 'a', { type: 'install', record, ballot: 'a/2' })).toEqual([])
      script.do('b', { kind: 'receive', from: 'c', message })
      script.do('b', { kind: 'tick' })
      expect(script.disk('b').accepted?.epoch).toBe(2)
    }
  })
})

describe('R14 begin', () => {
  provenBy('one-accept', 'a record is chosen by a majority', (rules) => {
    const script = begun(['a', 'b', 'c'], rules)
    script.passes = (_from, _to, { type }) => type !== 'accepted'
    script.do('a', { kind: 'renew' })
    expect(script.views).toEqual({ a: 1, b: 1, c: 1 })
  })

  provenBy('late-begin', 'only the epoch that was promised last', (rules) => {
    const script = begun(['a', 'b', 'c'], rules)
    script.holdsBack = (_from, to, { type }) => to === 'b' && (type === 'begin' || type === 'heartbeat')
    script.do('a', { kind: 'renew' })
    script.do('b', { kind: 'receive', from: 'c', message: prepare(9, 'c/9') })
    script.holdsBack = () => false
    script.letGo()
    expect(script.node('b').begun?.epoch).toBe(1)
  })

  provenBy('no-table', 'from the table: who held before holds, with its old fence', (rules) => {
    const script = begun(['a', 'b', 'c'], rules)
    for (const name of ['L', 'M', 'N']) script.request('c', name)
    script.do('a', { kind: 'renew' })
    expect(script.views).toEqual({ a: 2, b: 2, c: 2 })
    for (const name of ['L', 'M', 'N']) {
      script.request('a', name)
      expect(script.grants(name).map(({ id, fence }) => `${id} ${fence.epoch}`)).toEqual(['c 1'])
      script.release('c', name)
      expect(script.grants(name).map(({ id, fence }) => `${id} ${fence.epoch}`)).toEqual(['c 1', 'a 2'])
    }
  })

  test('an entry no longer held is released once', () => {
    const script = begun(['a', 'b', 'c'])
    script.request('c', 'L')
    script.passes = (_from, _to, { type }) => type !== 'begin' && type !== 'heartbeat'
    script.do('a', { kind: 'renew' })
    script.release('c', 'L')
    script.passes = () => true
    script.beat('a', 'b', 'c')
    script.request('a', 'L')
    script.request('b', 'L')
    expect(script.grants('L').map(({ id }) => id)).toEqual(['c', 'a'])
  })
})

describe('R15 catch up', () => {
  test('a heartbeat of one who began proves that it was chosen: who has the record begins', () => {
    const script = begun(['a', 'b', 'c'])
    script.passes = (_from, to, { type }) => to !== 'c' || type === 'prepare' || type === 'install'
    script.do('a', { kind: 'renew' })
    expect(script.views).toMatchObject({ a: 2, c: 1 })
    script.passes = (_from, _to, { type }) => type === 'heartbeat'
    script.beat('a')
    expect(script.views).toMatchObject({ c: 2 })
  })

  test('who lacks it asks for it, and gets a copy', () => {
    const script = begun(['a', 'b', 'c'])
    script.passes = (_from, to, { type }) => to !== 'c' || type === 'prepare'
    script.do('a', { kind: 'renew' })
    expect(script.views).toMatchObject({ a: 2, c: 1 })
    script.passes = (_from, _to, { type }) => ['heartbeat', 'fetch', 'copy'].includes(type)
    script.beat('a')
    expect(script.views).toMatchObject({ c: 2 })
  })

  test('a voter whose accepted record is behind is sent INSTALL again', () => {
    const script = begun(['a', 'b', 'c'])
    script.passes = (_from, to, { type }) => to !== 'c' || type === 'prepare'
    script.do('a', { kind: 'renew' })
    expect(script.disk('c').accepted?.epoch).toBe(1)
    script.passes = () => true
    script.beat('c')
    expect(script.disk('c').accepted?.epoch).toBe(2)
  })
})

describe('R16 give up', () => {
  test('a REFUSE ends the ballot, and teaches the epoch', () => {
    const script = begun(['a', 'b', 'c'])
    script.do('b', { kind: 'receive', from: 'c', message: { ...prepare(9, 'c/9'), insists: true } })
    script.passes = (from, to) => cutOff('c')(from, to)
    script.now = 60
    script.do('a', { kind: 'renew' })
    expect(script.node('a').proposal).toBeNull()
    script.do('a', { kind: 'renew' })
    expect(script.node('a').proposal?.epoch).toBe(10)
  })

  test('so does time; then those who froze for it propose', () => {
    const script = begun(['a', 'b', 'c'])
    script.passes = (from) => from === 'a'
    script.do('a', { kind: 'renew' })
    const { ballot } = script.node('a').durable.promised
    script.pass(25)
    expect(script.node('a').proposal?.ballot).not.toBe(ballot)
    script.kill('a')
    script.passes = () => true
    script.pass(40)
    expect(members(script, 'b')).toEqual(['b', 'c'])
  })

  test('a proposer may die at any point, also after its record was chosen', () => {
    const points = ['prepare', 'promise', 'install', 'accepted', 'begin'] as const
    for (const point of points) {
      const script = new Script(['a', 'b', 'c'], SOUND)
      script.do('a', { kind: 'renew' })
      script.beat('a', 'b', 'c')
      script.passes = (_from, _to, { type }) => type !== point
      script.do('a', { kind: 'renew' })
      script.kill('a')
      script.passes = () => true
      script.pass(40)
      expect(members(script, 'b'), point).toEqual(['b', 'c'])
      script.request('b', 'L')
      expect(script.grants('L'), point).toHaveLength(1)
    }
  })
})
