/** Peers and voters that change while a node runs, and how nodes go. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join as path } from 'node:path'
import { expect, test } from 'vitest'
import { atLeast } from '../../../test/present.ts'
import { assemble } from '../src/assemble.ts'
import { type Disk, memoryDisk } from '../src/disk/disk.ts'
import { join } from '../src/join.ts'
import type { Config } from '../src/protocol/state.ts'
import { createCodec } from '../src/transport/codec.ts'
import { MemoryHub } from '../src/transport/memory-hub.ts'
import type { Transport } from '../src/transport/transport.ts'
import { memoryHub, meshes, starter } from './meshes.ts'
import '../check/texts.ts'

test('a node without an address or a disk has no peers, and says what it would need', async () => {
  const mesh = await join()
  expect(() => mesh.addPeer('b', '127.0.0.1:7001')).toThrow(
    'node alone cannot have peers: it joined without an address or without a stateDir',
  )
  expect(() => mesh.removePeer('b')).toThrow('cannot have peers')
  await mesh.leave()
  expect(() => mesh.addPeer('b', '127.0.0.1:7001')).toThrow('the node has left')
})

test('what is no address, no peer, or a voter is refused', async () => {
  const root = await mkdtemp(path(tmpdir(), 'tw-'))
  const mesh = await join({ id: 'a', peers: { a: '127.0.0.1:0' }, stateDir: path(root, 'a'), lease: 400 })
  expect(() => mesh.addPeer('b', 'nowhere')).toThrow('"nowhere" is not an address')
  expect(() => mesh.removePeer('a')).toThrow(
    '"a" is a voter and cannot be removed: call changeVoters() without it first',
  )
  await expect(mesh.changeVoters([])).rejects.toThrow('a mesh needs at least one voter')
  const hole = ['a', undefined] as string[]
  const noText = 'the id of a node: nothing is not a text of 1 to 255 characters'
  await expect(mesh.changeVoters(hole)).rejects.toThrow(noText)
  for (const id of [undefined, '', 'x'.repeat(256), '\ud800'])
    expect(() => mesh.addPeer(id as string, '127.0.0.1:1')).toThrow('the id of a node: ')
  await expect(mesh.changeVoters(['a', 'b'])).rejects.toThrow('voter "b" is not among the peers a')
  mesh.addPeer('b', '127.0.0.1:1')
  const replaced = mesh.changeVoters(['a', 'b'])
  const unfulfilled = mesh.changeVoters(['b'])
  await expect(replaced).rejects.toThrow('superseded by a later changeVoters()')
  // Who votes already is no change.
  const same = mesh.changeVoters(['a'])
  await expect(unfulfilled).rejects.toThrow('superseded by a later changeVoters()')
  await same
  const last = mesh.changeVoters(['b'])
  await Promise.all([expect(last).rejects.toThrow('the node has left'), mesh.leave()])
  await rm(root, { recursive: true })
})

test('voters change on wish, and who leaves for good does not vote any more', async () => {
  const [a, b, c] = await meshes(3)
  await a.changeVoters(['a', 'b'])
  expect(b.status.voters).toEqual(['a', 'b'])
  const held = await b.locks.acquire('L')
  const waiting = c.locks.acquire('L')
  const goes = b.leave({ forGood: true })
  expect(held.isHeld).toBe(false)
  const next = await waiting
  expect(next.fence).toBeGreaterThan(held.fence)
  await goes
  expect(a.status.voters).toEqual(['a'])
  await Promise.all([a.leave(), c.leave()])
})

test('of two that do not vote and never hear each other one dies with a lock: the other gets it, and one that leaves is gone for all', async () => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f']
  const heartbeats = new Set<string>()
  let made = 0
  /** Notes who hears whose heartbeats; nodes are made in their order. */
  const wrap = (transport: Transport): Transport => {
    const id = ids[made]
    made += 1
    return {
      start: (receiver) =>
        transport.start({
          receive(from, message) {
            if (message.type === 'heartbeat') heartbeats.add(`${from} to ${id}`)
            receiver.receive(from, message)
          },
          connected: (peer) => receiver.connected(peer),
          disconnected: (peer) => receiver.disconnected(peer),
        }),
      send: (to, message) => transport.send(to, message),
      backlog: (to) => transport.backlog(to),
      reset: (peer) => transport.reset(peer),
      setPeers: (peers) => transport.setPeers(peers),
      close: () => transport.close(),
    }
  }
  const hub = memoryHub(ids)
  const start = starter({ ids, voters: ['a', 'b', 'c'], hub, wrap })
  const nodes = await Promise.all(ids.map(start))
  const [a, , , d, e, f] = atLeast(6, nodes)
  while (a.status.members.length < ids.length) expect(await a.pause()).toBe(true)
  const held = await d.locks.acquire('L', { waitForQuorum: true })
  const next = e.locks.acquire('L', { waitForQuorum: true })
  for (const id of ids) {
    hub.cut('d', id)
    hub.cut(id, 'd')
  }
  expect((await next).fence).toBeGreaterThan(held.fence)
  await f.leave()
  while (a.status.members.join() !== 'a,b,c,e') expect(await a.pause()).toBe(true)
  expect(heartbeats).toContain('a to e')
  expect(heartbeats).toContain('e to a')
  for (const pair of ['d to e', 'e to d', 'f to e', 'e to f']) expect(heartbeats).not.toContain(pair)
  await Promise.all(nodes.map((node) => node.leave()))
})

test('a word of farewell waits for the disk, and is said', async () => {
  const config: Config = {
    peers: ['a', 'b'],
    voters: ['a'],
    settings: { algorithm: 'carvalho-roucairol', lease: 60_000, drift: 0 },
    roundTrip: 1,
    firstStart: ['a'],
  }
  const timers = { after: (_: number, act: () => void) => clearImmediate.bind(null, setImmediate(act)) }
  const hub = new MemoryHub({
    ids: ['a', 'b'],
    codec: createCodec({ algorithm: 'carvalho-roucairol', nodes: 2 }),
    timers,
  })
  const heard: string[] = []
  const other = hub.transport('b')
  await other.start({
    receive: (_, message) => void heard.push(message.type),
    connected: () => {},
    disconnected: () => {},
  })
  let written = () => {}
  const memory = memoryDisk()
  const disk: Disk = { ...memory, persist: () => new Promise((resolve) => (written = resolve)) }
  const joining = assemble({ id: 'a', config, transport: hub.transport('a'), disk, timeout: 0 })
  // It gives up at once, and leaves while its first session is still being written.
  const failed = expect(joining).rejects.toThrow('did not join in 0 ms: the first view needs every voter (')
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
  expect(heard).not.toContain('gone')
  written()
  await failed
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
  expect(heard).toContain('gone')
  await other.close()
})
