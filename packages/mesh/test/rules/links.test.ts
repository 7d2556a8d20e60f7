import { describe, expect, test } from 'vitest'
import { home } from '../../src/protocol/instances.ts'
import { isCongested } from '../../src/protocol/links.ts'
import type { Script } from '../script.ts'
import { begun, provenBy } from './proof.ts'

/** A lock whose coordinator is this one of a, b and c. */
function lockAt(id: string, nth = 0): string {
  const names = Array.from({ length: 400 }, (_, i) => `L${i}`)
  return names.filter((name) => home(name, ['a', 'b', 'c']) === id)[nth]
}

const links = (script: Script, from: string, to: string) =>
  script.sent.flatMap((sent) =>
    sent.from === from && sent.to === to && sent.message.type === 'link' ? [sent.message.seq] : [],
  )

describe('R17 links', () => {
  test('numbered from 1, taken in order and once', () => {
    const script = begun(['a', 'b', 'c'])
    const lock = lockAt('a')
    script.holdsBack = (_from, to, { type }) => to === 'a' && type === 'link'
    script.request('b', lock)
    script.do('b', { kind: 'tick' })
    expect(links(script, 'b', 'a')).toEqual([1, 1])
    script.holdsBack = () => false
    script.letGo()
    expect(script.grants(lock)).toHaveLength(1)
    expect(script.nodes['a'].links['b'].nextIn).toBe(2)
    expect(script.nodes['b'].links['a'].unacked).toEqual([])
  })

  test('what comes too early is dropped without an ack, and comes again', () => {
    const script = begun(['a', 'b', 'c'])
    const [one, two] = [lockAt('a', 0), lockAt('a', 1)]
    script.passes = (_from, _to, message) => message.type !== 'link' || message.seq !== 1
    script.request('b', one)
    script.request('b', two)
    expect(script.grants(two)).toEqual([])
    script.passes = () => true
    script.do('b', { kind: 'tick' })
    expect([...script.grants(one), ...script.grants(two)]).toHaveLength(2)
  })

  test('`connected` repeats at once, and all of it', () => {
    const script = begun(['a', 'b', 'c'])
    script.passes = () => false
    for (let i = 0; i < 40; i += 1) script.request('b', lockAt('a', i))
    script.passes = () => true
    script.do('b', { kind: 'connected', peer: 'a' })
    for (let i = 0; i < 40; i += 1) expect(script.grants(lockAt('a', i))).toHaveLength(1)
  })

  test('what came before the receiver began the view comes again as soon as it says that it has', () => {
    const script = begun(['a', 'b', 'c'])
    const lock = lockAt('c')
    script.holdsBack = (_from, to, { type }) => to === 'c' && type === 'begin'
    // A heartbeat of one that began says as much as BEGIN (R15).
    script.passes = (_from, to, { type }) => to !== 'c' || type !== 'heartbeat'
    script.do('a', { kind: 'renew' })
    expect(script.views).toEqual({ a: 2, b: 2, c: 1 })
    script.request('b', lock)
    expect(script.grants(lock)).toEqual([])
    script.passes = () => true
    script.holdsBack = () => false
    script.letGo()
    expect(script.grants(lock)).toHaveLength(1)
  })

  test('an ack may ride on a message that goes the other way', () => {
    const script = begun(['a', 'b', 'c'])
    const lock = lockAt('a')
    script.passes = (_from, _to, { type }) => type !== 'link-ack'
    script.request('b', lock)
    const { links } = script.nodes['b']
    expect(links['a'].unacked).toHaveLength(1)
    const epoch = script.nodes['b'].begun?.epoch ?? 0
    const payload = { kind: 'steal', name: 'another' } as const
    const riding = (view: number) =>
      ({ type: 'link', epoch: view, seq: links['a'].nextIn, payload, upTo: 1 }) as const
    script.do('b', { kind: 'receive', from: 'a', message: riding(epoch + 1) })
    expect(links['a'].unacked).toHaveLength(1)
    script.do('b', { kind: 'receive', from: 'a', message: riding(epoch) })
    expect(links['a'].unacked).toEqual([])
  })

  provenBy('other-epochs', 'messages of another view are dropped, and answered with a heartbeat', (rules) => {
    const script = begun(['a', 'b', 'c'], rules)
    const lock = lockAt('a')
    script.holdsBack = (from, to, { type }) => from === 'b' && to === 'a' && type === 'link'
    script.request('b', lock)
    script.do('a', { kind: 'renew' })
    script.do('b', { kind: 'cancel', name: lock, caller: 'b' })
    script.holdsBack = () => false
    const before = script.sent.length
    script.letGo()
    const answer = script.sent.slice(before).find(({ from }) => from === 'a')
    expect(answer?.message).toMatchObject({ type: 'heartbeat', begun: 2 })
    expect(script.grants(lock)).toEqual([])
  })

  test('with the view both directions start empty', () => {
    const script = begun(['a', 'b', 'c'])
    script.passes = (_from, _to, { type }) => type !== 'link'
    script.request('b', lockAt('a'))
    expect(script.nodes['b'].links['a'].unacked).toHaveLength(1)
    script.do('b', { kind: 'cancel', name: lockAt('a'), caller: 'b' })
    script.do('a', { kind: 'renew' })
    expect(script.nodes['b'].links).toEqual({})
  })
})

describe('R18 queues', () => {
  test('what is for oneself is done at once and not numbered', () => {
    const script = begun(['a', 'b', 'c'])
    script.passes = () => false
    script.request('a', lockAt('a'))
    expect(script.grants(lockAt('a'))).toHaveLength(1)
    expect(script.nodes['a'].links['a']).toBeUndefined()
  })

  test('a long queue is told, nothing is dropped; at the limit the view ends, and callers are served in the next', () => {
    const script = begun(['a', 'b', 'c'], undefined, { linkLimit: 8 })
    script.passes = (from, to, { type }) => !(from === 'b' && to === 'a' && type === 'link')
    const ask = (i: number) => script.request('b', lockAt('a', i))
    for (let i = 0; i < 3; i += 1) ask(i)
    expect(isCongested(script.nodes['b'])).toBe(false)
    for (let i = 3; i < 7; i += 1) ask(i)
    expect(isCongested(script.nodes['b'])).toBe(true)
    expect(script.nodes['b'].links['a'].unacked).toHaveLength(7)
    expect(script.views).toEqual({ a: 1, b: 1, c: 1 })
    ask(7)
    script.do('b', { kind: 'tick' })
    expect(script.views, 'one tick to see whether it moves').toEqual({ a: 1, b: 1, c: 1 })
    script.passes = (_from, _to, message) => message.type !== 'link' || message.epoch > 1
    script.do('b', { kind: 'tick' })
    expect(script.views).toEqual({ a: 2, b: 2, c: 2 })
    for (let i = 0; i < 8; i += 1) expect(script.grants(lockAt('a', i))).toHaveLength(1)
    expect(isCongested(script.nodes['b'])).toBe(false)
  })
})
