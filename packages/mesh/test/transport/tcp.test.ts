/** What is particular to connections over TCP: writes, pauses, and which of several counts. */
import type { Socket } from 'node:net'
import { get } from '@turnwise/core/bounds'
import { describe, expect, test } from 'vitest'
import { joinFrames } from '../../src/transport/framing.ts'
import { readHello, writeAnswer, writeHello } from '../../src/transport/handshake.ts'
import { type Address, tcpSockets } from '../../src/transport/sockets.ts'
import { realTimers } from '../../src/transport/timers.ts'
import { dial, emptyBetweenTests, freeAddress, listenByHand, log, ManualTimers, start } from './tcp-world.ts'
import { bigMessage, codec, range, until } from './transport-contract.ts'

emptyBetweenTests()

/** Sockets that count what is written to each of them. */
function spyOnWrites() {
  const writes = new Map<Socket, number>()
  const spied = {
    ...tcpSockets,
    async connect(address: Address, signal: AbortSignal) {
      const socket = await tcpSockets.connect(address, signal)
      const write: (chunk: Buffer) => boolean = socket.write.bind(socket)
      writes.set(socket, 0)
      socket.write = (chunk: Buffer) => {
        writes.set(socket, (writes.get(socket) ?? 0) + 1)
        return write(chunk)
      }
      return socket
    },
  }
  return { writes, spied }
}

describe('connections', () => {
  test('all sends of one turn go out in one write, to each peer', async () => {
    const { writes, spied } = spyOnWrites()
    const greet = (socket: Socket) => void socket.write(joinFrames([writeAnswer()]))
    const [b, c] = [await listenByHand(greet), await listenByHand(greet)]
    const a = await start('a', { peerAddresses: { b: b.address, c: c.address }, sockets: spied })
    await until(() => a.heard.length === 2, 'both are connected')
    for (const socket of writes.keys()) writes.set(socket, 0)
    for (let epoch = 1; epoch <= 100; epoch += 1) {
      a.say('b', epoch)
      a.say('c', epoch)
    }
    await Promise.resolve().then(() => a.say('b', 101))
    await until(() => a.tcp.backlog('b') + a.tcp.backlog('c') === 0, 'all has left')
    expect([...writes.values()]).toEqual([1, 1])
    a.say('b', 102)
    await until(() => a.tcp.backlog('b') === 0, 'all has left')
    expect([...writes.values()].toSorted()).toEqual([1, 2])
  })

  test('a socket that is full gets nothing more until it has drained', async () => {
    const { writes, spied } = spyOnWrites()
    const b = await listenByHand((socket) => {
      socket.pause()
      socket.write(joinFrames([writeAnswer()]))
    })
    const a = await start('a', { peerAddresses: { b: b.address }, sockets: spied })
    await until(() => a.heard.includes('+b'), 'it is connected')
    for (const socket of writes.keys()) writes.set(socket, 0)
    for (let turn = 0; turn < 30; turn += 1) {
      a.tcp.send('b', bigMessage(1000))
      await new Promise((resolve) => void setImmediate(resolve))
    }
    const before = get([...writes.values()], 0)
    expect(before).toBeLessThan(30)
    get(b.accepted, 0).resume()
    await until(() => a.tcp.backlog('b') === 0, 'all has left')
    expect([...writes.values()][0]).toBeLessThanOrEqual(before + 1)
  })

  test('the newest of one peer counts: nothing of the older is heard after it', async () => {
    const a = await start('a', { peerAddresses: { b: await freeAddress() } })
    const hello = joinFrames([writeHello({ mesh: 'test', from: 'b', to: 'a', life: 'x' })])
    const say = (epoch: number) => joinFrames([codec.encode({ type: 'begin', epoch })])
    const older = await dial(a.tcp.address)
    older.socket.write(Buffer.concat([hello, say(1)]))
    await until(() => a.messages.length === 1, 'the older is heard')
    const newer = await dial(a.tcp.address)
    newer.socket.write(Buffer.concat([hello, say(2)]))
    await until(() => a.messages.length === 2 && older.isOver(), 'the newer is heard, the older closed')
    expect(newer.isOver()).toBe(false)
    expect(a.from('b')).toEqual([1, 2])
    expect(log.at(-1)).toBe('connection from b closed: the peer has reconnected')
  })

  test('pauses between attempts double up to the longest, and chance shortens them by up to a half', async () => {
    const pauses: number[] = []
    const timers = {
      after(milliseconds: number, action: () => void) {
        if (milliseconds === 5000) return realTimers.after(milliseconds, action)
        pauses.push(milliseconds)
        return pauses.length < 8 ? realTimers.after(0, action) : () => {}
      },
    }
    const fraction = () => (pauses.length % 2 === 0 ? 0 : 0.5)
    const random = { fraction, below: () => 0, chance: () => false }
    const patience = { handshakeMs: 5000, firstPauseMs: 10, longestPauseMs: 100 }
    await start('a', { peerAddresses: { b: await freeAddress() }, timers, random, patience })
    await until(() => pauses.length === 8, 'eight attempts have failed')
    expect(pauses).toEqual([5, 15, 20, 60, 50, 75, 50, 75])
    expect(log.length).toBe(1)
    expect(log[0]).toMatch(/^cannot reach b at 127\.0\.0\.1:\d+: .*ECONNREFUSED/)
  })

  test('a peer that connects is dialled at once, whatever pause is left', async () => {
    const timers = { after: () => () => {} }
    const b = await freeAddress()
    const peers = new Map([['b', b]])
    const a = await start('a', { peers, timers })
    await until(() => log.length === 1, 'the first attempt has failed')
    const greet = (socket: Socket, hello: Buffer) => {
      expect(readHello(hello)).toMatchObject({ mesh: 'test', from: 'a', to: 'b', challenge: null })
      socket.write(joinFrames([writeAnswer()]))
    }
    peers.set('b', (await listenByHand(greet)).address)
    const peer = await dial(a.tcp.address)
    peer.socket.write(joinFrames([writeHello({ mesh: 'test', from: 'b', to: 'a', life: 'x' })]))
    await until(() => a.heard.includes('+b'), 'it is connected')
  })

  test('a reset makes another connection, and a close does not wait for a peer that does not read', async () => {
    const greet = (socket: Socket) => {
      socket.write(joinFrames([writeAnswer()]))
      socket.pause()
    }
    const b = await listenByHand(greet)
    const a = await start('a', { peerAddresses: { b: b.address } })
    await until(() => a.heard.includes('+b'), 'it is connected')
    a.tcp.reset('b')
    await until(() => a.heard.length === 3, 'it is connected again')
    expect(a.heard).toEqual(['+b', '-b', '+b'])
    expect(b.accepted.length).toBe(2)
    for (let sent = 0; sent < 20; sent += 1) a.tcp.send('b', bigMessage(1000))
    await a.tcp.close()
    expect(a.heard).toEqual(['+b', '-b', '+b'])
  })

  test('of two processes with one name the one that speaks is heard', async () => {
    const timers = new ManualTimers()
    const a = await start('a', { peerAddresses: { b: await freeAddress() }, timers })
    const say = (epoch: number) => joinFrames([codec.encode({ type: 'begin', epoch })])
    const hello = (life: string) => joinFrames([writeHello({ mesh: 'test', from: 'b', to: 'a', life })])
    const first = await dial(a.tcp.address)
    first.socket.write(Buffer.concat([hello('first'), say(1)]))
    await until(() => a.messages.length === 1, 'the first is heard')
    const twin = await dial(a.tcp.address)
    twin.socket.write(Buffer.concat([hello('second'), say(2)]))
    await until(() => twin.isOver(), 'the second is refused')
    expect(log.at(-1)).toMatch(/refused: "a" hears another process named "b"$/)
    first.socket.write(say(3))
    await until(() => a.messages.length === 2, 'the first is heard still')
    timers.fire()
    expect(first.isOver()).toBe(false)
    const again = await dial(a.tcp.address)
    again.socket.write(Buffer.concat([hello('second'), say(4)]))
    await until(() => again.isOver(), 'the second is refused again')
    timers.fire()
    await until(() => first.isOver(), 'the first was silent')
    const last = await dial(a.tcp.address)
    last.socket.write(Buffer.concat([hello('second'), say(5)]))
    await until(() => a.messages.length === 3, 'the second is heard')
    expect(a.from('b')).toEqual([1, 3, 5])
  })

  test('peers come and go while it runs', async () => {
    const b = await start('b', { peerAddresses: { a: await freeAddress() } })
    const a = await start('a')
    a.tcp.setPeers(new Map([['b', b.tcp.address]]))
    b.tcp.setPeers(new Map([['a', a.tcp.address]]))
    a.say('b', 1)
    await until(() => a.heard.includes('+b') && b.heard.includes('+a'), 'they are connected')
    a.say('b', 2)
    await until(() => b.from('a').includes(2), 'it is heard')
    b.tcp.setPeers(new Map())
    expect(log.at(-1)).toBe('connection from a closed: it is no longer a peer')
    await until(() => log.some((line) => line.includes('"b" has no peer named "a"')), 'it is turned away')
    b.say('a', 3)
    expect(b.tcp.backlog('a')).toBe(0)
  })

  test('a port that is taken is an error of the start', async () => {
    const a = await start('a')
    await expect(start('b', { listen: a.tcp.address })).rejects.toThrow('EADDRINUSE')
  })
})

test('where the lease thread listens may be told late: peers are greeted anew, in good order, and nothing before it is lost', async () => {
  const a = await start('a')
  const places: unknown[] = []
  Object.assign(a, { threadAt: (_peer: string, place: unknown) => places.push(place) })
  const b = await start('b', { peerAddresses: { a: a.tcp.address } })
  a.tcp.setPeers(new Map([['b', b.tcp.address]]))
  await until(() => b.heard.includes('+a'), 'it is connected')
  const place = { port: 7, beside: b.tcp.address.port }
  b.say('a', 1)
  b.tcp.announce(place)
  await until(() => places.length === 2 && b.heard.filter((line) => line === '+a').length === 2, 'it is told')
  expect(places).toEqual([null, place])
  b.say('a', 2)
  await until(() => a.messages.length === 2, 'both are heard')
  expect(a.from('b')).toEqual([1, 2])
  expect(b.heard).toEqual(['+a', '-a', '+a'])
  // A node that has been told is not told again.
  b.tcp.announce(place)
  expect(b.heard).toHaveLength(3)
  expect(log.filter((line) => line.includes('reconnect'))).toEqual([])
})

test('a peer with much to say does not keep the event loop: it is heard in slices, in order, and wholly', async () => {
  const a = await start('a')
  const b = await start('b', { peerAddresses: { a: a.tcp.address } })
  a.tcp.setPeers(new Map([['b', b.tcp.address]]))
  await until(() => b.heard.includes('+a'), 'it is connected')
  for (let epoch = 1; epoch <= 3000; epoch += 1) b.say('a', epoch)
  const ends: number[] = []
  // At every turn of the event loop.
  const look = () => {
    ends.push(a.messages.length)
    if (a.messages.length < 3000) setImmediate(look)
  }
  look()
  await until(() => a.messages.length === 3000, 'all is heard')
  expect(a.from('b')).toEqual(range(1, 3000))
  // One slice when it is read, and one after that, before the loop is seen to turn.
  expect(Math.max(...ends.map((end, i) => end - (ends[i - 1] ?? 0)))).toBeLessThanOrEqual(2 * 128)
})
