/** What strangers can do to a port: say nothing, little at a time, too much, or come in numbers. The node stays reachable. */
import type { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { present } from '../../../../test/present.ts'
import { MOST_STRANGERS } from '../../src/transport/arrivals.ts'
import { FrameReader, joinFrames } from '../../src/transport/framing.ts'
import { Greeting, type Trust } from '../../src/transport/greeting.ts'
import { VERSION, writeHello } from '../../src/transport/handshake.ts'
import type { Seal } from '../../src/transport/seal.ts'
import type { TcpTransport } from '../../src/transport/tcp.ts'
import { dial as dialNode, emptyBetweenTests, log, start as startNode } from './tcp-world.ts'
import { codec, range, until } from './transport-contract.ts'

const SECRET = 'of all nodes of the mesh'
const GIBIBYTE = Buffer.from([0x40, 0, 0, 0])

emptyBetweenTests()

const start = (secret: string | null, handshakeMs: number) =>
  startNode('a', {
    peerAddresses: { b: { host: '127.0.0.1', port: 1 } },
    security: { secret, tls: null },
    patience: { handshakeMs, longestPauseMs: 20 },
  })

async function dial({ tcp }: { tcp: TcpTransport }): Promise<Socket> {
  return (await dialNode(tcp.address)).socket
}

/** Gets in as b does, and hands over the seal, if there is one. */
async function enter(socket: Socket, trust: Trust): Promise<Seal | null> {
  const greeting = new Greeting({ mesh: 'test', from: 'b', to: 'a', life: 'x' }, trust)
  const frames = new FrameReader(4096)
  const entered = new Promise<Seal | null>((resolve, reject) => {
    socket.on('data', (chunk) => {
      frames.add(chunk)
      for (let frame = frames.next(); frame !== null; frame = frames.next()) {
        const { say, end } = greeting.hear(frame)
        if (say !== null) socket.write(joinFrames([say]))
        if (end === null) continue
        if ('refused' in end) reject(new Error(end.refused))
        else resolve(end.seals?.dialler ?? null)
      }
    })
  })
  socket.write(joinFrames([greeting.first()]))
  return entered
}

for (const secret of [null, SECRET]) {
  const trust = { secret, seals: true }
  const message = codec.encode({ type: 'begin', epoch: 1 })
  const written = (seal: Seal | null) => (seal === null ? joinFrames([message]) : seal.close([message]))

  describe(secret === null ? 'without a secret' : 'with a secret', () => {
    test('who gives its hello byte by byte, and never all of it, has no more time than others', async () => {
      const a = await start(secret, 300)
      const slow = await dial(a)
      slow.write(Buffer.from([0, 0, 0x10, 0]))
      let given = 0
      const drip = setInterval(() => slow.write(present('turnwise'[given++ % 8])), 20)
      await until(() => slow.destroyed, 'it is closed')
      clearInterval(drip)
      expect(log.join('\n')).toMatch(/connection from 127\.0\.0\.1:\d+ closed: it sent no hello in time/)
      expect(given).toBeGreaterThan(1)
    })

    test('a frame of a gibibyte is refused by its length, before and after the handshake', async () => {
      const a = await start(secret, 5000)
      const early = await dial(a)
      early.write(GIBIBYTE)
      await until(() => early.destroyed, 'it is closed')
      expect(log.at(-1)).toContain('bad frame: a frame of 1073741824 bytes is longer than 8192')
      const late = await dial(a)
      const seal = await enter(late, trust)
      late.write(Buffer.concat([written(seal), GIBIBYTE]))
      await until(() => late.destroyed, 'it is closed')
      expect(log.at(-1)).toContain(
        'connection from b closed: bad frame: a frame of 1073741824 bytes is longer than 16',
      )
      expect(a.from('b')).toEqual([1])
    })

    test('garbage of any kind ends in a line of the log', async () => {
      const a = await start(secret, 5000)
      const kinds = [
        'GET / HTTP/1.1\r\n\r\n',
        'SSH-2.0-OpenSSH_9.9\r\n',
        '\0\0\0\0',
        '\0\0\0\u0001x',
        Buffer.alloc(8192, 7),
      ]
      for (const bytes of [
        ...kinds,
        joinFrames([Buffer.from(`turnwise\0${String.fromCodePoint(VERSION)}garbage`)]),
      ]) {
        const before = log.length
        const socket = await dial(a)
        socket.write(bytes)
        await until(() => socket.destroyed && log.length > before, 'it is closed')
        expect(log.at(-1)).toMatch(/^connection from 127\.0\.0\.1:\d+ closed: bad frame: /)
      }
    })

    test('however many say nothing, a peer gets in', async () => {
      const a = await start(secret, 60_000)
      const crowd = await Promise.all(range(0, MOST_STRANGERS + 20).map(() => dial(a)))
      await until(() => crowd.filter((socket) => socket.destroyed).length >= 20, 'the oldest are closed')
      const b = await dial(a)
      const seal = await enter(b, trust)
      b.write(written(seal))
      await until(() => a.from('b').length > 0, 'it is heard')
      expect(crowd.filter((socket) => socket.destroyed).length).toBe(21)
      // The first of them is told, the others are counted.
      const told = log.filter((line) => line.includes('too many connections wait without a hello'))
      expect(told).toHaveLength(1)
      await a.tcp.close()
      expect(log.at(-1)).toBe('more refusals and broken connections were not logged: 20')
    })
  })
}

test('who says its hello and never proves it has no more time than others', async () => {
  const a = await start(SECRET, 300)
  const slow = await dial(a)
  slow.write(
    joinFrames([writeHello({ mesh: 'test', from: 'b', to: 'a', life: 'x', challenge: 'f'.repeat(64) })]),
  )
  await until(() => slow.destroyed, 'it is closed')
  expect(log.join('\n')).toMatch(/connection from 127\.0\.0\.1:\d+ closed: it sent no hello in time/)
  expect(a.heard).toEqual([])
})

test('a refused one that goes on talking is not listened to, and is closed', async () => {
  const a = await start(SECRET, 300)
  const loud = await dial(a)
  loud.write(joinFrames([writeHello({ mesh: 'other', from: 'b', to: 'a', life: 'x' })]))
  const talk = setInterval(() => loud.write(Buffer.alloc(65_536, 1)), 5)
  await until(() => loud.destroyed, 'it is closed')
  clearInterval(talk)
  expect(log.filter((line) => line.includes('refused')).length).toBe(1)
  expect(a.heard).toEqual([])
})
