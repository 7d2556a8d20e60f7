/** `connect({ wait })`: a daemon that is not there yet, that is started again, and that does not come back. */
import { mkdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { connect, type DaemonLocks } from '../../src/daemon/connect.ts'
import { joinNode } from '../../src/join.ts'
import { LockLostError, NoDaemonError } from '../../src/locks/errors.ts'
import type { MeshNode } from '../../src/mesh.ts'
import { reasonOf } from '../web-locks/worlds.ts'
import { type Desk, openDesk } from './desks.ts'

/** Of minutes: nothing is to lapse, and no daemon is to stay away for longer. */
const LONG = 300_000
const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

async function node(): Promise<MeshNode> {
  const mesh = await joinNode({ lease: LONG })
  ends.push(() => mesh.leave())
  return mesh
}

async function desk(mesh: MeshNode, folder?: string): Promise<Desk> {
  const opened = await openDesk(mesh, LONG, undefined, folder)
  ends.push(() => opened.close())
  return opened
}

async function client(given: Parameters<typeof connect>[0]): Promise<DaemonLocks> {
  const daemon = await connect(given)
  ends.push(() => daemon.leave())
  return daemon
}

test('what is held is lost, and who waits is let in by the daemon that comes back', async () => {
  const [before, after] = [await node(), await node()]
  const first = await desk(before)
  const daemon = await client({ socket: first.path, wait: LONG })
  const held = await daemon.locks.acquire('a')
  await using _taken = await before.locks.acquire('b')
  const stop = new AbortController()
  const aborted = reasonOf(daemon.locks.acquire('b', { signal: stop.signal }))
  const ran = daemon.locks.request('b', async ({ fence }) => fence)
  const permit = daemon.semaphore('pool', 2).acquire()
  ;(await permit).release()
  await expect.poll(async () => (await before.locks.query()).pending.length).toBe(2)
  await first.close()
  await new Promise<void>((gone) => held.signal.addEventListener('abort', () => gone()))
  expect(held.signal.reason).toBeInstanceOf(LockLostError)
  // What does not wait for others does not wait for a daemon.
  for (const options of [{ ifAvailable: true }, { timeout: 0 }])
    expect(await reasonOf(daemon.locks.acquire('c', options))).toBeInstanceOf(NoDaemonError)
  expect(await reasonOf(daemon.locks.query())).toBeInstanceOf(NoDaemonError)
  expect(await reasonOf(daemon.locks.acquire('c', { timeout: 5 }))).toMatchObject({ code: 'LOCK_TIMEOUT' })
  stop.abort(new Error('enough'))
  expect(await aborted).toBe(stop.signal.reason)
  const late = daemon.locks.acquire('d')
  await desk(after, first.folder)
  expect(typeof (await ran)).toBe('bigint')
  const next = await late
  expect([next.isHeld, next.name]).toEqual([true, 'd'])
  expect((await after.locks.query()).held.map(({ name }) => name)).toContain('d')
})

test('a daemon that leaves in good order sends nobody away who waits', async () => {
  const [before, after] = [await node(), await node()]
  const first = await desk(before)
  const daemon = await client({ socket: first.path, wait: LONG })
  const held = await daemon.locks.acquire('a')
  await using _taken = await before.locks.acquire('b')
  const wait = daemon.locks.acquire('b')
  await expect.poll(async () => (await before.locks.query()).pending.length).toBe(1)
  first.end()
  await expect.poll(async () => (await before.locks.query()).pending.length).toBe(0)
  const late = daemon.locks.acquire('c')
  held.release()
  await expect.poll(() => first.holding).toBe(0)
  await first.close()
  await desk(after, first.folder)
  expect([(await wait).isHeld, (await late).isHeld]).toEqual([true, true])
})

test('who observes an election sees nobody while the daemon is away, and then the leader again', async () => {
  const short = 2000
  const mesh = await joinNode({ lease: short })
  ends.push(() => mesh.leave())
  const first = await openDesk(mesh, short)
  const daemon = await client({ socket: first.path, wait: LONG })
  await using lead = await mesh.election('head').campaign()
  const observed = daemon.election('head').observe()
  const seen = async () => (await observed.next()).value as unknown
  expect(await seen()).toEqual({ id: mesh.id, fence: lead.fence })
  await first.close()
  expect(await seen()).toBeNull()
  const second = await openDesk(mesh, short, undefined, first.folder)
  ends.push(() => second.close())
  expect(await seen()).toEqual({ id: mesh.id, fence: lead.fence })
  const next = observed.next()
  await daemon.leave()
  expect(await next).toEqual({ done: true, value: undefined })
})

test('a daemon that does not come back in time is given up', async () => {
  const mesh = await node()
  const first = await desk(mesh)
  const daemon = await client({ socket: first.path, wait: 60 })
  await using _taken = await mesh.locks.acquire('a')
  const wait = reasonOf(daemon.locks.acquire('a'))
  await expect.poll(async () => (await mesh.locks.query()).pending.length).toBe(1)
  await first.close()
  expect(await wait).toBeInstanceOf(NoDaemonError)
  expect(await reasonOf(daemon.locks.acquire('a'))).toBeInstanceOf(NoDaemonError)
})

test('who leaves meanwhile waits no longer', async () => {
  const mesh = await node()
  const first = await desk(mesh)
  const daemon = await client({ socket: first.path, wait: Number.POSITIVE_INFINITY })
  await using _taken = await mesh.locks.acquire('a')
  const wait = reasonOf(daemon.locks.acquire('a'))
  await expect.poll(async () => (await mesh.locks.query()).pending.length).toBe(1)
  await first.close()
  await daemon.leave()
  expect(await wait).toMatchObject({ name: 'InvalidStateError' })
})

test('connect waits for the first start of a daemon, until it is told to stop or the time is over', async () => {
  const mesh = await node()
  const first = await desk(mesh)
  await first.close()
  const socket = first.path
  const stop = new AbortController()
  const given = connect({ socket, wait: LONG, signal: stop.signal })
  stop.abort(new Error('enough'))
  expect(await reasonOf(given)).toBe(stop.signal.reason)
  expect(await reasonOf(connect({ socket, wait: 60 }))).toBeInstanceOf(NoDaemonError)
  const coming = client({ socket, wait: LONG })
  await desk(mesh, first.folder)
  expect((await coming).id).toBe(mesh.id)
})

test('a daemon that answers and refuses is not waited for', async () => {
  const first = await desk(await node())
  await first.close()
  mkdirSync(first.folder, { recursive: true })
  const server = createServer((socket) => socket.resume().end('{"kind":"error","message":"not you"}\n'))
  await new Promise<void>((listening) => void server.listen(first.path, listening))
  ends.push(() => new Promise((closed) => server.close(closed)))
  const refused = await reasonOf(connect({ socket: first.path, wait: LONG }))
  expect(refused).toMatchObject({ code: 'NO_DAEMON', message: 'the daemon says: not you' })
})

test.each([
  [{ wait: -1 }, 'wait: -1 is not a number of milliseconds from 0 to Infinity'],
  [{ wait: 'long' }, 'wait: "long" is not a number of milliseconds from 0 to Infinity'],
  [{ signal: 5 }, 'signal: 5 is not an AbortSignal'],
])('%j is refused', async (options, message) => {
  await expect(connect({ socket: 'x', ...options } as never)).rejects.toThrow(message)
})
