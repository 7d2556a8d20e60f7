/** R12, R13: a view that does not fit its settings is not proposed, not accepted and not begun. */
import { describe, expect, test } from 'vitest'
import { broken } from '../../broken/rules.ts'
import { SOUND } from '../../broken/under.ts'
import { misfitOf } from '../../src/protocol/fit.ts'
import { Script } from '../script.ts'
import { LEASE } from '../simulation/plan.ts'

const set = (algorithm: string) => ({ algorithm, lease: LEASE, drift: 0 })

/** Three members are as many as the modulus allows. */
const FULL = { settings: set('ricart-agrawala modulus=5') }
const FOUR = ['a', 'b', 'c', 'd']

function members(script: Script, id: string): string | undefined {
  return script
    .node(id)
    .begun?.members.map((member) => member.id)
    .join('')
}

function misfit(script: Script, id: string): string | undefined {
  return misfitOf(script.node(id), script.now)?.text
}

describe('too many', () => {
  const voters = ['a', 'b', 'c']
  const config = { ...FULL, peers: FOUR, voters, firstStart: voters }

  test('a newcomer without a place stays out, knows why, and has the place of one who goes', () => {
    const script = new Script(voters, SOUND, config)
    script.pass(20)
    expect(members(script, 'a')).toBe('abc')
    const { epoch } = script.node('a').begun ?? { epoch: 0 }
    script.add('d')
    script.request('d', 'L')
    script.pass(40)
    // Nobody was frozen for it.
    expect(script.node('a').durable.promised.epoch).toBe(epoch)
    expect(members(script, 'a')).toBe('abc')
    expect(misfit(script, 'd')).toBe(
      'no place for d beside a, b, c: "ricart-agrawala modulus=5" cannot serve 4 members: ' +
        'the modulus 5 is less than 2n-1, which is 7',
    )
    expect(misfit(script, 'a')).toBeUndefined()

    script.do('b', { kind: 'leave' })
    script.kill('b')
    script.pass(40)
    expect(members(script, 'd')).toBe('acd')
    expect(misfit(script, 'd')).toBeUndefined()
    expect(script.grants('L')).toMatchObject([{ id: 'd' }])

    // b is back with its disk: a voter still, but its place is taken.
    script.restart('b')
    script.pass(40)
    expect(members(script, 'a')).toBe('acd')
    expect(misfit(script, 'b')).toContain('no place for b beside a, c, d')
  })

  test('of two that come for one place a voter has it', () => {
    const two = ['a', 'b']
    const script = new Script(two, SOUND, { ...config, voters: ['a', 'b', 'd'], firstStart: ['a', 'b', 'd'] })
    script.add('d')
    script.pass(20)
    expect(members(script, 'a')).toBe('abd')
    script.do('d', { kind: 'leave' })
    script.kill('d')
    script.pass(20)
    expect(members(script, 'a')).toBe('ab')
    script.restart('d')
    script.add('c')
    script.pass(30)
    expect(members(script, 'a')).toBe('abd')
    expect(misfit(script, 'c')).toContain('no place for c beside a, b, d')
  })

  test('a view of all is not accepted from any proposer', () => {
    const script = new Script(voters, SOUND, config)
    script.pass(20)
    const before = script.disk('b').accepted
    const record = { ...script.node('b').begun, epoch: 50, settings: set('ricart-agrawala modulus=3') }
    const ballot = 'a/a1.1/9'
    for (const type of ['install', 'copy'] as const) {
      script.do('b', { kind: 'receive', from: 'a', message: { type, record, ballot } as never })
    }
    script.pass(5)
    expect(script.disk('b').accepted).toEqual(before)
    expect(script.disk('b').promised.epoch).toBe(before?.epoch)
    expect(script.sent).toContainEqual({
      from: 'b',
      to: 'a',
      message: expect.objectContaining({ type: 'refuse', ballot }),
    })
  })

  test('without the rule all four are in, and two may hold one lock', () => {
    const script = new Script(FOUR, broken('begins-unfit'), { ...FULL, firstStart: FOUR })
    script.pass(20)
    expect(members(script, 'a')).toBe('abcd')
  })
})

describe('too few', () => {
  const config = { settings: set('gifford-voting votes=1,1,1,1') }

  test('the view of four stays when one dies: holders keep their locks, and all know why nothing moves', () => {
    const script = new Script(FOUR, SOUND, config)
    script.pass(20)
    expect(members(script, 'a')).toBe('abcd')
    script.request('a', 'L')
    expect(script.holds('a', 'L')).toHaveLength(1)
    const { epoch } = script.node('a').begun ?? { epoch: 0 }
    script.kill('d')
    script.pass(60)
    expect(script.node('a').durable.promised.epoch).toBe(epoch)
    expect(script.holds('a', 'L')).toHaveLength(1)
    for (const id of ['a', 'b', 'c']) {
      expect(misfit(script, id)).toContain(
        '"gifford-voting votes=1,1,1,1" cannot serve 3 members: votes for 4 nodes were given, but there are only 3',
      )
    }

    script.restart('d')
    script.request('d', 'L')
    script.pass(40)
    expect(members(script, 'a')).toBe('abcd')
    expect(misfit(script, 'a')).toBeUndefined()
    expect(script.holds('a', 'L')).toHaveLength(1)
    script.release('a', 'L')
    expect(script.grants('L').map(({ id }) => id)).toEqual(['a', 'd'])
  })

  test('the first view waits for as many as it needs, though fewer vote', () => {
    const voters = ['a', 'b', 'c']
    const script = new Script(voters, SOUND, { ...config, peers: FOUR, voters, firstStart: voters })
    script.pass(40)
    expect(members(script, 'a')).toBeUndefined()
    expect(misfit(script, 'a')).toContain('no view of a, b, c')
    script.add('d')
    script.pass(30)
    expect(members(script, 'a')).toBe('abcd')
  })

  test('one that dies in the middle of a ballot is waited for, and the next ballot has it', () => {
    const script = new Script(FOUR, SOUND, config)
    script.pass(20)
    script.request('a', 'L')
    script.passes = (from) => from !== 'd'
    script.do('a', { kind: 'renew' })
    script.pass(60)
    expect(script.views['a']).not.toBe(script.node('a').durable.promised.epoch)
    expect(script.holds('a', 'L')).toHaveLength(1)
    expect(misfit(script, 'a')).toContain('no view of a, b, c')
    script.passes = () => true
    script.pass(60)
    expect(members(script, 'a')).toBe('abcd')
    expect(script.holds('a', 'L')).toHaveLength(1)
  })
})
