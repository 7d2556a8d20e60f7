import { describe, expect, test } from 'vitest'
import { atLeast } from '../../../../test/present.ts'
import { SOUND } from '../../broken/under.ts'
import { whyNotIn } from '../../src/host/in-vain.ts'
import { standing, whyNoFirstView, whyNoGenesis } from '../../src/protocol/standing.ts'
import { Script } from '../script.ts'
import { LEASE } from '../simulation/plan.ts'
import { begun, cutOff, provenBy, voters } from './proof.ts'

const ids = ['a', 'b', 'c']

describe('R23 voters on wish', () => {
  test('a mesh of one grows to three, one joint view at a time, and keeps its locks', () => {
    const script = new Script(ids, SOUND, { voters: ['a'], firstStart: ['a'] })
    script.pass(12)
    expect(voters(script, 'c')).toEqual(['a'])
    script.request('a', 'L')
    script.do('a', { kind: 'voters', wanted: ids })
    script.pass(25)
    expect(script.of('a', 'voters')).toEqual([{ kind: 'voters', voters: ids }])
    expect(voters(script, 'b')).toEqual(ids)
    expect(script.node('b').begun?.oldVoters).toBeNull()
    expect(script.of('a', 'lost')).toEqual([])
    const joint = script.of('a', 'begun').filter(({ record }) => record.oldVoters !== null)
    expect(joint).toHaveLength(1)
  })

  test('a wish made at a member that never votes is heard; it shrinks again', () => {
    const script = new Script([...ids, 'm'], SOUND, { voters: ids, firstStart: ids })
    script.pass(15)
    expect(script.node('m').begun?.members).toHaveLength(4)
    script.request('m', 'L')
    expect(script.grants('L').map(({ id }) => id)).toEqual(['m'])
    script.do('m', { kind: 'voters', wanted: ['b'] })
    script.pass(20)
    expect(script.of('m', 'voters')).toHaveLength(1)
    expect(voters(script, 'a')).toEqual(['b'])
    script.passes = cutOff('a', 'c')
    script.pass(30)
    expect(script.node('m').begun?.members.map(({ id }) => id)).toEqual(['b', 'm'])
    expect(script.of('m', 'lost')).toEqual([])
  })

  test('R14: a view with an earlier deadline does not begin at a member that has promised a later one', () => {
    const script = new Script([...ids, 'm'], SOUND, { voters: ids, firstStart: ids })
    script.pass(15)
    script.request('m', 'L')
    // What b has acknowledged gets old, but a and c are a majority.
    script.passes = (from, to, { type }) => !(from === 'b' && to === 'm' && type === 'ack')
    const m = script.node('m')
    script.do('a', { kind: 'voters', wanted: ['b'] })
    while (script.views['b'] === script.views['m']) {
      m.promised = m.deadline
      script.pass(1)
      expect(m.deadline).toBeGreaterThanOrEqual(m.promised)
    }
    expect(script.views['b'] ?? 0).toBeGreaterThan(script.views['m'] ?? 0)
    // Under the new view b alone decides how long a lease of m is.
    expect((m.acked[script.disk('b').voterId] ?? 0) + LEASE).toBeLessThan(m.promised)
    script.passes = () => true
    script.pass(20)
    expect(script.views['m']).toBe(script.views['b'])
    expect(voters(script, 'm')).toEqual(['b'])
    expect(script.of('m', 'lost')).toEqual([])
  })

  test('a wish waits for a voter that is not there, and needs nobody while it waits', () => {
    const script = new Script(ids, SOUND, { peers: [...ids, 'd'] })
    script.pass(15)
    const view = script.views['a']
    script.do('a', { kind: 'voters', wanted: ['a', 'd'] })
    script.pass(40)
    expect(script.views['a']).toBe(view)
    script.add('d')
    script.pass(40)
    expect(voters(script, 'd')).toEqual(['a', 'd'])
    expect(script.of('a', 'voters')).toHaveLength(1)
  })

  test('it is forgotten with the process it was made at: the operator repeats it', () => {
    const script = begun(ids)
    script.passes = () => false
    script.do('c', { kind: 'voters', wanted: ['a'] })
    script.restart('c')
    expect(script.node('c').wish).toBeNull()
  })

  test('a change whose proposer died when all had accepted it goes on', () => {
    const script = new Script(['a', 'b', 'c', 'd'], SOUND, { voters: ['d'], firstStart: ['d'] })
    script.pass(15)
    script.do('a', { kind: 'voters', wanted: ['b', 'c'] })
    script.passes = (_from, _to, { type }) => type !== 'accepted'
    script.do('a', { kind: 'renew' })
    // b and c have begun a view of d's, and d will know only the record by which they are to vote.
    for (const id of ['b', 'c', 'd']) expect(script.disk(id).accepted?.oldVoters).not.toBeNull()
    expect(voters(script, 'b')).toEqual(['d'])
    script.kill('a')
    script.restart('d')
    script.passes = () => true
    script.pass(60)
    expect(voters(script, 'd')).toEqual(['b', 'c'])
    expect(script.node('d').begun?.oldVoters).toBeNull()
  })

  test('what is so already is settled at once; nobody is no wish', () => {
    const script = begun(ids)
    script.do('c', { kind: 'voters', wanted: ['c', 'b', 'a'] })
    expect(script.of('c', 'voters')).toHaveLength(1)
    expect(() => script.do('c', { kind: 'voters', wanted: [] })).toThrow('at least one voter')
  })

  test('peers are added at run time, and a new one may become a voter', () => {
    const script = begun(ids)
    script.add('d')
    script.pass(15)
    expect(script.node('d').begun).toBeNull()
    for (const id of ids) script.do(id, { kind: 'peers', peers: [...ids, 'd'] })
    script.do('d', { kind: 'peers', peers: [...ids, 'd'] })
    script.do('b', { kind: 'voters', wanted: ['a', 'b', 'd'] })
    script.pass(40)
    expect(voters(script, 'd')).toEqual(['a', 'b', 'd'])
  })

  provenBy('no-joint-view', 'the old voters count until the change is settled', (rules) => {
    const script = begun(ids, rules)
    script.do('a', { kind: 'voters', wanted: ['a'] })
    script.passes = (_from, _to, { type }) => ['prepare', 'promise', 'heartbeat'].includes(type)
    script.do('a', { kind: 'renew' })
    expect(script.views['a']).toBe(1)
  })

  provenBy('joint-view-ends-early', 'they stay until every member has begun the joint view', (rules) => {
    const script = begun(ids, rules)
    script.do('a', { kind: 'voters', wanted: ['a', 'b'] })
    // c promises and is in the joint view, but does not hear that it is chosen.
    script.passes = (_from, to, { type }) => to !== 'c' || !['begin', 'heartbeat', 'copy'].includes(type)
    script.do('a', { kind: 'renew' })
    expect(script.node('a').begun?.oldVoters).not.toBeNull()
    script.do('a', { kind: 'renew' })
    expect(script.views['a']).toBe(3)
    expect(script.node('a').begun?.oldVoters).not.toBeNull()
  })
})

describe('R24 sizes', () => {
  test('one: every message is to oneself', () => {
    const script = begun(['a'])
    script.request('a', 'L')
    expect(script.grants('L')).toHaveLength(1)
    expect(script.sent).toEqual([])
  })

  const survives = (all: string[], lost: string[]) => {
    const script = begun(all)
    script.passes = cutOff(...lost)
    script.pass(40)
    script.request('a', 'L')
    return script.grants('L').length === 1
  }

  test('two survive no loss, three and four one, five two', () => {
    expect(survives(['a', 'b'], ['b'])).toBe(false)
    expect(survives(ids, ['c'])).toBe(true)
    expect(survives(['a', 'b', 'c', 'd'], ['d'])).toBe(true)
    expect(survives(['a', 'b', 'c', 'd'], ['c', 'd'])).toBe(false)
    expect(survives(['a', 'b', 'c', 'd', 'e'], ['d', 'e'])).toBe(true)
  })
})

describe('R25 all restart', () => {
  test('a view above all others, with no holders and all sessions new', () => {
    const script = begun(ids)
    script.request('c', 'L')
    script.now = 10
    for (const id of ids) script.restart(id)
    script.pass(25)
    expect(script.node('a').begun).toMatchObject({ table: {}, members: [{ session: { k: 2 } }, {}, {}] })
    script.request('a', 'L')
    const [before, after] = atLeast(2, script.grants('L'))
    expect(after.fence.epoch).toBeGreaterThan(before.fence.epoch)
  })
})

describe('R26 no majority', () => {
  test('while a majority is not heard, since when and who is missing', () => {
    const script = begun(ids)
    script.pass(3)
    expect(standing(script.node('a'), script.now)).toEqual({
      view: 1,
      isFrozen: false,
      isLeaseValid: true,
      noQuorumSince: null,
      missing: [],
      withoutState: [],
      needsOperator: false,
    })
    script.passes = cutOff('b', 'c')
    const since = script.now
    script.pass(20)
    const now = standing(script.node('a'), script.now)
    expect(now).toMatchObject({ isLeaseValid: false, missing: ['b', 'c'], needsOperator: false })
    expect(now.noQuorumSince).toBeGreaterThan(since)
    expect(now.noQuorumSince).toBeLessThanOrEqual(since + 70)
    script.passes = () => true
    script.pass(30)
    expect(standing(script.node('a'), script.now)).toMatchObject({ noQuorumSince: null, isLeaseValid: true })
  })

  test('before the first view: who of the configured voters is missing', () => {
    const script = new Script(ids, SOUND, { firstStart: undefined })
    script.passes = cutOff('c')
    script.pass(10)
    expect(standing(script.node('a'), script.now)).toMatchObject({ view: null, missing: ['c'] })
    expect(standing(script.node('a'), script.now).noQuorumSince).not.toBeNull()
    const why = () => whyNoFirstView(script.node('a'), script.now)
    const needs = 'the first view needs every voter (a, b, c)'
    expect(why()).toBe(`${needs}, and c is missing`)
    script.passes = cutOff('b', 'c')
    script.pass(30)
    expect(why()).toBe(`${needs}, and b, c are missing`)
    script.passes = () => true
    script.pass(2)
    const waits = `a node with a new state directory waits ${LEASE} ms after its start, unless firstStart is true`
    expect(why()).toBe(`${needs}: all are heard, but ${waits}`)
    script.pass(60)
    expect([script.views['a'], why()]).toEqual([1, null])
    script.passes = cutOff('b', 'c')
    script.pass(30)
    // It is not the first any more.
    expect(why()).toBeNull()
  })

  test('a majority that is heard is not said to be missing, though a view has not begun yet', () => {
    const script = new Script(ids, SOUND, { firstStart: ids })
    script.pass(15)
    script.restart('a')
    script.passes = (_from, _to, { type }) => type === 'heartbeat'
    script.pass(3)
    const told = { voters: ids, missing: [], trouble: ['leases differ'] }
    expect(whyNotIn(script.node('a'), script.now, 300.4, told)).toBe(
      'node a did not join in 300 ms: a majority of the voters is heard, but no view with this node has begun yet; leases differ',
    )
    script.passes = cutOff('b', 'c')
    script.pass(20)
    expect(whyNotIn(script.node('a'), script.now, 300.4, { ...told, missing: ['b', 'c'] })).toBe(
      'node a found no majority of a, b, c in 300 ms: leases differ; not heard: b, c',
    )
  })

  test('a member that is silent and may still have a lease is named', () => {
    const script = new Script(ids, SOUND, { firstStart: ids })
    script.pass(15)
    script.passes = cutOff('c')
    script.restart('a')
    script.restart('b')
    script.pass(3)
    const told = { voters: ids, missing: ['c'], trouble: [] }
    const heard = 'a majority of the voters is heard, but no view with this node has begun yet'
    expect(whyNotIn(script.node('a'), script.now, 30, told)).toBe(
      `node a did not join in 30 ms: ${heard}; c may still have a lease, for up to 70 ms`,
    )
  })

  /** a and b have lost their disks; c, which has not, holds L as long as its lease runs. */
  function halted(): Script {
    const script = new Script(ids, SOUND, { firstStart: undefined })
    script.pass(30)
    script.request('c', 'L')
    script.beat('c')
    script.passes = cutOff('c')
    script.loseDisk('a')
    script.loseDisk('b')
    return script
  }

  test('halted: the survivor knows that only an operator helps', () => {
    const script = halted()
    script.passes = () => true
    script.pass(40)
    expect(script.views).toMatchObject({ a: null, b: null })
    expect(standing(script.node('c'), script.now)).toMatchObject({
      withoutState: ['a', 'b'],
      needsOperator: true,
    })
  })

  test('an operator orders a first view: above every epoch, after every lease, and the survivor comes back fresh', () => {
    const script = halted()
    script.do('a', { kind: 'genesis', voters: ['a', 'b'], firstEpoch: 5000 })
    script.pass(5)
    script.request('a', 'L')
    expect(script.twoHolders).toBeNull()
    script.pass(25)
    expect(script.node('a').begun?.voters.map(({ voterId }) => voterId)).toEqual(['a2', 'b2'])
    expect(script.grants('L').map(({ id }) => id)).toEqual(['c', 'a'])
    expect(script.grants('L')[1]?.fence.epoch).toBeGreaterThanOrEqual(5000)
    expect(script.twoHolders).toBeNull()
    script.passes = () => true
    script.pass(40)
    expect(script.node('c').begun?.members).toHaveLength(3)
    script.do('c', { kind: 'voters', wanted: ids })
    script.pass(25)
    expect(script.of('c', 'voters')).toHaveLength(1)
  })

  test('with the survivor among its voters it counts although there is a record', () => {
    const script = halted()
    script.passes = () => true
    script.pass(30)
    script.do('b', { kind: 'genesis', voters: ids, firstEpoch: 5000 })
    script.pass(40)
    expect(script.node('c').begun?.members).toHaveLength(3)
    expect(script.node('c').begun?.epoch).toBeGreaterThanOrEqual(5000)
  })

  test('not protected: an order to one side of a cut while the other still has its majority', () => {
    const script = begun(ids)
    script.passes = cutOff('a')
    script.pass(40)
    script.do('a', { kind: 'genesis', voters: ['a'], firstEpoch: 5000 })
    script.pass(40)
    script.request('a', 'L')
    script.request('b', 'L')
    expect(script.twoHolders).toContain('both hold')
  })

  describe('an order is refused', () => {
    const refusal = (script: Script, id: string, epoch: number) =>
      whyNoGenesis(script.node(id), script.now, epoch)

    test('while a majority of the view answers, with a lease or without', () => {
      const script = begun(ids)
      expect(refusal(script, 'a', 5000)).toBe('a majority of view 1 still answers')
      script.restart('a')
      script.beat('b')
      expect(script.node('a').begun).toBeNull()
      expect(refusal(script, 'a', 5000)).toBe('a majority of view 1 still answers')
      script.passes = cutOff('a')
      script.pass(40)
      expect(refusal(script, 'a', 5000)).toBeNull()
    })

    test('at a node that has no record while another has', () => {
      const script = halted()
      script.passes = () => true
      script.pass(40)
      expect(refusal(script, 'a', 5000)).toBe(
        'this node has no record of a view, but c has that of view 1: give the order there',
      )
      expect(refusal(script, 'c', 5000)).toBeNull()
    })

    test('with an epoch that is known to be used', () => {
      const script = halted()
      script.passes = () => true
      script.pass(40)
      const { promised } = script.node('c').durable
      expect(refusal(script, 'c', promised.epoch)).toBe(
        `epoch ${promised.epoch} is not above ${promised.epoch}, the highest one used`,
      )
    })
  })

  test('an order means nothing while the majority answers', () => {
    const script = begun(ids)
    script.do('a', { kind: 'genesis', voters: ['a'], firstEpoch: 5000 })
    expect(script.node('a').order).toBeNull()
  })
})
