/** Bursts of requests, counted in work and not in time: what one turn of the event loop takes has a bound. */
import { get } from '@turnwise/core/bounds'
import { afterEach, expect, test, vi } from 'vitest'
import { extent, isLong } from '../../../test/extent.ts'
import { atLeast } from '../../../test/present.ts'
import { joinNode } from '../src/join.ts'
import { readWish, type Wish } from '../src/locks/options.ts'
import type { MeshNode } from '../src/mesh.ts'
import { lockKey } from '../src/protocol/names.ts'
import { home } from '../src/protocol/view-worlds.ts'
import { meshes } from './meshes.ts'

/** So long that no busy machine lets it lapse. */
const LONG = 120_000
/** What one turn of the event loop takes from those who stand in line. */
const SLICE = 128

const turned = () => new Promise<void>((resolve) => void setImmediate(resolve))

let nodes: MeshNode[] = []
afterEach(async () => {
  await Promise.all(nodes.map((node) => node.leave()))
  nodes = []
})

async function alone(): Promise<MeshNode> {
  nodes = [await joinNode({ lease: LONG })]
  return get(nodes, 0)
}

/** More than both links take at a time. */
const BURST = extent(2000, 5000)

const names = (count: number) => Array.from({ length: count }, (_, i) => `name ${i}`)

test('a burst is taken in slices, and the event loop turns between two of them', async () => {
  const mesh = await alone()
  const all = Promise.all(names(1000).map((name) => mesh.locks.acquire(name)))
  expect(mesh.status.names).toBeLessThanOrEqual(SLICE)
  let most = 0
  for (let before = 0; before < 1000; ) {
    before = mesh.status.names
    await turned()
    most = Math.max(most, mesh.status.names - before)
  }
  expect(most).toBeGreaterThan(0)
  expect(most).toBeLessThanOrEqual(SLICE)
  expect((await all).every((held) => held.isHeld)).toBe(true)
})

test('where each takes long, a turn takes as many as its time allows', async () => {
  const mesh = await alone()
  let now = performance.now()
  const all = Promise.all(names(400).map((name) => mesh.locks.acquire(name)))
  // Every look at the clock takes a millisecond.
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 1
    return now
  })
  try {
    let most = 0
    for (let before = 0; before < 400; ) {
      before = mesh.status.names
      await turned()
      most = Math.max(most, mesh.status.names - before)
    }
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThanOrEqual(5)
  } finally {
    clock.mockRestore()
  }
  expect((await all).every((held) => held.isHeld)).toBe(true)
})

test('the first to ask is the first let in, in line or not', async () => {
  const mesh = await alone()
  const served: string[] = []
  const all = names(400).map((name) => mesh.locks.request(name, () => void served.push(name)))
  await Promise.all(all)
  expect(served).toEqual(names(400))
})

test('in line a signal ends the wait; who does not wait at all is turned away only when it was asked for in vain', async () => {
  const mesh = await alone()
  const crowd = names(300).map((name) => mesh.locks.acquire(name))
  const abort = new AbortController()
  const aborted = mesh.locks.acquire('aborted', { signal: abort.signal })
  const free = mesh.locks.acquire('free', { timeout: 0 })
  const taken = mesh.locks.acquire('name 0', { timeout: 0 })
  abort.abort(new Error('no longer wanted'))
  await expect(aborted).rejects.toThrow('no longer wanted')
  expect((await free).isHeld).toBe(true)
  await expect(taken).rejects.toThrow('timed out after 0 ms waiting for "name 0"')
  await Promise.all(crowd)
  expect((await mesh.locks.query()).held).toHaveLength(301)
})

test('a node that leaves turns away those in line', async () => {
  const mesh = await alone()
  const all = Promise.allSettled(names(300).map((name) => mesh.locks.acquire(name)))
  await mesh.leave()
  const failed = (await all).filter(({ status }) => status === 'rejected')
  expect(failed.length).toBe(300 - SLICE)
})

test('among three, peers get it in pieces', async () => {
  let sent = 0
  nodes = await meshes(3, 'memory', undefined, LONG, (transport) => ({
    ...transport,
    send(to, message) {
      if (message.type === 'link') sent += 1
      transport.send(to, message)
    },
  }))
  let isOver = false
  const all = Promise.all(names(BURST).map((name) => get(nodes, 0).locks.request(name, () => {})))
  void all.finally(() => {
    isOver = true
  })
  let most = 0
  while (!isOver) {
    const before = sent
    await turned()
    most = Math.max(most, sent - before)
  }
  await all
  // Two links of 256 messages are filled, and as many answered, at the most; on a tick some are repeated.
  expect(most).toBeLessThanOrEqual(5 * 256)
  // A request and a token for each name that begins at another node.
  const elsewhere = names(BURST).filter((name) => home(lockKey(name), ['a', 'b', 'c']) !== 'a')
  expect(sent).toBeGreaterThanOrEqual(2 * elsewhere.length)
})

test('what is lost before its caller has heard of it is asked for again', async () => {
  const lease = 200
  nodes = await meshes(2, 'memory', undefined, lease)
  const mesh = get(nodes, 0)
  // After somebody waited, the next who is let in at once hears of it when the event loop has turned.
  await mesh.locks.request('L', () => {})
  const late = mesh.locks.request('L', () => 'had')
  for (const end = performance.now() + 2 * lease; performance.now() < end; );
  expect(await late).toBe('had')
})

test('what is lost before its caller has heard of it is not asked for again if the caller has given up', async () => {
  const lease = 200
  nodes = await meshes(2, 'memory', undefined, lease)
  const mesh = get(nodes, 0)
  await mesh.locks.request('L', () => {})
  const abort = new AbortController()
  let failed: unknown = null
  const late = mesh.locks.request('L', { signal: abort.signal }, () => {})
  void late.catch((error: unknown) => {
    failed = error
  })
  for (const end = performance.now() + 2 * lease; performance.now() < end; );
  abort.abort(new Error('no longer wanted'))
  await turned()
  await turned()
  expect(failed).toEqual(new Error('no longer wanted'))
})

test('what is lost before a caller with ifAvailable has heard of it is not waited for', async () => {
  const lease = 200
  nodes = await meshes(2, 'memory', undefined, lease)
  const [mesh, other] = atLeast(2, nodes)
  await mesh.locks.request('L', () => {})
  const probe = mesh.locks.request('L', { ifAvailable: true }, (lock) => lock)
  const next = other.locks.acquire('L')
  for (const end = performance.now() + 2 * lease; performance.now() < end; );
  expect(await probe).toBeNull()
  expect((await next).isHeld).toBe(true)
})

test('of very many that are lost together no error is made unless somebody listens, and then without a stack', async () => {
  const lease = 200
  nodes = await meshes(2, 'memory', undefined, lease)
  const mesh = get(nodes, 0)
  const all = await Promise.all(names(3).map((name) => mesh.locks.acquire(name)))
  const { signal } = get(all, 0)
  for (const end = performance.now() + 2 * lease; performance.now() < end; );
  expect(all.some(({ isHeld }) => isHeld)).toBe(false)
  expect(signal.reason.message).toBe('"name 0" is lost: the lease ended before it was renewed')
  expect(signal.reason.stack).not.toContain('    at ')
  expect(all[1]?.signal.reason.code).toBe('LOCK_LOST')
  // A caller that asks by itself learns where it did.
  const failure = stackOf(() => get(all, 2).assertHeld())
  expect(failure).toContain('bursts.test.ts')
  expect(stackOf(() => get(all, 2).assertHeld())).toBe(failure)
})

function stackOf(fails: () => void): string | undefined {
  try {
    fails()
  } catch (error) {
    return (error as Error).stack
  }
  throw new Error('it did not fail')
}

test('an answer to a query comes in pieces, and is whole', async () => {
  nodes = await meshes(2, 'memory', undefined, 20_000)
  const [asks, holds] = atLeast(2, nodes)
  await Promise.all(names(4500).map((name) => holds.locks.acquire(name)))
  const waits = names(2500).map(() => holds.locks.acquire('name 7'))
  for (const wait of waits) wait.catch(() => {})
  const { held, pending } = await asks.locks.query()
  expect(held.map(({ name }) => name).toSorted()).toEqual(names(4500).toSorted())
  expect(pending).toHaveLength(2500)
})

test('a tick looks only at those who wait to share, however many others wait', async () => {
  nodes = [await joinNode({ lease: 1000 })]
  const mesh = get(nodes, 0)
  await mesh.locks.acquire('taken')
  let looks = 0
  const wish: Wish = {
    ...readWish('taken', {}, () => {}),
    get mode() {
      looks += 1
      return 'exclusive' as const
    },
  }
  for (const _ of names(300)) mesh.obtain(lockKey('taken'), wish).catch(() => {})
  // Those in line are asked for by now.
  for (let i = 0; i < 10; i += 1) await turned()
  const before = looks
  for (let i = 0; i < 3; i += 1) await mesh.pause()
  expect(looks).toBe(before)
})

test('those who stand in line are pending, at their own node and for others', async () => {
  nodes = await meshes(2, 'memory', undefined, 4000)
  const [asks, waits] = atLeast(2, nodes)
  await asks.locks.acquire('taken')
  const all = names(1000).map(() => waits.locks.acquire('taken'))
  for (const wait of all) wait.catch(() => {})
  // Who would not wait is not told of, in line or not.
  const probe = waits.locks.acquire('other', { ifAvailable: true })
  expect((await waits.locks.query()).pending).toHaveLength(1000)
  expect((await asks.locks.query()).pending).toHaveLength(1000)
  await probe
})

test.runIf(isLong)(
  'callers of one node hold no more than is allowed; who is refused can ask again when there is room',
  async () => {
    const mesh = await alone()
    const all = await Promise.allSettled(names(120_010).map((name) => mesh.locks.acquire(name)))
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(120_000)
    const more = mesh.locks.acquire('more')
    await expect(more).rejects.toMatchObject({ name: 'QuotaExceededError' })
    await expect(more).rejects.toThrow(
      'cannot request "more": callers of this node hold 120000 locks, which is the limit',
    )
    const first = get(all, 0)
    if (first.status === 'fulfilled') first.value.release()
    expect((await mesh.locks.acquire('more')).isHeld).toBe(true)
  },
  300_000,
)
