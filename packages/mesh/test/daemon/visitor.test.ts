/** Clients of daemons: who relies on what, and until when (docs/daemon.md). Real processes are in packages/cli/test/agent/connect.test.ts. */
import { connect } from 'node:net'
import { get } from '@turnwise/core/bounds'
import { afterEach, expect, test, vi } from 'vitest'
import { connect as connectTo } from '../../src/daemon/connect.ts'
import { VERSION } from '../../src/daemon/control-messages.ts'
import { Client } from '../../src/daemon/line-client.ts'
import { Visitor } from '../../src/daemon/visitor.ts'
import { exclusive } from '../../src/daemon/wanted.ts'
import { joinNode } from '../../src/join.ts'
import { monotonic } from '../../src/lease/clock.ts'
import { LockLostError, LockStolenError, LockTimeoutError, NoDaemonError } from '../../src/locks/errors.ts'
import type { Held } from '../../src/locks/held.ts'
import type { MeshNode } from '../../src/mesh.ts'
import { meshes } from '../meshes.ts'
import { type Desk, openDesk, visit } from './desks.ts'

/** Of minutes, where nothing is to lapse. */
const LONG = 300_000
const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

async function deskOf(node: MeshNode, lease: number, drift?: number): Promise<Desk> {
  const desk = await openDesk(node, lease, drift)
  ends.push(() => node.leave())
  ends.push(() => desk.close())
  return desk
}

async function daemon(lease = LONG, drift?: number): Promise<Desk> {
  return deskOf(await joinNode({ lease }), lease, drift)
}

async function client(desk: Desk): Promise<Visitor> {
  const visitor = await visit(desk)
  ends.push(() => visitor.leave())
  return visitor
}

test('two clients and two members exclude each other, and fences rise', async () => {
  // To join takes a fifth of a lease.
  const lease = 8000
  const [a, b, c] = await meshes(3, 'memory', undefined, lease)
  ends.push(() => c.leave())
  const clients = [await client(await deskOf(a, lease)), await client(await deskOf(b, lease))]
  let inside = 0
  let most = 0
  const fences: bigint[] = []
  const turns = Array.from({ length: 60 }, (_, i) =>
    get([...clients, a, c], i % 4).locks.request('L', async ({ fence }) => {
      inside += 1
      most = Math.max(most, inside)
      fences.push(fence)
      await new Promise(setImmediate)
      inside -= 1
    }),
  )
  await Promise.all(turns)
  expect([most, fences.length]).toEqual([1, 60])
  for (const [i, fence] of fences.slice(1).entries()) expect(fence).toBeGreaterThan(get(fences, i))
})

test('a client asks for 1,000 names, one by one and all at once', async () => {
  const desk = await daemon()
  const visitor = await client(desk)
  const names = Array.from({ length: 1000 }, (_, i) => `name ${i}`)
  const held = await Promise.all(names.map((name) => visitor.locks.acquire(name)))
  expect(held.every(({ isHeld }) => isHeld)).toBe(true)
  expect(desk.holding).toBe(1000)
  for (const each of held) each.release()
  await using all = await visitor.locks.acquire(names)
  expect([all.isHeld, desk.holding]).toEqual([true, 1000])
})

test('semaphores and elections are those of the mesh', async () => {
  const desk = await daemon()
  const [one, other] = [await client(desk), await client(desk)]
  const permits = await Promise.all([one, other].map((each) => each.semaphore('pool', 2).acquire()))
  expect(await one.semaphore('pool', 2).acquire({ ifAvailable: true })).toBeNull()
  await expect(desk.node.semaphore('pool', 2).acquire({ timeout: 0 })).rejects.toThrow(LockTimeoutError)
  for (const permit of permits) permit.release()
  const lead = await one.election('head').campaign()
  expect(await other.election('head').leader()).toEqual({ id: desk.node.id, fence: lead.fence })
  expect(await other.election('head').campaign({ ifAvailable: true })).toBeNull()
  lead.release()
  await expect(one.semaphore('pool', 2, { algorithm: 'lamport' }).acquire()).rejects.toMatchObject({
    name: 'InvalidInput',
    message: '"lamport" cannot serve semaphores: it lets only one in',
  })
})

test('who leaves gives back what it holds, with drain when its callers have finished', async () => {
  const desk = await daemon()
  const [one, two, next] = [await client(desk), await client(desk), await client(desk)]
  const held = await one.locks.acquire('L')
  const waits = next.locks.acquire('L')
  await one.leave()
  expect([held.isHeld, held.signal.aborted]).toEqual([false, true])
  const second = await waits
  await expect(one.locks.acquire('L')).rejects.toMatchObject({
    name: 'InvalidStateError',
    message: 'this client has left its daemon',
  })
  second.release()
  const last = await two.locks.acquire('L')
  const drained = two.leave({ drain: true })
  await expect(two.locks.acquire('M')).rejects.toMatchObject({ name: 'InvalidStateError' })
  expect(last.isHeld).toBe(true)
  last.release()
  await drained
  expect(desk.holding).toBe(0)
})

test('C2: a client whose loop stood still for longer than its lease has lost everything at the first look', async () => {
  const lease = 500
  const desk = await daemon(lease)
  const visitor = await client(desk)
  const held = await visitor.locks.acquire('L')
  const told = new Promise((resolve) => held.signal.addEventListener('abort', resolve))
  const since = performance.now()
  while (performance.now() - since < lease + 10);
  expect(held.isHeld).toBe(false)
  expect(held.signal.reason).toBeInstanceOf(LockLostError)
  await told
  // The client goes on with what it asks for next.
  expect(await visitor.locks.request('L', ({ fence }) => fence > held.fence)).toBe(true)
})

test('C2: what was granted before the machine slept is asked about again', async () => {
  const desk = await daemon()
  const line = await Client.open(desk.path)
  const put = vi.spyOn(line, 'put')
  let isAsleep = false
  const slept = () => {
    const was = isAsleep
    isAsleep = false
    return was
  }
  const visitor = new Visitor(line, { now: monotonic, slept })
  ends.push(() => visitor.leave())
  const asked = () => put.mock.calls.splice(0).map(([kind]) => kind)
  const first = await visitor.locks.acquire('L')
  expect(asked()).toEqual(['acquire'])
  const wait = visitor.locks.acquire('M')
  // It is noticed with the answer.
  isAsleep = true
  expect((await wait).isHeld).toBe(true)
  expect(first.isHeld).toBe(false)
  expect(asked()).toEqual(['acquire', 'release', 'beat'])
})

test('what is stolen before its caller has heard of the grant is lost, and not stolen back', async () => {
  const desk = await daemon()
  const line = await Client.open(desk.path)
  const put = line.put.bind(line)
  let thief: Promise<Held> | null = null
  // The grant is known here, and another word is needed before it counts.
  line.put = (kind, question) => {
    if (kind === 'beat') thief ??= desk.node.locks.acquire('L', { steal: true })
    return put(kind, question)
  }
  let looks = 0
  const visitor = new Visitor(line, { now: monotonic, slept: () => looks++ === 0 })
  ends.push(() => visitor.leave())
  await expect(visitor.locks.acquire('L', { steal: true })).rejects.toBeInstanceOf(LockStolenError)
  expect((await (thief as Promise<Held> | null))?.isHeld).toBe(true)
})

test('a client that beats keeps what it holds for longer than a lease', async () => {
  const lease = 1500
  const desk = await daemon(lease)
  const visitor = await client(desk)
  const held = await visitor.locks.acquire('L')
  const since = performance.now()
  let longest = 0
  for (let last = since; performance.now() - since < 2 * lease; last = performance.now()) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    longest = Math.max(longest, performance.now() - last)
  }
  // On a machine that lets this process stand still it may be lost.
  if (longest < lease / 2) expect(held.isHeld).toBe(true)
})

test('C1, C3: what a silent client holds is given away when all that it was promised is over, not before', async () => {
  const lease = 1000
  const desk = await daemon(lease, 0.1)
  const silent = await Client.open(desk.path)
  ends.push(async () => silent.close())
  const asked = performance.now()
  const granted = await silent.ask('acquire', exclusive('L'))
  if (granted.kind !== 'granted') throw new Error(granted.kind)
  expect(granted.left).toBeLessThanOrEqual((lease * 0.9) / 1.1)
  const lost = new Promise((resolve) => {
    silent.onUnasked = resolve
  })
  const next = await client(desk)
  await next.locks.request('L', () => {
    // As the slowest of clocks shows it.
    expect(performance.now() - asked).toBeGreaterThanOrEqual((granted.left * 1.1) / 0.9)
  })
  expect(await lost).toEqual({
    kind: 'lost',
    hold: granted.ticket,
    why: 'lost',
    message: '"L" is lost: the client did not answer for a lease',
  })
})

test('C3: a client that the daemon shows out may rely on its promise all the same', async () => {
  const desk = await daemon(1000)
  const socket = connect(desk.path)
  ends.push(async () => void socket.destroy())
  const lines: string[] = []
  const closed = new Promise((resolve) => socket.on('close', resolve))
  const granted = new Promise<number>((resolve) => {
    socket.setEncoding('utf8').on('data', (text: string) => {
      lines.push(text)
      const left = /"granted".*"left":([\d.]+)/.exec(lines.join(''))?.[1]
      if (left !== undefined) resolve(Number(left))
    })
  })
  const asked = performance.now()
  socket.write(
    `${JSON.stringify({ kind: 'hello', version: VERSION, lingers: false, client: null, token: null })}\n`,
  )
  socket.write(`${JSON.stringify({ kind: 'acquire', ticket: 1, ...exclusive('L') })}\n`)
  const left = await granted
  socket.write('garbage\n')
  await closed
  const next = await client(desk)
  await next.locks.request('L', () => expect(performance.now() - asked).toBeGreaterThanOrEqual(left))
})

test('a client that waits for longer than a lease has a whole lease when it is let in', async () => {
  const lease = 1000
  const desk = await daemon(lease)
  const first = await desk.node.locks.acquire('L')
  const visitor = await client(desk)
  const wait = visitor.locks.acquire('L')
  await new Promise((resolve) => setTimeout(resolve, 1.2 * lease))
  const before = performance.now()
  first.release()
  const held = await wait
  if (performance.now() - before < lease / 2) expect(held.isHeld).toBe(true)
})

test('a daemon that hangs up: what was held is lost, and who waits is rejected, in one line', async () => {
  const desk = await daemon()
  const visitor = await client(desk)
  const held = await visitor.locks.acquire('L')
  const waits = visitor.locks.acquire('L')
  await desk.close()
  await expect(waits).rejects.toMatchObject({
    name: 'NoDaemonError',
    code: 'NO_DAEMON',
    message: 'the daemon has closed the connection',
  })
  expect(held.isHeld).toBe(false)
  expect(held.signal.reason).toMatchObject({
    code: 'LOCK_LOST',
    message: '"L" is lost: the daemon has closed the connection',
  })
  await expect(visitor.locks.acquire('M')).rejects.toThrow(NoDaemonError)
  await expect(visitor.locks.query()).rejects.toThrow(NoDaemonError)
})

test('a daemon that leaves: who waits is rejected, who holds has a lease to finish', async () => {
  const desk = await daemon(500)
  const visitor = await client(desk)
  const held = await visitor.locks.acquire('L')
  const waits = visitor.locks.acquire('L')
  desk.end()
  await expect(waits).rejects.toMatchObject({ message: `node ${desk.node.id} is leaving` })
  if (!held.signal.aborted) await new Promise((resolve) => held.signal.addEventListener('abort', resolve))
  expect(held.signal.reason).toBeInstanceOf(LockLostError)
  await expect.poll(() => desk.holding).toBe(0)
})

test('where no daemon is, and what is no option', async () => {
  await expect(connectTo({ socket: '/nowhere' })).rejects.toMatchObject({
    code: 'NO_DAEMON',
    message: 'no daemon can be reached at /nowhere: no process listens there',
  })
  await expect(connectTo({ sockett: '/x' } as never)).rejects.toThrow(
    '"sockett" is not an option of connect: did you mean "socket"?',
  )
  await expect(connectTo('/x' as never)).rejects.toThrow('connect expects an object of options, got "/x"')
  for (const none of [{}, undefined])
    await expect(connectTo(none as never)).rejects.toThrow(
      'give socket, the path of a control socket, or door',
    )
})

test('what the program gets is frozen, and has nothing behind it', async () => {
  const desk = await daemon()
  await using locks = await connectTo({ socket: desk.path })
  expect(Object.isFrozen(locks)).toBe(true)
  const names = ['election', 'group', 'id', 'leave', 'limit', 'locks', 'once', 'semaphore']
  expect(Object.keys(locks).toSorted()).toEqual(names)
  await expect(locks.once('job', 0, { skw: 1 } as never, () => {})).rejects.toThrow(
    '"skw" is not an option of once: did you mean "skew"?',
  )
  expect(await locks.locks.request('L', ({ name }) => name)).toBe('L')
})
