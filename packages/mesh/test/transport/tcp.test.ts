/** What is particular to TCP: handshakes, bad frames, writes, pauses. The peer here is often a socket driven by hand. */
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FrameReader, joinFrames } from '../../src/transport/framing.ts'
import { readAnswer, readHello, writeAnswer, writeHello } from '../../src/transport/handshake.ts'
import { type Address, tcpSockets } from '../../src/transport/sockets.ts'
import { type TcpOptions, TcpTransport } from '../../src/transport/tcp.ts'
import { realTimers } from '../../src/transport/timers.ts'
import { MessageTooLarge } from '../../src/transport/transport.ts'
import { bigMessage, codec, Node, until } from './transport-contract.ts'

const HOST = '127.0.0.1'

let log: string[] = []
let nodes: TcpTransport[] = []
let sockets: Socket[] = []
let servers: Server[] = []

beforeEach(() => {
  log = []
  nodes = []
  sockets = []
  servers = []
})

afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  await Promise.all(nodes.map((node) => node.close()))
  for (const server of servers) server.close()
})

type Changes = Partial<TcpOptions> & { readonly peerAddresses?: Readonly<Record<string, Address>> }

async function start(id: string, { peerAddresses = {}, ...changes }: Changes = {}) {
  const transport = new TcpTransport({
    id,
    mesh: 'test',
    listen: { host: HOST, port: 0 },
    peers: new Map(Object.entries(peerAddresses)),
    codec,
    patience: { firstPause: 1, longestPause: 20, farewell: 50 },
    log: (line) => void log.push(line),
    ...changes,
  })
  nodes.push(transport)
  const node = new Node(id, transport)
  await transport.start(node)
  return Object.assign(node, { tcp: transport })
}

/** Time passes when it is told to, and then for all who wait. */
class ManualTimers {
  #actions: (() => void)[] = []

  get pending(): number {
    return this.#actions.length
  }

  after(_: number, action: () => void): () => void {
    this.#actions.push(action)
    return () => {
      this.#actions = this.#actions.filter((other) => other !== action)
    }
  }

  fire(): void {
    const due = this.#actions
    this.#actions = []
    for (const action of due) action()
  }
}

/** Nowhere: a port that was free a moment ago. */
async function freeAddress(): Promise<Address> {
  const listener = await tcpSockets.listen({ host: HOST, port: 0 }, () => {})
  await listener.close()
  return listener.address
}

/** A connection to a node, with what it answers. */
async function dial({ host, port }: Address) {
  const socket = connect(port, host)
  sockets.push(socket)
  const frames = new FrameReader(4096)
  const answers: Buffer[] = []
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    frames.add(chunk)
    for (let frame = frames.next(); frame !== null; frame = frames.next()) answers.push(frame)
  })
  await once(socket, 'connect')
  return { socket, answers, isOver: () => socket.closed || socket.destroyed }
}

/** A peer that takes connections and greets; the test does the rest. */
async function listenByHand(greet: (socket: Socket, hello: Buffer) => void) {
  const accepted: Socket[] = []
  const server = createServer((socket) => {
    accepted.push(socket)
    sockets.push(socket)
    const frames = new FrameReader(4096)
    socket.on('error', () => {})
    socket.once('data', (chunk) => {
      frames.add(chunk)
      const hello = frames.next()
      if (hello !== null) greet(socket, hello)
    })
  })
  servers.push(server)
  server.listen(0, HOST)
  await once(server, 'listening')
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('no port')
  return { accepted, address: { host: HOST, port: bound.port } }
}

describe('who is refused, and what both sides say', () => {
  const refusals = [
    [
      'another mesh',
      { mesh: 'other', from: 'b', to: 'a', life: 'x' },
      'mesh',
      '"b" is of the mesh "other", and at the address of "a" is one of "test"',
    ],
    [
      'another receiver',
      { mesh: 'test', from: 'b', to: 'c', life: 'x' },
      'receiver',
      '"b" wants "c", and at that address is "a"',
    ],
    [
      'an unknown sender',
      { mesh: 'test', from: 'z', to: 'a', life: 'x' },
      'sender',
      '"a" has no peer named "z"',
    ],
  ] as const
  for (const [what, hello, reason, says] of refusals) {
    test(what, async () => {
      const a = await start('a', { peerAddresses: { b: await freeAddress() } })
      const peer = await dial(a.tcp.address)
      peer.socket.write(joinFrames([writeHello(hello), codec.encode({ type: 'begin', epoch: 1 })]))
      await until(peer.isOver, 'the connection is closed')
      expect(readAnswer(peer.answers[0]).refusal?.reason).toBe(reason)
      expect(log.join('\n')).toContain(`refused: ${says}`)
      expect(a.messages).toEqual([])
    })
  }

  test('another version, in either direction', async () => {
    const b = await listenByHand((socket) => {
      const answer = Buffer.from(writeAnswer())
      answer[9] = 7
      socket.write(joinFrames([answer]))
    })
    const a = await start('a', { peerAddresses: { b: b.address } })
    await until(() => log.some((line) => line.includes('version')), 'it is logged')
    expect(log.join('\n')).toContain('refused: "b" speaks version "7" of the protocol, "a" speaks 2')
    const peer = await dial(a.tcp.address)
    peer.socket.write(joinFrames([writeHello({ mesh: 'test', from: 'b', to: 'a', life: 'x' }, 3)]))
    await until(peer.isOver, 'the connection is closed')
    expect(readAnswer(peer.answers[0]).refusal).toEqual({ reason: 'version', instead: '2' })
    expect(log.join('\n')).toContain('refused: it does not speak version 2 of the protocol')
    expect(a.heard).toEqual([])
  })

  test('two nodes at wrong addresses never hear each other, and the log of each names what is wrong', async () => {
    const b = await start('b', { peerAddresses: { a: await freeAddress() } })
    const a = await start('a', { peerAddresses: { c: b.tcp.address } })
    a.say('c', 1)
    await until(() => log.filter((line) => line.includes('refused')).length >= 2, 'both have logged')
    expect(log.filter((line) => line.includes('"a" wants "c", and at that address is "b"')).length).toBe(2)
    expect(a.heard).toEqual([])
    expect(b.messages).toEqual([])
  })

  test('who is no node of turnwise, and who says nothing', async () => {
    const timers = new ManualTimers()
    const a = await start('a', { timers })
    const web = await dial(a.tcp.address)
    web.socket.write('GET / HTTP/1.1\r\n\r\n')
    await until(web.isOver, 'the connection is closed')
    expect(log.at(-1)).toContain('bad frame: a frame of 1195725856 bytes is longer than 4096')
    const foreign = await dial(a.tcp.address)
    foreign.socket.write(joinFrames([Buffer.from('hello there')]))
    await until(foreign.isOver, 'the connection is closed')
    expect(log.at(-1)).toContain('bad frame: it does not begin as a node of turnwise does')
    const silent = await dial(a.tcp.address)
    await until(() => timers.pending === 1, 'it is accepted')
    timers.fire()
    await until(silent.isOver, 'the connection is closed')
    expect(log.at(-1)).toContain('it did not say who it is in time')
  })

  test('a peer that answers nothing is given up and dialled again', async () => {
    let greeted = 0
    const b = await listenByHand(() => {
      greeted += 1
    })
    const timers = new ManualTimers()
    await start('a', { peerAddresses: { b: b.address }, timers })
    for (const attempt of [1, 2, 3]) {
      await until(() => greeted === attempt, 'it is dialled')
      timers.fire() // The time for an answer is over: now a pause is pending.
      timers.fire()
    }
    expect(log).toEqual(['b did not answer in time'])
  })
})

describe('a bad frame', () => {
  const bad = [
    ['that is no message', Buffer.from([0, 0, 0, 2, 0xc1, 0xc1]), 'no message has a value of kind 0xc1'],
    ['that is too long', Buffer.from([0x7f, 0, 0, 0]), 'is longer than 1000'],
    [
      'of an unknown type',
      joinFrames([codec.encode({ type: 'hello' } as never)]),
      'type: "hello" is unknown',
    ],
  ] as const
  for (const [what, bytes, says] of bad) {
    test(`${what} closes its connection, after what came before it, and no other`, async () => {
      const nowhere = await freeAddress()
      const a = await start('a', { peerAddresses: { b: nowhere, c: nowhere }, longestFrame: 1000 })
      const [b, c] = [await dial(a.tcp.address), await dial(a.tcp.address)]
      const say = (epoch: number) => joinFrames([codec.encode({ type: 'begin', epoch })])
      b.socket.write(
        Buffer.concat([
          joinFrames([writeHello({ mesh: 'test', from: 'b', to: 'a', life: 'x' })]),
          say(1),
          bytes,
          say(2),
        ]),
      )
      await until(b.isOver, 'the connection is closed')
      expect(log.at(-1)).toContain('connection from b closed: bad frame: ')
      expect(log.at(-1)).toContain(says)
      c.socket.write(
        Buffer.concat([joinFrames([writeHello({ mesh: 'test', from: 'c', to: 'a', life: 'x' })]), say(3)]),
      )
      await until(() => a.from('c').length > 0, 'another is heard')
      expect(a.from('b')).toEqual([1])
      const again = await dial(a.tcp.address)
      again.socket.write(
        Buffer.concat([joinFrames([writeHello({ mesh: 'test', from: 'b', to: 'a', life: 'x' })]), say(4)]),
      )
      await until(() => a.from('b').length > 1, 'it may come again')
    })
  }

  test('never leaves: what is too long is refused where it is sent', async () => {
    const a = await start('a', { peerAddresses: { b: await freeAddress() }, longestFrame: 1000 })
    expect(() => a.tcp.send('b', bigMessage(10))).toThrow(MessageTooLarge)
    expect(() => a.tcp.send('b', bigMessage(10))).toThrow('and a frame holds 1000')
  })
})

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
    const before = [...writes.values()][0]
    expect(before).toBeLessThan(30)
    b.accepted[0].resume()
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
    expect(log.at(-1)).toBe('connection from b closed: the peer has connected anew')
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
    const patience = { handshake: 5000, firstPause: 10, longestPause: 100 }
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
    expect(log.at(-1)).toMatch(/refused: "a" hears another process that is "b"$/)
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
    expect(log.at(-1)).toBe('connection from a closed: it is no peer any more')
    await until(() => log.some((line) => line.includes('"b" has no peer named "a"')), 'it is turned away')
    b.say('a', 3)
    expect(b.tcp.backlog('a')).toBe(0)
  })

  test('a port that is taken is an error of the start', async () => {
    const a = await start('a')
    await expect(start('b', { listen: a.tcp.address })).rejects.toThrow('EADDRINUSE')
  })
})
