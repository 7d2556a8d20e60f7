/** An attacker between two nodes that have a secret: what it can read, and what it can change. */
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { byteAt } from '@turnwise/core/bounds'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FrameReader, joinFrames } from '../../src/transport/framing.ts'
import { writeHello, writeProof } from '../../src/transport/handshake.ts'
import type { Address } from '../../src/transport/sockets.ts'
import { TcpTransport } from '../../src/transport/tcp.ts'
import { LONGEST_FRAME } from '../../src/transport/wiring.ts'
import { codec, Node, range, until } from './transport-contract.ts'

const SECRET = 'of all nodes of the mesh'

describe('somebody between two nodes', () => {
  let log: string[] = []
  let seen: Buffer[] = []
  let nodes: TcpTransport[] = []
  let servers: Server[] = []
  let sockets: Socket[] = []

  beforeEach(() => {
    ;[log, seen, nodes, servers, sockets] = [[], [], [], [], []]
  })

  afterEach(async () => {
    for (const socket of sockets) socket.destroy()
    await Promise.all(nodes.map((node) => node.close()))
    for (const server of servers) server.close()
  })

  async function start(id: string, peers: ReadonlyMap<string, Address>, secret: string | null = SECRET) {
    const transport = new TcpTransport({
      id,
      mesh: 'test',
      listen: { host: '127.0.0.1', port: 0 },
      peers,
      codec,
      security: { secret, tls: null },
      patience: { firstPauseMs: 1, longestPauseMs: 20, farewellMs: 50 },
      log: (line) => void log.push(`${id}: ${line}`),
    })
    nodes.push(transport)
    const node = new Node(id, transport)
    await transport.start(node)
    return Object.assign(node, { tcp: transport })
  }

  /** Passes on what is dialled here, frame by frame, as `change` wants: the frames that go on instead of the n-th. */
  async function relay(
    to: Address,
    change: (frame: Buffer, n: number) => readonly Buffer[],
  ): Promise<Address> {
    const server = createServer((near) => {
      const far = connect(to.port, to.host)
      sockets.push(near, far)
      const frames = new FrameReader(LONGEST_FRAME)
      let count = 0
      near.on('data', (chunk) => {
        seen.push(chunk)
        frames.add(chunk)
        for (let frame = frames.next(); frame !== null; frame = frames.next()) {
          far.write(joinFrames(change(Buffer.from(frame), count)))
          count += 1
        }
      })
      far.on('data', (chunk) => {
        seen.push(chunk)
        near.write(chunk)
      })
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        one.on('error', () => {}).on('close', () => other.destroy())
      }
    })
    servers.push(server)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const bound = server.address()
    if (bound === null || typeof bound === 'string') throw new Error('no port')
    return { host: '127.0.0.1', port: bound.port }
  }

  /** Node b, and node a that reaches it through a relay. */
  async function pair(change: (frame: Buffer, n: number) => readonly Buffer[]) {
    const peersOfB = new Map([['a', { host: '127.0.0.1', port: 1 }]])
    const b = await start('b', peersOfB)
    const a = await start('a', new Map([['b', await relay(b.tcp.address, change)]]))
    peersOfB.set('a', a.tcp.address)
    await until(() => a.heard.includes('+b'), 'they are connected')
    return { a, b }
  }

  /** Says numbers one by one, each in a write of its own. */
  async function sayAll(a: Node, numbers: readonly number[]): Promise<void> {
    for (const number of numbers) {
      a.say('b', number)
      await new Promise((resolve) => void setImmediate(resolve))
    }
  }

  test('who only passes on is not noticed, and does not see the secret', async () => {
    const { a, b } = await pair((frame) => [frame])
    await sayAll(a, range(1, 20))
    await until(() => b.from('a').length === 20, 'all is heard')
    const bytes = Buffer.concat(seen)
    expect(bytes.includes(SECRET)).toBe(false)
    expect(bytes.length).toBeGreaterThan(20 * 16)
  })

  const held: Buffer[] = []
  // The first frames are the hello and the proof; messages begin with the third.
  const tricks = [
    ['changes', (frame: Buffer, n: number) => [n === 3 ? flipped(frame) : frame]],
    ['repeats', (frame: Buffer, n: number) => (n === 3 ? [frame, frame] : [frame])],
    ['leaves out', (frame: Buffer, n: number) => (n === 3 ? [] : [frame])],
    [
      'swaps',
      (frame: Buffer, n: number) => {
        if (n === 3) held.push(frame)
        return n === 3 ? [] : n === 4 ? [frame, ...held.splice(0)] : [frame]
      },
    ],
    [
      'puts in',
      (frame: Buffer, n: number) =>
        n === 3 ? [joinFrames([codec.encode({ type: 'begin', epoch: 99 })])] : [frame],
    ],
  ] as const
  for (const [what, trick] of tricks) {
    test(`who ${what} a frame ends the connection: nothing false is heard`, async () => {
      let isUsed = false
      const { a, b } = await pair((frame, n) => {
        if (isUsed) return [frame]
        const result = trick(frame, n)
        isUsed = n === 4
        return result
      })
      await sayAll(a, [1, 2, 3])
      await until(() => log.some((line) => line.includes('its seal is wrong')), 'it is logged')
      expect(log.join('\n')).toContain('b: connection from a closed: bad frame: its seal is wrong')
      expect([[1], [1, 2]]).toContainEqual(b.from('a'))
      await until(() => a.heard.filter((line) => line === '+b').length > 1, 'it is connected again')
      a.say('b', 50)
      await until(() => b.from('a').includes(50), 'it is heard again')
    })
  }

  test('nodes with different secrets say so, both of them, and never hear each other', async () => {
    const b = await start('b', new Map([['a', { host: '127.0.0.1', port: 1 }]]), `${SECRET}?`)
    const a = await start('a', new Map([['b', b.tcp.address]]))
    const line = 'refused: "a" and "b" have different secrets'
    await until(() => log.filter((each) => each.includes(line)).length >= 2, 'both have logged')
    expect(log.some((each) => each.startsWith('a: '))).toBe(true)
    expect(log.some((each) => each.startsWith('b: connection from 127.0.0.1:'))).toBe(true)
    expect([...a.heard, ...b.heard]).toEqual([])
  })

  test('a stranger that claims a name does not end the connection of the one who has it', async () => {
    const { a, b } = await pair((frame) => [frame])
    const stranger = connect(b.tcp.address.port, '127.0.0.1')
    sockets.push(stranger)
    stranger.on('error', () => {}).resume()
    await once(stranger, 'connect')
    const hello = writeHello({ mesh: 'test', from: 'a', to: 'b', life: 'x', challenge: '1'.repeat(64) })
    stranger.write(
      joinFrames([hello, writeProof('2'.repeat(64)), codec.encode({ type: 'begin', epoch: 66 })]),
    )
    await until(() => log.some((line) => line.includes('have different secrets')), 'it is refused')
    await until(() => stranger.destroyed, 'it is gone')
    a.say('b', 7)
    await until(() => b.from('a').length > 0, 'the real one is heard')
    expect(b.from('a')).toEqual([7])
    expect(a.heard).toEqual(['+b'])
  })
})

function flipped(frame: Buffer): Buffer {
  const changed = Buffer.from(frame)
  changed[changed.length - 1] = byteAt(changed, changed.length - 1) ^ 1
  return changed
}
