/** Trouble at the door of a mesh that works: it is refused with a reason, and who holds a lock and who waits do not notice. */
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { get } from '@turnwise/core/bounds'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { freeAddresses } from '@turnwise/fleet/ports'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { atLeast, present } from '../../../test/present.ts'
import { type JoinOptions, join } from '../src/join.ts'
import type { Mesh } from '../src/surface.ts'
import { joinFrames } from '../src/transport/framing.ts'
import { VERSION, writeHello } from '../src/transport/handshake.ts'
import { readAddress } from '../src/transport/sockets.ts'
import { until } from './transport/transport-contract.ts'

let directory = ''
let log: string[] = []
let joined: Mesh[] = []

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'turnwise-'))
  ;[log, joined] = [[], []]
})

afterEach(async () => {
  await Promise.all(joined.map((mesh) => mesh.leave()))
  rmSync(directory, { recursive: true })
})

function options(id: string, peers: Record<string, string>, more: Partial<JoinOptions> = {}): JoinOptions {
  const stateDir = path.join(directory, id)
  return {
    id,
    peers,
    stateDir,
    lease: 400,
    thread: false,
    firstStart: true,
    log: (line) => log.push(line),
    ...more,
  }
}

async function says(address: string, bytes: Uint8Array | string): Promise<void> {
  const { host, port } = readAddress(address)
  const socket = connect(port, host)
  socket.on('error', () => {}).resume()
  await once(socket, 'connect')
  socket.write(bytes)
  await until(() => socket.destroyed, 'it is closed')
}

test('garbage, a frame of a gibibyte, another version, another mesh and strangers at the port of a holder', async () => {
  const peers = await freeAddresses(['a', 'b'])
  // So long that only trouble could end it, not a busy machine.
  const common = { lease: 10_000 }
  joined = await Promise.all(['a', 'b'].map((id) => join(options(id, peers, common))))
  const [a, b] = atLeast(2, joined)
  const held = await a.locks.acquire('L')
  const waiting = b.locks.acquire('L')
  waiting.catch(() => {})
  const hello = { mesh: 'mesh', from: 'b', to: 'a', life: 'x' }
  const troubles: [Uint8Array | string, string][] = [
    ['GET / HTTP/1.1\r\n\r\n', 'bad frame: a frame of 1195725856 bytes is longer than 8192'],
    [Buffer.alloc(8192, 7), 'bad frame: '],
    [Buffer.from([0x40, 0, 0, 0]), 'bad frame: a frame of 1073741824 bytes is longer than 8192'],
    [
      joinFrames([writeHello(hello, VERSION + 1)]),
      `refused: it does not speak version ${VERSION} of the protocol`,
    ],
    [joinFrames([writeHello({ ...hello, mesh: 'other' })]), 'refused: "b" belongs to the mesh "other"'],
    [joinFrames([writeHello({ ...hello, from: 'z' })]), 'refused: "a" has no peer named "z"'],
  ]
  for (const [bytes, reason] of troubles) {
    await says(present(peers['a']), bytes)
    await until(() => log.some((line) => line.includes(reason)), reason)
  }
  expect(held.isHeld).toBe(true)
  held.release()
  const next = await waiting
  expect(next.fence).toBeGreaterThan(held.fence)
  next.release()
})

test('a port that is taken: the directory is free again for the next attempt', async () => {
  const peers = await freeAddresses(['a'])
  joined = [await join(options('a', peers))]
  const other = options('a', peers, { stateDir: path.join(directory, 'other') })
  await expect(join(other)).rejects.toThrow(`EADDRINUSE: address already in use ${peers.a}`)
  await get(joined, 0).leave()
  joined = [await join(other)]
  expect(await get(joined, 0).locks.request('L', () => 'inside')).toBe('inside')
})

test('a copy of a directory that is in use is refused to another node, and the first is not disturbed', async () => {
  const peers = await freeAddresses(['a', 'b'])
  joined = [await join(options('a', peers, { voters: ['a'], lease: 10_000 }))]
  const held = await get(joined, 0).locks.acquire('L')
  cpSync(path.join(directory, 'a'), path.join(directory, 'b'), {
    recursive: true,
    filter: (file) => !path.basename(file).startsWith('lock'),
  })
  await expect(join(options('b', peers, { voters: ['a'] }))).rejects.toThrow(
    `the state directory ${path.join(directory, 'b')} cannot be used: it belongs to node "a", not to node "b"`,
  )
  expect(held.isHeld).toBe(true)
})

test('of two processes with one name the second is heard when the lease of the first, now silent, is over', async () => {
  const peers = await freeAddresses(['a', 'b'])
  joined = [await join(options('a', peers, { voters: ['a'] }))]
  const { host, port } = readAddress(present(peers['a']))
  const hello = { mesh: 'mesh', from: 'b', to: 'a' }
  const first = connect(port, host)
  let isOver = false
  first.on('close', () => (isOver = true)).on('error', () => {})
  first.write(joinFrames([writeHello({ ...hello, life: 'first' })]))
  await once(first, 'data')
  first.resume()
  const began = performance.now()
  await says(present(peers['a']), joinFrames([writeHello({ ...hello, life: 'second' })]))
  expect(log.join()).toContain('"a" hears another process named "b"')
  await until(() => isOver, 'the silent one is given up')
  // A busy machine makes it only later.
  expect(performance.now() - began).toBeGreaterThanOrEqual(400)
})

describe('join says in one line', () => {
  const peers = { a: '127.0.0.1:7101', b: '127.0.0.1:7102' }
  const bad: [string, Partial<JoinOptions>, string][] = [
    ['that an id is not among the peers', { id: 'z' }, '"z" is not among the peers a, b'],
    [
      'that an algorithm is unknown',
      { algorithm: 'raymnd' },
      '"raymnd" is not an algorithm: did you mean raymond? turnwise algorithms lists all',
    ],
    ['that a voter is unknown', { voters: ['a', 'z'] }, 'voter "z" is not among the peers a, b'],
    ['that a lease is too short', { lease: 1 }, 'lease 1 is not a number from 50 to 600000'],
    [
      'that an address is none',
      { peers: { a: '127.0.0.1:99999', b: '127.0.0.1:7102' } },
      '"127.0.0.1:99999" is not an address like 127.0.0.1:7101',
    ],
  ]
  for (const [what, more, complaint] of bad) {
    test(what, async () => {
      await expect(join(options('a', peers, more))).rejects.toThrow(new InvalidInput(complaint))
    })
  }
})
