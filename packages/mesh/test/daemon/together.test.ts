/** A client of a daemon asks for several locks in one question, and the daemon takes them as a member does. */
import { get } from '@turnwise/core/bounds'
import { afterEach, expect, test, vi } from 'vitest'
import type { WantedAll } from '../../src/daemon/control-messages.ts'
import { Client } from '../../src/daemon/line-client.ts'
import { Visitor } from '../../src/daemon/visitor.ts'
import { exclusive } from '../../src/daemon/wanted.ts'
import { joinNode } from '../../src/join.ts'
import { monotonic } from '../../src/lease/clock.ts'
import { DeadlockError } from '../../src/locks/errors.ts'
import { type Desk, openDesk, openWay, visit } from './desks.ts'

/** Of minutes: nothing is to lapse. */
const LEASE = 300_000
const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

async function open(deadlockAfter = 60_000): Promise<Desk> {
  const node = await joinNode({ lease: LEASE, deadlockAfter })
  const desk = await openDesk(node, LEASE)
  ends.push(
    () => node.leave(),
    () => desk.close(),
  )
  return desk
}

async function client(desk: Desk): Promise<Visitor> {
  const visitor = await visit(desk)
  ends.push(() => visitor.leave())
  return visitor
}

/** A client, and the kinds of what it has asked. */
async function overheard(desk: Desk, slept = () => false) {
  const line = await Client.open(desk.path)
  const put = vi.spyOn(line, 'put')
  const visitor = new Visitor(line, { now: monotonic, slept })
  ends.push(() => visitor.leave())
  return { visitor, asked: () => put.mock.calls.splice(0).map(([kind]) => kind) }
}

function both(...names: readonly string[]): WantedAll {
  const { timeout, priority, waitForQuorum, info, holders } = exclusive('')
  const parts = names.map((name) => ({ name, mode: 'exclusive' as const }))
  return { parts, how: 'wait', timeout, priority, waitForQuorum, info, holders }
}

test('one question brings all of them, each with its mode and fence; each is given back by itself', async () => {
  const desk = await open()
  const { visitor, asked } = await overheard(desk)
  const before = await desk.node.locks.acquire('b')
  before.release()
  const all = await visitor.locks.acquire(['b', { name: 'a', mode: 'shared' }, 'c'])
  expect(asked()).toEqual(['acquire-all'])
  expect(all.locks.map(({ name, mode }) => [name, mode])).toEqual([
    ['b', 'exclusive'],
    ['a', 'shared'],
    ['c', 'exclusive'],
  ])
  expect(all.get('b').fence).toBeGreaterThan(before.fence)
  all.get('a').release()
  await visitor.settle()
  expect(desk.holding).toBe(2)
  const thief = await desk.node.locks.acquire('c', { steal: true })
  await vi.waitFor(() => expect(all.signal.aborted).toBe(true))
  expect([all.get('b').isHeld, all.get('c').isHeld]).toEqual([true, false])
  thief.release()
  all.release()
  await visitor.settle()
  expect(desk.holding).toBe(0)
})

test('a list that is too long for one question goes in few, and what is taken is not waited for', async () => {
  const desk = await open()
  const { visitor, asked } = await overheard(desk)
  const names = Array.from({ length: 300 }, (_, i) => `${i} ${'ü"'.repeat(100)}`)
  const all = await visitor.locks.acquire(names)
  expect(desk.holding).toBe(300)
  const questions = asked()
  expect(new Set(questions)).toEqual(new Set(['acquire-all']))
  expect(questions.length).toBeLessThan(10)
  const next = await client(desk)
  expect(await next.locks.acquire(names, { ifAvailable: true })).toBeNull()
  all.get(get(names, 7)).release()
  const last = all.locks.at(-1)?.name ?? ''
  expect(await next.locks.acquire([get(names, 7), last], { ifAvailable: true })).toBeNull()
  expect((await next.locks.acquire([get(names, 7), 'free'], { ifAvailable: true }))?.isHeld).toBe(true)
})

test('who gives up, by signal or time, holds nothing of it, and hears which one it waited for', async () => {
  const desk = await open()
  const visitor = await client(desk)
  const held = await desk.node.locks.acquire('b')
  await expect(visitor.locks.acquire(['b', 'a'], { timeout: 50 })).rejects.toMatchObject({
    code: 'LOCK_TIMEOUT',
    message: 'timed out after 50 ms waiting for "b" of "b", "a"',
  })
  const stop = new AbortController()
  const wait = visitor.locks.acquire(['a', 'b'], { signal: stop.signal })
  await expect.poll(async () => (await desk.node.locks.query()).pending.length).toBe(1)
  stop.abort(new Error('enough'))
  await expect(wait).rejects.toBe(stop.signal.reason)
  await visitor.settle()
  const { held: left, pending } = await desk.node.locks.query()
  expect([left.map(({ name }) => name), pending]).toEqual([['b'], []])
  held.release()
})

test('a client that is cut off in the middle gives everything back', async () => {
  const desk = await open()
  const way = await openWay(desk)
  ends.push(() => way.close())
  const visitor = new Visitor(await Client.open(way.path))
  const held = await desk.node.locks.acquire('b')
  const wait = visitor.locks.acquire(['a', 'b', 'c'])
  const cut = expect(wait).rejects.toMatchObject({ code: 'NO_DAEMON' })
  await expect.poll(async () => (await desk.node.locks.query()).held.length).toBe(2)
  await way.close()
  await cut
  const next = await desk.node.locks.acquire('a')
  held.release()
  const others = await desk.node.locks.acquire(['b', 'c'])
  expect([next.isHeld, others.isHeld, desk.holding]).toEqual([true, true, 0])
})

test('C2: if the machine slept before the grant was heard of, all are asked for again', async () => {
  const desk = await open()
  let isAsleep = false
  const { visitor, asked } = await overheard(desk, () => {
    const was = isAsleep
    isAsleep = false
    return was
  })
  const first = await visitor.locks.acquire('x')
  const wait = visitor.locks.acquire(['a', 'b'])
  isAsleep = true
  expect((await wait).isHeld).toBe(true)
  expect(first.isHeld).toBe(false)
  expect(asked()).toEqual(['acquire', 'acquire-all', 'release', 'beat'])
})

test('a deadlock is found through it', async () => {
  const desk = await open(50)
  const [x, y] = [await client(desk), await client(desk)]
  const first = await x.locks.acquire('c', { holder: 'x' })
  const second = await y.locks.acquire('b', { holder: 'y' })
  const waits = x.locks.acquire(['a', 'b'], { holder: 'x' })
  await expect.poll(async () => (await desk.node.locks.query()).pending.length).toBe(1)
  await expect(y.locks.acquire(['c', 'd'], { holder: 'y' })).rejects.toThrow(DeadlockError)
  second.release()
  expect((await waits).isHeld).toBe(true)
  first.release()
})

test('a list that no client sends is refused', async () => {
  const desk = await open()
  const line = await Client.open(desk.path)
  ends.push(async () => line.close())
  const why = async (wanted: WantedAll) => {
    const answer = await line.ask('acquire-all', wanted)
    return answer.kind === 'refused' ? answer.message : answer.kind
  }
  expect(await why(both('a', 'a'))).toBe('a name is given twice')
  expect(await why(both())).toBe('expected at least one name, got an empty list')
  expect(await why(both('-a', 'b'))).toBe('the name "-a" begins with "-": such names are reserved')
  // The tickets of its parts are those of questions before it.
  const one = await line.ask('acquire', exclusive('x'))
  expect(await why(both('a', 'b'))).toBe(`ticket ${one.ticket} is in use`)
})
