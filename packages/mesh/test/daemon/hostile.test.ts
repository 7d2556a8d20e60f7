/** A client that does not keep to the protocol, or may not see all names: it harms nobody but itself, and learns nothing of others. */
import { chownSync, lchownSync, symlinkSync } from 'node:fs'
import { connect } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { VERSION } from '../../src/daemon/control-messages.ts'
import { refusalAtDoor } from '../../src/daemon/gate.ts'
import { Client } from '../../src/daemon/line-client.ts'
import { exclusive } from '../../src/daemon/wanted.ts'
import { joinNode } from '../../src/join.ts'
import { DeadlockError, NoQuorumError } from '../../src/locks/errors.ts'
import type { MeshNode } from '../../src/mesh.ts'
import { meshes } from '../meshes.ts'
import { type Desk, openDesk, visit } from './desks.ts'
import { openDoorOf } from './doors.ts'

/** Of minutes: nothing is to lapse. */
const LEASE = 300_000
const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

async function deskOf(node: MeshNode, lease = LEASE): Promise<Desk> {
  const desk = await openDesk(node, lease)
  ends.push(
    () => node.leave(),
    () => desk.close(),
  )
  return desk
}

test('a ticket of a list that waits is in use, so nothing stays held when the client has gone', async () => {
  const desk = await deskOf(await joinNode({ lease: LEASE }))
  const before = await desk.node.locks.acquire('a')
  const socket = connect(desk.path)
  let heard = ''
  socket.on('data', (bytes) => (heard += String(bytes)))
  const say = (words: object) => socket.write(`${JSON.stringify(words)}\n`)
  const { timeout, priority, waitForQuorum, info, holders, mode, how } = exclusive('')
  const parts = ['a', 'b', 'c'].map((name) => ({ name, mode }))
  say({ kind: 'hello', version: VERSION, lingers: false, client: null, token: null })
  say({ kind: 'acquire-all', ticket: 3, parts, how, timeout, priority, waitForQuorum, info, holders })
  say({ kind: 'acquire', ticket: 2, ...exclusive('d') })
  await expect.poll(() => heard).toContain('"ticket":2,"why":"type","message":"ticket 2 is in use"')
  before.release()
  await expect.poll(() => heard).toContain('"kind":"granted","ticket":3')
  socket.destroy()
  const all = await desk.node.locks.acquire(['a', 'b', 'c', 'd'])
  expect([all.isHeld, desk.holding]).toEqual([true, 0])
  all.release()
})

test('names of a group that a client lists in its own order are the ones it holds', async () => {
  const desk = await deskOf(await joinNode({ lease: LEASE }))
  const line = await Client.open(desk.path)
  const group = { names: ['west', 'east', 'north'], resources: [0] }
  expect(await line.ask('acquire', { ...exclusive('stock'), what: 'group', group })).toMatchObject({
    kind: 'granted',
  })
  const stock = desk.node.group('stock', ['east', 'north', 'west'])
  const others = await stock.acquire(['east', 'north'], { timeout: 10_000 })
  await expect(stock.acquire(['west'], { timeout: 20 })).rejects.toThrow('timed out')
  others.release()
})

test('the longest sign of a holder passes all members, and a longer one no daemon', async () => {
  const lease = 8000
  const [a, b] = await meshes(2, 'tcp', undefined, lease)
  const desk = await deskOf(a, lease)
  const line = await Client.open(desk.path)
  const asked = (name: string, length: number) =>
    line.ask('acquire', { ...exclusive(name), holders: ['='.padEnd(length, 'x')] })
  expect(await asked('x', 251)).toMatchObject({ kind: 'granted' })
  const [, told] = await b.survey(null)
  expect(told?.names.map(({ name }) => name)).toEqual(['=x'])
  await expect(asked('y', 252)).rejects.toThrow(/holders: .* is not a text of 1 to 251 characters$/)
})

test.each([
  ['too long', `${'x'.repeat(1500)}=mine`, []],
  ['not Unicode', '\ud800=mine', []],
  ['not Unicode', null, ['\ud800']],
])('what members would refuse to read never leaves the daemon: it is %s', async (_, key, holders) => {
  const lease = 8000
  const [a, b] = await meshes(2, 'tcp', undefined, lease)
  ends.push(() => b.leave())
  const desk = await deskOf(a, lease)
  const line = await Client.open(desk.path)
  const asked = key === null ? line.ask('acquire', { ...exclusive('mine'), holders }) : line.survey(key)
  await expect(asked).rejects.toThrow(/is not (a text of 1 to 1026 characters|Unicode)$/)
  await b.survey(null)
  for (const node of [a, b, a]) (await node.locks.acquire('theirs')).release()
})

test('at a door a deadlock tells no name that the client may not use', async () => {
  const desk = await deskOf(await joinNode({ lease: LEASE, deadlockAfter: 50 }))
  const door = await openDoorOf(desk, ['open/*'])
  ends.push(() => door.close())
  const [home, guest] = [await visit(desk), await door.visit()]
  ends.push(
    () => home.leave(),
    () => guest.leave(),
  )
  const info = { secret: 1 }
  await home.locks.acquire('open/1', { holder: 'x', info })
  await home.locks.acquire('private', { holder: 'y', info })
  const mine = await guest.locks.acquire('open/2', { holder: 'z', info: 'mine' })
  const next = [
    home.locks.acquire('private', { holder: 'x' }).catch((error: unknown) => error),
    home.locks.acquire('open/2', { holder: 'y' }),
  ]
  await expect.poll(async () => (await desk.node.locks.query()).pending.length).toBe(2)
  const reason = await guest.locks.acquire('open/1', { holder: 'z' }).catch((error: unknown) => error)
  expect(reason).toEqual(
    new DeadlockError(
      'deadlock: alone "mine" holds "open/2" and waits for "open/1"; ' +
        'alone {"secret":1} holds "open/1" and waits for another lock; ' +
        'alone holds another lock and waits for "open/2"',
    ),
  )
  mine.release()
  expect(await next[1]).toMatchObject({ name: 'open/2' })
})

test.skipIf(process.getuid === undefined)(
  'a socket of another user is none of a daemon: he may listen in its place',
  async () => {
    const desk = await deskOf(await joinNode({ lease: LEASE }))
    const [user, stranger, neighbour] = [process.getuid?.() ?? 0, 12_345, 12_346]
    // What belongs to root is trusted.
    if (user === 0) chownSync(desk.path, stranger, -1)
    const asked = vi.spyOn(process as { getuid(): number }, 'getuid').mockReturnValue(neighbour)
    try {
      await expect(Client.open(desk.path)).rejects.toThrow(
        `no daemon can be reached at ${desk.path}: it belongs to another user`,
      )
      asked.mockReturnValue(user === 0 ? stranger : user)
      const link = `${desk.path}.link`
      symlinkSync(desk.path, link)
      for (const path of [desk.path, link]) {
        if (user === 0 && path === link) lchownSync(link, stranger, -1)
        const own = await Client.open(path)
        own.close()
      }
      if (user === 0) {
        lchownSync(link, neighbour, -1)
        await expect(Client.open(link)).rejects.toThrow('it belongs to another user')
      }
      asked.mockReturnValue(0)
      const root = await Client.open(desk.path)
      root.close()
    } finally {
      asked.mockRestore()
    }
  },
)

test('at a door, what waits for a client that does not read on many connections has a bound, and others get their answers', async () => {
  const million = 2 ** 20
  const desk = await deskOf(await joinNode({ lease: LEASE }))
  let asked = 0
  const locks = () => {
    asked += 1
    // The last answer is one that the other client can read.
    const circles = Array.from({ length: asked > 6 ? 100 : 4096 }, () => 'x'.repeat(4096))
    return Promise.resolve({ names: [], more: 0, circles })
  }
  const daemon = { ...desk.daemon, locks }
  const door = await openDoorOf({ daemon }, ['*'], 40 * million)
  ends.push(() => door.close())
  const unread = () => [...door.connections].reduce((sum, connection) => sum + connection.unread, 0)
  const sockets = await Promise.all(Array.from({ length: 6 }, () => door.reach()))
  ends.push(async () => {
    for (const socket of sockets) socket.destroy()
  })
  for (const [i, socket] of sockets.entries()) {
    socket.pause()
    for (const words of [door.hello, { kind: 'locks', ticket: 1 }]) socket.write(`${JSON.stringify(words)}\n`)
    if (i < 2) await expect.poll(unread).toBeGreaterThan(i * million)
  }
  await expect.poll(() => door.connections.size).toBeLessThan(6)
  expect(unread()).toBeLessThanOrEqual(40 * million)
  const other = await door.line('other')
  expect(await other.ask('locks', {})).toMatchObject({ kind: 'locks' })
  expect(unread()).toBeLessThanOrEqual(40 * million)
  other.close()
})

test('at a door no error tells addresses and paths of the daemon', () => {
  const reasons = [
    new NoQuorumError('no lease for 10 ms: connect ECONNREFUSED 10.0.0.5:5432'),
    new Error('/var/lib/turnwise: the disk is full'),
  ]
  expect(reasons.map((reason) => refusalAtDoor(reason, () => true))).toEqual([
    { why: 'no-quorum', message: "the daemon's node has no quorum" },
    { why: 'failed', message: "the daemon's node has failed" },
  ])
})
