/** The connections that the lease thread dials: who is heard on them, and what may be said. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { atLeast } from '../../../../test/present.ts'
import { OPEN } from '../../src/security/security.ts'
import { joinFrames } from '../../src/transport/framing.ts'
import { writeHello } from '../../src/transport/handshake.ts'
import { TcpTransport } from '../../src/transport/tcp.ts'
import { codec, Node, until } from '../transport/transport-contract.ts'
import {
  ACK,
  BEAT,
  closeLines,
  exchange,
  LEASE,
  LISTEN,
  open,
  program,
  programOf,
  QUICK,
  SECRET,
  thread,
  threads,
} from './both-ends.ts'

afterEach(closeLines)

describe.each([
  ['without a secret', OPEN],
  ['with a secret', SECRET],
])('%s', (_, security) => {
  test('heartbeats and acks go both ways on what the thread dialled, and nothing else does', async () => {
    const a = await program(security)
    const b = thread(a, security)
    await exchange(a, b)
    a.tcp.send('b', { type: 'begin', epoch: 1 })
    a.tcp.send('b', BEAT)
    await until(() => b.heard.at(-1)?.type === 'heartbeat', 'the heartbeat is heard')
    expect(a.messages[0]).toEqual(BEAT)
    expect(b.heard[0]).toEqual(ACK)
    expect(b.heard.some(({ type }) => type === 'begin')).toBe(false)
  })

  test('a line that is silent is dialled again when it is asked to', async () => {
    const a = await program(security)
    const b = thread(a, security)
    await exchange(a, b)
    b.lines.tick(1000)
    b.lines.reset('a', 1000)
    expect(b.turns).toEqual([true])
    b.lines.reset('a', 1000 + LEASE / 4)
    expect(b.turns).toEqual([true, false])
    b.heard.length = 0
    a.messages.length = 0
    await exchange(a, b)
  })

  test('a line on which nothing comes for a lease is given up, one that is used is not; it is dialled when there is more to say', async () => {
    const a = await program(security)
    const b = thread(a, security)
    await exchange(a, b)
    b.lines.tick(1000)
    b.lines.tick(1000 + LEASE - 1)
    b.heard.length = 0
    await exchange(a, b)
    b.lines.tick(2000)
    b.lines.tick(2000 + LEASE - 1)
    expect(b.turns).toEqual([true])
    b.lines.tick(2000 + LEASE)
    expect(b.turns).toEqual([true, false])
    b.lines.tick(3000)
    expect(b.turns).toEqual([true, false])
    b.heard.length = 0
    a.messages.length = 0
    b.lines.send('a', BEAT)
    for (const now of [4000, 4000 + LEASE / 4]) b.lines.tick(now)
    await exchange(a, b)
    expect(b.turns).toEqual([true, false, true])
  })

  test('two threads speak with each other on one connection, though no program answers', async () => {
    const [a, b] = atLeast(2, await threads(['a', 'b'], security))
    await until(() => {
      for (const { lines } of [a, b]) lines.tick(0)
      a.lines.send('b', BEAT)
      b.lines.send('a', ACK)
      return a.heard.length > 0 && b.heard.length > 0
    }, 'both are heard')
    expect(a.heard[0]).toEqual({ from: 'b', message: ACK })
    expect(b.heard[0]).toEqual({ from: 'a', message: BEAT })
    expect([...a.met, ...b.met]).toEqual(['b', 'a'])
  })

  test('the second of two dials if the first does not, and nothing is dialled without a word to say', async () => {
    const [a, b] = atLeast(2, await threads(['a', 'b'], security))
    for (const now of [0, LEASE / 4, LEASE]) a.lines.tick(now)
    await until(() => {
      b.lines.send('a', ACK)
      for (const now of [0, LEASE / 4]) b.lines.tick(now)
      return a.heard.length > 0
    }, 'b is heard')
    expect([...a.met]).toEqual(['b'])
  })

  test('a thread that is met through another port than its program listens on is not dialled', async () => {
    const [a, b] = atLeast(2, await threads(['a', 'b'], security))
    const program = await programOf('b', security)
    a.lines.setPeers(new Map([['b', program.tcp.address]]))
    a.lines.learn('b', { port: b.port, beside: program.tcp.address.port + 1 })
    await until(() => {
      a.lines.send('b', BEAT)
      a.lines.tick(0)
      return program.messages.length > 0
    }, 'the program is met instead')
    expect(b.heard).toEqual([])
  })

  test('the work of the same process stays connected beside it, and one with its name does not come in', async () => {
    const a = await program(security)
    const work = new TcpTransport({
      id: 'b',
      mesh: 'test',
      life: 'x',
      listen: LISTEN,
      peers: new Map([['a', a.tcp.address]]),
      codec,
      security,
      patience: QUICK,
    })
    open.push(work)
    await work.start(new Node('b', work))
    const b = thread(a, security)
    await exchange(a, b)
    await until(() => {
      work.send('a', { type: 'begin', epoch: 7 })
      return a.from('b').includes(7)
    }, 'the work is heard')
    await exchange(a, b)
    const log: string[] = []
    const twin = thread(a, security, log, 'y')
    await until(() => log.length > 0, 'the twin is refused')
    expect(log[0]).toBe('refused: "a" hears another process named "b"')
    expect(twin.heard).toEqual([])
  })
})

test('a stranger without the secret is neither heard nor told anything', async () => {
  const log: string[] = []
  const a = await program(SECRET, log)
  const b = thread(a, { secret: 'not that of the other nodes', tls: null })
  await until(() => {
    b.lines.send('a', BEAT)
    a.tcp.send('b', ACK)
    return log.some((line) => line.includes('have different secrets'))
  }, 'it is refused')
  expect(a.messages).toEqual([])
  expect(b.heard).toEqual([])
})

test('a message that is not about leases ends the line', async () => {
  const log: string[] = []
  const a = await program(OPEN, log)
  const socket = connect(a.tcp.address.port, '127.0.0.1')
  socket.on('error', () => {}).resume()
  const hello = writeHello({ mesh: 'test', from: 'b', to: 'a', life: 'x', channel: 'lease' })
  socket.write(joinFrames([hello, codec.encode(BEAT), codec.encode({ type: 'begin', epoch: 1 })]))
  await once(socket, 'close')
  expect(a.messages).toEqual([BEAT])
  expect(log.join('\n')).toContain('connection from b closed: bad frame: type: "begin" is unknown')
})
