import { get } from '@turnwise/core/bounds'
import { describe, expect, test } from 'vitest'
import { present } from '../../../../test/present.ts'
import { hasRoom } from '../../src/protocol/links.ts'
import type { Message } from '../../src/protocol/messages.ts'
import { sessionKey } from '../../src/protocol/record.ts'
import { home } from '../../src/protocol/view-worlds.ts'
import type { Script } from '../script.ts'
import { begun, provenBy } from './proof.ts'

/** A lock whose coordinator is this one of a, b and c. */
function lockAt(id: string, nth = 0): string {
  const names = Array.from({ length: 400 }, (_, i) => `L${i}`)
  return get(
    names.filter((name) => home(name, ['a', 'b', 'c']) === id),
    nth,
  )
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
    expect(script.node('a').links['b']?.nextIn).toBe(2)
    expect(script.node('b').links['a']?.unacked).toEqual([])
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
    const { links } = script.node('b')
    expect(links['a']?.unacked).toHaveLength(1)
    const epoch = script.node('b').begun?.epoch ?? 0
    const payload = { kind: 'steal', name: 'another' } as const
    const riding = (view: number) =>
      ({ type: 'link', epoch: view, seq: present(links['a']).nextIn, payload, upTo: 1 }) as const
    script.do('b', { kind: 'receive', from: 'a', message: riding(epoch + 1) })
    expect(links['a']?.unacked).toHaveLength(1)
    script.do('b', { kind: 'receive', from: 'a', message: riding(epoch) })
    expect(links['a']?.unacked).toEqual([])
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
    expect(script.node('b').links['a']?.unacked).toHaveLength(1)
    script.do('b', { kind: 'cancel', name: lockAt('a'), caller: 'b' })
    script.do('a', { kind: 'renew' })
    expect(script.node('b').links).toEqual({})
  })
})

describe('R18 queues', () => {
  test('what is for oneself is done at once and not numbered', () => {
    const script = begun(['a', 'b', 'c'])
    script.passes = () => false
    script.request('a', lockAt('a'))
    expect(script.grants(lockAt('a'))).toHaveLength(1)
    expect(script.node('a').links['a']).toBeUndefined()
  })

  /** All messages of links from b to a are lost, until the script says otherwise. */
  const deaf = (from: string, to: string, { type }: Message) =>
    !(from === 'b' && to === 'a' && type === 'link')
  const unacked = (script: Script) => present(script.node('b').links['a']).unacked.length
  const ask = (script: Script, count: number) => {
    for (let i = 0; i < count; i += 1) script.request('b', lockAt('a', i))
  }
  const served = (script: Script, count: number) =>
    Array.from({ length: count }, (_, i) => script.grants(lockAt('a', i)).length)

  test('a burst of requests fills no link: the rest is asked for as what was sent is acknowledged', () => {
    const script = begun(['a', 'b', 'c'], undefined, { linkLimit: 8 })
    script.passes = deaf
    ask(script, 40)
    expect(unacked(script)).toBe(8)
    expect(hasRoom(script.node('b'))).toBe(false)
    expect(script.node('b').unasked.size).toBe(32)
    script.passes = () => true
    script.do('b', { kind: 'connected', peer: 'a' })
    expect(served(script, 40)).toEqual(Array.from({ length: 40 }, () => 1))
    expect(script.node('b').unasked.size).toBe(0)
  })

  test('a caller that gives up meanwhile is not asked for', () => {
    const script = begun(['a', 'b', 'c'], undefined, { linkLimit: 8 })
    script.passes = deaf
    ask(script, 10)
    script.do('b', { kind: 'cancel', name: lockAt('a', 9), caller: 'b' })
    script.passes = () => true
    script.do('b', { kind: 'connected', peer: 'a' })
    expect(served(script, 10)).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1, 0])
  })

  test('nor does a view that begins with many who wait', () => {
    const script = begun(['a', 'b', 'c'], undefined, { linkLimit: 8 })
    script.passes = deaf
    ask(script, 40)
    script.do('a', { kind: 'renew' })
    expect(script.views).toEqual({ a: 2, b: 2, c: 2 })
    expect(unacked(script)).toBe(8)
    script.passes = () => true
    script.pass(1)
    expect(served(script, 40)).toEqual(Array.from({ length: 40 }, () => 1))
  })

  test('of very many not all are asked for in one event, also where there is room', () => {
    const script = begun(['a', 'b', 'c'], undefined, { linkLimit: 8 })
    script.passes = deaf
    ask(script, 8)
    const { unasked } = script.node('b')
    const own = Array.from({ length: 500 }, (_, i) => `own ${i}`).filter(
      (name) => home(name, ['a', 'b', 'c']) === 'b',
    )
    expect(own.length).toBeGreaterThan(128)
    for (const name of own) script.request('b', name)
    expect(unasked.size).toBe(own.length)
    script.passes = () => true
    script.do('b', { kind: 'connected', peer: 'a' })
    const first = own.length - unasked.size
    expect(first).toBeGreaterThan(0)
    while (unasked.size > 0) {
      const before = unasked.size
      script.do('b', { kind: 'wake' })
      expect(before - unasked.size).toBeLessThanOrEqual(128)
      expect(unasked.size).toBeLessThan(before)
    }
    for (const name of own) expect(script.grants(name)).toHaveLength(1)
  })

  test('a full link on which nothing moves for a lease ends the view, and callers are served in the next', () => {
    const script = begun(['a', 'b', 'c'], undefined, { linkLimit: 8 })
    script.passes = deaf
    ask(script, 12)
    for (let tick = 0; tick <= 9; tick += 1) script.do('b', { kind: 'tick' })
    expect(script.views, 'it may still move').toEqual({ a: 1, b: 1, c: 1 })
    script.passes = (_from, _to, message) => message.type !== 'link' || message.epoch > 1
    script.do('b', { kind: 'tick' })
    expect(script.views).toEqual({ a: 2, b: 2, c: 2 })
    expect(served(script, 12)).toEqual(Array.from({ length: 12 }, () => 1))
    expect(hasRoom(script.node('b'))).toBe(true)
  })

  test('not while the other is silent and its lease runs: it may only stand still, and a ballot would leave it out', () => {
    const script = begun(['a', 'b', 'c'], undefined, { linkLimit: 8 })
    const { session } = present(script.node('b').heard['a'])
    // The program of a stands still. Its lease thread renews its lease, so b owes it one all the time.
    script.passes = (from, to) => from !== 'a' && to !== 'a'
    ask(script, 12)
    for (let tick = 0; tick <= 20; tick += 1) {
      script.now += script.node('b').config.settings.lease / 10
      script.node('b').owed[sessionKey(session)] = script.now + 2 * script.node('b').config.settings.lease
      script.do('b', { kind: 'tick' })
    }
    expect(script.node('b').proposal).toBeNull()
    script.passes = () => true
    script.pass(2)
    expect(script.views).toEqual({ a: 1, b: 1, c: 1 })
    expect(served(script, 12)).toEqual(Array.from({ length: 12 }, () => 1))
  })
})

test('names that nobody uses are put to rest in pieces, not all on one tick', () => {
  const script = begun(['a', 'b', 'c'])
  const names = Array.from({ length: 250 }, (_, i) => `L${i}`)
  for (const name of names) {
    script.request('b', name)
    script.release('b', name)
  }
  const awake: number[] = []
  for (let tick = 0; tick < 5; tick += 1) {
    script.do('b', { kind: 'tick' })
    awake.push(script.node('b').names.size)
  }
  expect(awake).toEqual([250, 150, 50, 0, 0])
})
