import { get } from '@turnwise/core/bounds'
import { describe, expect, test } from 'vitest'
import { SOUND } from '../../broken/under.ts'
import { Script } from '../script.ts'
import { answers, begun, cutOff, heartbeatOf, prepare } from './proof.ts'

const members = (script: Script, id: string) => script.node(id).begun?.members.map((member) => member.id)

describe('R8 who proposes', () => {
  test('the first voter, late: while a silent member may hold a lease the others work on', () => {
    const script = begun(['a', 'b', 'c'])
    script.passes = cutOff('c')
    script.pass(8)
    expect(script.node('a').durable.promised.epoch).toBe(1)
    script.pass(8)
    expect(members(script, 'a')).toEqual(['a', 'b'])
    expect(script.node('a').durable.promised.ballot).toMatch(/^a\//)
  })

  test('another, when those before it are silent, and by the time their leases are over', () => {
    const script = begun(['a', 'b', 'c'])
    script.passes = cutOff('a')
    script.pass(12)
    expect(members(script, 'b')).toEqual(['b', 'c'])
  })

  test('another, if others hear those before it, only after a while from when there is a reason', () => {
    const script = begun(['a', 'b', 'c'])
    script.passes = (from, to) => !(from === 'a' && to === 'b')
    script.pass(14)
    expect(script.node('b').durable.promised.epoch).toBe(1)
  })

  test('nobody, for a member that was left out at work and whose thread goes on to speak: it comes back fresh', () => {
    const script = begun(['a', 'b', 'c'])
    script.kill('c')
    script.do('a', { kind: 'renew' })
    for (let round = 0; round < 40; round += 1) {
      const message = heartbeatOf('c1', { at: script.now, begun: 1, accepted: 1, promised: 1 })
      for (const id of ['a', 'b']) script.do(id, { kind: 'receive', from: 'c', message })
      script.pass(1)
    }
    expect(members(script, 'a')).toEqual(['a', 'b'])
    expect(script.views).toEqual({ a: 2, b: 2 })
  })

  describe('a node that does not vote, and hears the first voter', () => {
    const ids = ['a', 'b', 'c', 'd', 'm']
    const VOTERS = ['a', 'b', 'c']

    /** The program of a is at work, and its lease thread speaks for it, as a voter too. */
    function atWork(): { script: Script; pass: (rounds: number) => void } {
      const script = new Script(ids, SOUND, { voters: VOTERS, firstStart: VOTERS })
      script.pass(30)
      script.request('m', 'L')
      const { voterId } = script.node('a').durable
      const epoch = script.node('a').begun?.epoch ?? 0
      script.kill('a')
      const pass = (rounds: number) => {
        for (let round = 0; round < rounds; round += 1) {
          const { now: at } = script
          const beat = heartbeatOf(voterId, { at, begun: epoch, accepted: epoch, promised: epoch })
          for (const id of ids.filter((each) => each !== 'a' && each in script.nodes)) {
            const { voterId: own, k } = script.node(id).durable
            const ack = { type: 'ack', session: { voterId: own, k }, at, voterId } as const
            for (const message of [beat, ack]) script.do(id, { kind: 'receive', from: 'a', message })
          }
          script.pass(1)
        }
      }
      return { script, pass }
    }

    test('goes with a later one that hears it too, and so has waited for it', () => {
      const { script, pass } = atWork()
      script.kill('d')
      pass(80)
      expect(members(script, 'b')).toEqual(['b', 'c', 'm'])
      expect(script.of('m', 'lost')).toEqual([])
    })

    test('ignores a later one that does not hear it', () => {
      const { script, pass } = atWork()
      pass(1)
      const epoch = script.node('m').durable.promised.epoch + 1
      expect(answers(script, 'm', 'b', prepare(epoch, 'b/1'))).toContain('promise')
      const other = atWork()
      other.pass(1)
      const { voterId } = other.script.node('b').durable
      const beat = heartbeatOf(voterId, { at: other.script.now, begun: epoch - 1, accepted: epoch - 1 })
      const deaf = { ...beat, promised: epoch - 1, suspects: ['a'] }
      other.script.do('m', { kind: 'receive', from: 'b', message: deaf })
      expect(answers(other.script, 'm', 'b', prepare(epoch, 'b/1'))).toEqual([])
    })
  })

  test('who has a lease and hears the proposer of its view ignores another', () => {
    const script = begun(['a', 'b', 'c'])
    expect(answers(script, 'b', 'c', prepare(9, 'c/9'))).toEqual([])
    expect(script.node('b').durable.promised.epoch).toBe(1)
    expect(answers(script, 'b', 'a', prepare(10, 'a/9'))).toEqual(['heartbeat', 'promise'])
  })

  test('without a lease, or by a host that insists, it does not', () => {
    const insisting = begun(['a', 'b', 'c'])
    expect(answers(insisting, 'b', 'c', { ...prepare(9, 'c/9'), insists: true })).toEqual([
      'heartbeat',
      'promise',
    ])
    const lapsed = begun(['a', 'b', 'c'])
    lapsed.now = 100
    expect(answers(lapsed, 'b', 'c', prepare(9, 'c/9'))).toEqual(['heartbeat', 'promise'])
  })

  test('a proposer that says it does not hear the answer is not answered', () => {
    const script = begun(['a', 'b', 'c'])
    script.now = 10
    script.do('b', {
      kind: 'receive',
      from: 'a',
      message: heartbeatOf('a1', { at: 10, begun: 1, accepted: 1, promised: 1, suspects: ['b', 'c'] }),
    })
    expect(answers(script, 'b', 'a', prepare(9, 'a/9'))).toEqual([])
  })

  const cases: [string, (from: string, to: string) => boolean, string[]][] = [
    ['one link', (from, to) => !(from === 'b' && to === 'c'), ['a', 'b']],
    ['a proposer that is not heard by one', (from, to) => !(from === 'a' && to === 'b'), ['a', 'c']],
    ['a proposer that hears nobody', (_from, to) => to !== 'a', ['b', 'c']],
    ['a member that hears nobody', (_from, to) => to !== 'c', ['a', 'b']],
  ]
  for (const [what, passes, left] of cases) {
    test(`a link that works one way: ${what}; the member with the fewest links goes, the others enter`, () => {
      const script = begun(['a', 'b', 'c'])
      script.passes = passes
      script.pass(60)
      expect(members(script, get(left, 0))).toEqual(left)
      for (const id of left) script.request(id, 'L')
      for (const _ of left) {
        const last = script.grants('L').at(-1)
        if (last !== undefined) script.release(last.id, 'L')
      }
      expect(new Set(script.grants('L').map(({ id }) => id))).toEqual(new Set(left))
      const view = script.node(get(left, 0)).begun?.epoch
      script.pass(60)
      expect(script.node(get(left, 0)).begun?.epoch, 'nobody disturbs').toBe(view)
      script.passes = () => true
      script.pass(40)
      expect(members(script, get(left, 0)), 'all are back when it heals').toEqual(['a', 'b', 'c'])
    })
  }
})
