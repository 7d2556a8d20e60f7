/** The secret of a mesh: who gets in with it, and what somebody between two nodes can do to what they say. */
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FrameReader, joinFrames } from '../../src/transport/framing.ts'
import { type Acquaintance, Greeting, Reception, type Step } from '../../src/transport/greeting.ts'
import {
  readAnswer,
  readHello,
  readProof,
  writeAnswer,
  writeHello,
  writeProof,
} from '../../src/transport/handshake.ts'
import { longestSealed, Seal } from '../../src/transport/seal.ts'
import type { Address } from '../../src/transport/sockets.ts'
import { LONGEST_FRAME, TcpTransport } from '../../src/transport/tcp.ts'
import { codec, Node, range, until } from './transport-contract.ts'

const SECRET = 'of all nodes of the mesh'
const trust = (secret: string | null) => ({ secret, seals: true })

const greeting = (secret: string | null, { mesh = 'test', from = 'a', to = 'b', life = 'x' } = {}) =>
  new Greeting({ mesh, from, to, life }, trust(secret))
const reception = (
  secret: string | null,
  { mesh = 'test', id = 'b' } = {},
  knows: Partial<Acquaintance> = {},
) =>
  new Reception({ mesh, id }, trust(secret), {
    isPeer: () => true,
    hasTwin: () => false,
    complaint: () => null,
    ...knows,
  })

/** Lets two sides speak until both have come to an end, or one says nothing more. */
function meet(dialler: Greeting, listener: Reception): { dialler: Step['end']; listener: Step['end'] } {
  const ends: { dialler: Step['end']; listener: Step['end'] } = { dialler: null, listener: null }
  let say: Uint8Array | null = dialler.first()
  while (say !== null) {
    const heard = listener.hear(Buffer.from(say))
    ends.listener ??= heard.end
    if (heard.say === null) return ends
    const answered = dialler.hear(Buffer.from(heard.say))
    ends.dialler ??= answered.end
    say = answered.say
  }
  return ends
}

describe('two sides of a handshake', () => {
  test('with one secret meet, and seal alike', () => {
    const { dialler, listener } = meet(greeting(SECRET), reception(SECRET))
    if (dialler === null || listener === null || 'refused' in dialler || 'refused' in listener) {
      throw new Error('they did not meet')
    }
    const frames = joinFrames([Buffer.from('one'), Buffer.from('two')])
    const [sealed] = framesOf(dialler.seal?.close([Buffer.from('one'), Buffer.from('two')]))
    expect(listener.seal?.open(sealed)).toEqual(frames)
  })

  test('without a secret meet, and seal nothing', () => {
    expect(meet(greeting(null), reception(null))).toEqual({
      dialler: { seal: null },
      listener: { seal: null },
    })
  })

  const others = [
    ['with different secrets', SECRET, `${SECRET}!`, '"a" and "b" do not have the same secret'],
    ['of which only the dialled has one', null, SECRET, '"b" asks for a secret, and "a" has none'],
    ['of which only the dialler has one', SECRET, null, '"a" has a secret, and "b" has none'],
  ] as const
  for (const [what, ofDialler, ofListener, refused] of others) {
    test(`${what} do not meet, and both know why`, () => {
      expect(meet(greeting(ofDialler), reception(ofListener))).toEqual({
        dialler: { refused },
        listener: { refused },
      })
    })
  }
})

describe('of two processes with one name', () => {
  const twin = { refused: '"b" hears another process that is "a"' }

  for (const secret of [null, SECRET]) {
    test(`the second is refused, ${secret === null ? 'without' : 'with'} a secret`, () => {
      const listener = reception(secret, {}, { hasTwin: ({ life }) => life === 'second' })
      expect(meet(greeting(secret, { life: 'second' }), listener)).toEqual({ dialler: twin, listener: twin })
    })
  }

  test('nobody is doubted for what one says who does not know the secret', () => {
    let asked = 0
    const hasTwin = () => {
      asked += 1
      return true
    }
    meet(greeting(`${SECRET}!`), reception(SECRET, {}, { hasTwin }))
    meet(greeting(null), reception(SECRET, {}, { hasTwin }))
    expect(asked).toBe(0)
    meet(greeting(SECRET), reception(SECRET, {}, { hasTwin }))
    expect(asked).toBe(1)
  })
})

test('one that is no peer any more when it proves the secret is refused', () => {
  const peers = new Set(['a'])
  const [dialler, listener] = [greeting(SECRET), reception(SECRET, {}, { isPeer: (id) => peers.has(id) })]
  const { say } = listener.hear(Buffer.from(dialler.first()))
  const { say: proof } = dialler.hear(Buffer.from(say ?? []))
  peers.clear()
  expect(listener.hear(Buffer.from(proof ?? [])).end).toEqual({ refused: '"b" has no peer named "a"' })
})

describe('whoever does not know the secret', () => {
  const wrong = { refused: '"a" and "b" do not have the same secret' }
  const unproved = { refused: 'what answers for "b" does not prove that it knows the secret' }

  /** A greeting that was challenged, with what it said. */
  function challenged(names: { mesh?: string; from?: string; to?: string } = {}, challenge = 'c'.repeat(64)) {
    const dialler = greeting(SECRET, names)
    const { say } = dialler.hear(Buffer.from(writeAnswer({ challenge })))
    return { dialler, hello: dialler.first(), proof: Buffer.from(say ?? []) }
  }

  test('gets in by no welcome that asks for nothing', () => {
    expect(greeting(SECRET).hear(Buffer.from(writeAnswer())).end).toEqual(unproved)
    expect(greeting(SECRET).hear(Buffer.from(writeAnswer({ proof: 'a'.repeat(64) }))).end).toEqual(unproved)
    expect(challenged().dialler.hear(Buffer.from(writeAnswer())).end).toEqual(unproved)
  })

  test('cannot hand a proof back to the one who made it', () => {
    const { dialler, proof } = challenged()
    const answer = writeAnswer({ proof: readProof(proof) })
    expect(dialler.hear(Buffer.from(answer)).end).toEqual(unproved)
    const hello = readHello(Buffer.from(challenged().hello))
    if ('reason' in hello || hello.challenge === null) throw new Error('no hello')
    // Nor let it answer its own challenge, by dialling it in return.
    const back = reception(SECRET, { id: 'a' })
    back.hear(
      Buffer.from(writeHello({ mesh: 'test', from: 'b', to: 'a', life: 'x', challenge: hello.challenge })),
    )
    expect(back.hear(proof).end).toEqual({ refused: '"b" and "a" do not have the same secret' })
  })

  test('cannot use what was said on an earlier connection', () => {
    const dialler = greeting(SECRET)
    const hello = Buffer.from(dialler.first())
    const earlier = reception(SECRET)
    const challenge = Buffer.from(earlier.hear(hello).say ?? [])
    const proof = Buffer.from(dialler.hear(challenge).say ?? [])
    const welcome = Buffer.from(earlier.hear(proof).say ?? [])
    expect(dialler.hear(welcome).end).not.toHaveProperty('refused')
    // The same words again, to a listener and to a dialler.
    const later = reception(SECRET)
    later.hear(hello)
    expect(later.hear(proof).end).toEqual(wrong)
    const again = greeting(SECRET)
    again.hear(challenge)
    expect(again.hear(welcome).end).toEqual(unproved)
  })

  test('cannot use what was said under another name, by another process, or in another mesh', () => {
    for (const names of [{ mesh: 'other' }, { from: 'c' }, { to: 'c' }, { life: 'y' }]) {
      const dialler = greeting(SECRET, names)
      const value = dialler.hello.challenge
      const listener = reception(SECRET)
      const told = writeHello({ mesh: 'test', from: 'a', to: 'b', life: 'x', challenge: value })
      const { say } = listener.hear(Buffer.from(told))
      const { say: proof } = dialler.hear(Buffer.from(say ?? []))
      expect(listener.hear(Buffer.from(proof ?? [])).end).toEqual(wrong)
    }
  })

  test('gets nothing that depends on the secret by dialling', () => {
    const listener = reception(SECRET)
    const { say } = listener.hear(
      Buffer.from(writeHello({ mesh: 'test', from: 'a', to: 'b', life: 'x', challenge: 'f'.repeat(64) })),
    )
    expect(readAnswer(Buffer.from(say ?? []))).toMatchObject({ refusal: null, proof: null })
    const { say: answer, end } = listener.hear(Buffer.from(writeProof('0'.repeat(64))))
    expect(readAnswer(Buffer.from(answer ?? [])).proof).toBeNull()
    expect(end).toEqual(wrong)
  })

  test('sees another value in every hello and every challenge', () => {
    const values = range(0, 50).flatMap(() => {
      const { hello } = greeting(SECRET)
      const { say } = reception(SECRET).hear(Buffer.from(writeHello(hello)))
      return [hello.challenge, readAnswer(Buffer.from(say ?? [])).challenge]
    })
    expect(new Set(values).size).toBe(100)
  })
})

describe('a seal', () => {
  const key = Buffer.alloc(32, 7)
  const bodies = range(0, 200).map((n) => Buffer.alloc(1000, n))

  test('gives back what was closed, in several pieces if it is much, none longer than said', () => {
    const [sender, receiver] = [new Seal(key), new Seal(key)]
    const sealed = framesOf(sender.close([...bodies, Buffer.alloc(LONGEST_FRAME, 1)]))
    expect(sealed.length).toBe(5)
    expect(Math.max(...sealed.map(({ length }) => length))).toBe(longestSealed(LONGEST_FRAME))
    const opened = framesOf(Buffer.concat(sealed.map((frame) => receiver.open(frame))))
    expect(opened.slice(0, 200)).toEqual(bodies)
  })

  test('breaks if any byte is changed', () => {
    const [sealed] = framesOf(new Seal(key).close([Buffer.from('some words')]))
    for (const place of sealed.keys()) {
      const changed = Buffer.from(sealed)
      changed[place] ^= 1
      expect(() => new Seal(key).open(changed)).toThrow('its seal is wrong')
    }
    for (const length of [0, 1, 15, 16, sealed.length - 1]) {
      expect(() => new Seal(key).open(sealed.subarray(0, length))).toThrow('its seal is wrong')
    }
  })
})

function framesOf(bytes: Buffer | undefined): Buffer[] {
  const reader = new FrameReader(2 * LONGEST_FRAME)
  reader.add(bytes ?? Buffer.alloc(0))
  const frames: Buffer[] = []
  for (let frame = reader.next(); frame !== null; frame = reader.next()) frames.push(frame)
  return frames
}

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
      patience: { firstPause: 1, longestPause: 20, farewell: 50 },
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
      ]) {
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
    const line = 'refused: "a" and "b" do not have the same secret'
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
    await until(() => log.some((line) => line.includes('do not have the same secret')), 'it is refused')
    await until(() => stranger.destroyed, 'it is gone')
    a.say('b', 7)
    await until(() => b.from('a').length > 0, 'the real one is heard')
    expect(b.from('a')).toEqual([7])
    expect(a.heard).toEqual(['+b'])
  })
})

function flipped(frame: Buffer): Buffer {
  const changed = Buffer.from(frame)
  changed[changed.length - 1] ^= 1
  return changed
}
