import { describe, expect, test } from 'vitest'
import { blank } from '../../src/protocol/record.ts'
import { Script } from '../script.ts'
import { answers, begun, cutOff, heartbeatOf } from './proof.ts'

const ids = ['a', 'b', 'c']

function voters(script: Script, id: string): string[] | undefined {
  return script.node(id).begun?.voters.map(({ voterId }) => voterId)
}

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
