/** The connections that the lease thread dials: who is heard on them, and what may be said. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { OPEN } from '../../src/security/security.ts'
import { joinFrames } from '../../src/transport/framing.ts'
import { writeHello } from '../../src/transport/handshake.ts'
import { TcpTransport } from '../../src/transport/tcp.ts'
import { codec, Node, until } from '../transport/transport-contract.ts'
import { ACK, BEAT, closeLines, exchange, LISTEN, open, program, QUICK, SECRET, thread } from './both-ends.ts'

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

  test('a line that broke is dialled again', async () => {
    const a = await program(security)
    const b = thread(a, security)
    await exchange(a, b)
    b.lines.reset('a')
    b.heard.length = 0
    a.messages.length = 0
    await exchange(a, b)
  })

  test('a line on which nothing comes for too long is dialled again, one that is used is not', async () => {
    const log: string[] = []
    const a = await program(security)
    const b = thread(a, security, log)
    await exchange(a, b)
    b.lines.tick(1000, 500)
    b.lines.tick(1499, 500)
    b.heard.length = 0
    await exchange(a, b)
    b.lines.tick(1500, 500)
    b.lines.tick(1999, 500)
    expect(log).toEqual([])
    b.lines.tick(2000, 500)
    expect(log).toEqual(['the connection to a is made anew'])
    b.heard.length = 0
    a.messages.length = 0
    await exchange(a, b)
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
    expect(log[0]).toBe('refused: "a" hears another process that is "b"')
    expect(twin.heard).toEqual([])
  })
})

test('whoever does not know the secret is neither heard nor told anything', async () => {
  const log: string[] = []
  const a = await program(SECRET, log)
  const b = thread(a, { secret: 'not that of the other nodes', tls: null })
  await until(() => {
    b.lines.send('a', BEAT)
    a.tcp.send('b', ACK)
    return log.some((line) => line.includes('do not have the same secret'))
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
