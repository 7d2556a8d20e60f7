/** Mutual TLS between nodes, with certificates as `turnwise keys` makes them: who is let in, and what is said to the others. */
import { once } from 'node:events'
import { type Socket, connect as tcpConnect } from 'node:net'
import { type ConnectionOptions, connect as tlsConnect } from 'node:tls'
import { get } from '@turnwise/core/bounds'
import type { Security, TlsOptions } from '@turnwise/mesh/security/security'
import { joinFrames } from '@turnwise/mesh/transport/framing'
import { writeHello } from '@turnwise/mesh/transport/handshake'
import type { Address, Sockets } from '@turnwise/mesh/transport/sockets'
import { TcpTransport } from '@turnwise/mesh/transport/tcp'
import { tlsSockets } from '@turnwise/mesh/transport/tls'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  codec,
  type Harness,
  Node,
  transportContract,
  until,
} from '../../../mesh/test/transport/transport-contract.ts'
import { type Issued, makeAuthority, makeCertificate } from '../../src/keys/authority.ts'

const DAY = 86_400_000
const days = (from: number, until: number) => ({
  from: new Date(Date.now() + from * DAY),
  until: new Date(Date.now() + until * DAY),
})
const NOW = days(-1, 1)
const NOWHERE: Address = { host: '127.0.0.1', port: 1 }
const ids = ['a', 'b', 'c', 'd', 'e']

let authority: Issued
const keys = new Map<string, TlsOptions>()

async function tlsOf(id: string, span = NOW, issuer = authority, mesh = 'test'): Promise<TlsOptions> {
  return { ca: authority.cert, ...(await makeCertificate(issuer, mesh, id, span)) }
}

function keysOf(id: string): TlsOptions {
  const found = keys.get(id)
  if (found === undefined) throw new Error(`no keys for ${id}`)
  return found
}

beforeAll(async () => {
  authority = await makeAuthority('test', days(-1, 2))
  for (const id of ids) keys.set(id, await tlsOf(id))
})

/** Every node on a port of its own choice; the others learn of it when it listens. */
function tlsHarness(): Harness {
  const peers = new Map<string, Address>()
  const accepted = new Map<string, Socket[]>()
  const socketsOf = (id: string): Sockets => {
    const sockets = tlsSockets(keysOf(id), 'test')
    return {
      ...sockets,
      async listen(address, accept, refuse) {
        const accepting = (socket: Socket) => {
          accepted.set(id, [...(accepted.get(id) ?? []), socket])
          accept(socket)
        }
        const listener = await sockets.listen(address, accepting, refuse)
        peers.set(id, listener.address)
        return listener
      },
    }
  }
  const all = new Map(ids.map((id) => [id, NOWHERE]))
  all.get = (id) => peers.get(id) ?? (ids.includes(id) ? NOWHERE : undefined)
  return {
    transport: (id) =>
      new TcpTransport({
        id,
        mesh: 'test',
        listen: { host: '127.0.0.1', port: 0 },
        peers: all,
        codec,
        sockets: socketsOf(id),
        security: { secret: null, tls: keysOf(id) },
        patience: { firstPauseMs: 1, longestPauseMs: 20 },
      }),
    pause: (id) => accepted.get(id)?.forEach((socket) => void socket.pause()),
    resume: (id) => accepted.get(id)?.forEach((socket) => void socket.resume()),
    close: () => Promise.resolve(),
  }
}

transportContract('over TLS', tlsHarness)

let log: string[] = []
let nodes: TcpTransport[] = []
let sockets: Socket[] = []

beforeEach(() => {
  ;[log, nodes, sockets] = [[], [], []]
})

afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  await Promise.all(nodes.map((node) => node.close()))
})

async function start(id: string, tls: TlsOptions | null, peers: Record<string, Address>, more: object = {}) {
  const security: Security = { secret: null, tls }
  const transport = new TcpTransport({
    id,
    mesh: 'test',
    listen: { host: '127.0.0.1', port: 0 },
    peers: new Map(Object.entries(peers)),
    codec,
    security,
    patience: { firstPauseMs: 1, longestPauseMs: 20, farewellMs: 50 },
    log: (line) => void log.push(`${id}: ${line.replaceAll(/127\.0\.0\.1:\d+/g, 'HOST')}`),
    ...more,
  })
  nodes.push(transport)
  const node = new Node(id, transport)
  await transport.start(node)
  return Object.assign(node, { tcp: transport })
}

const logged = (line: string) =>
  until(() => log.some((each) => each.includes(line)), `${line}\nin\n${log.join('\n')}`)

describe('node b, dialled by a', () => {
  /** b as it should be, a with the given certificate: what both say, and nothing is heard. */
  async function expectRefused(tls: TlsOptions | null, ofA: string, ofB: string): Promise<void> {
    const b = await start('b', keysOf('b'), { a: NOWHERE })
    const a = await start('a', tls, { b: b.tcp.address })
    await logged(ofA)
    await logged(ofB)
    expect([...a.heard, ...b.heard]).toEqual([])
    // It is as it was for those who are in order.
    await start('a', keysOf('a'), { b: b.tcp.address })
    await until(
      () => (get(nodes, 2).send('b', { type: 'begin', epoch: 5 }), b.from('a').includes(5)),
      'a is heard',
    )
  }

  test('takes no certificate that has expired', async () => {
    const why = 'it has expired'
    await expectRefused(
      await tlsOf('a', days(-2, -1)),
      `a: refused: "b" rejects the certificate of "a": "${why}"`,
      `b: connection from HOST refused: its certificate is not valid: ${why}`,
    )
  })

  test('takes no certificate that is not valid yet', async () => {
    await expectRefused(
      await tlsOf('a', days(0.5, 1)),
      'a: refused: "b" rejects the certificate of "a": "it is not valid yet"',
      'b: connection from HOST refused: its certificate is not valid: it is not valid yet',
    )
  })

  test('takes no certificate of an authority it does not know', async () => {
    const stranger = await makeAuthority('test', NOW)
    await expectRefused(
      await tlsOf('a', NOW, stranger),
      'a: refused: "b" rejects the certificate of "a": "it is signed by an unknown authority"',
      'b: connection from HOST refused: its certificate is not valid: it is signed by an unknown authority',
    )
  })

  test('takes no certificate of another node for that of a', async () => {
    const why = 'the certificate is of turnwise://test/c, not of turnwise://test/a'
    await expectRefused(
      keysOf('c'),
      `a: refused: "b" rejects the certificate of "a": "${why}"`,
      `b: connection from HOST refused: "b" rejects the certificate of "a": "${why}"`,
    )
  })

  test('takes no certificate of another mesh', async () => {
    await expectRefused(
      await tlsOf('a', NOW, authority, 'other'),
      'the certificate is of turnwise://other/a, not of turnwise://test/a',
      'b: connection from HOST refused',
    )
  })

  test('takes nobody who does not speak TLS', async () => {
    await expectRefused(
      null,
      'a: b closed the connection',
      'b: connection from HOST refused: no TLS handshake: wrong version number',
    )
  })

  test('takes nobody without a certificate', async () => {
    const b = await start('b', keysOf('b'), { a: NOWHERE })
    const socket = tlsConnect({ ...b.tcp.address, ca: authority.cert, checkServerIdentity: () => undefined })
    sockets.push(socket)
    socket.on('error', () => {})
    socket.write(
      joinFrames([
        writeHello({ mesh: 'test', from: 'a', to: 'b', life: 'x' }),
        codec.encode({ type: 'begin', epoch: 1 }),
      ]),
    )
    await logged('b: connection from HOST refused: its certificate is not valid: it shows no certificate')
    expect(b.heard).toEqual([])
  })

  test('resumes no session: the certificate is looked at whenever somebody comes', async () => {
    const b = await start('b', keysOf('b'), { a: NOWHERE })
    const dial = (epoch: number, options: ConnectionOptions) => {
      const socket = tlsConnect({ ...b.tcp.address, checkServerIdentity: () => undefined, ...options })
      sockets.push(socket)
      const hello = writeHello({ mesh: 'test', from: 'a', to: 'b', life: `life ${epoch}` })
      socket.on('error', () => {}).write(joinFrames([hello, codec.encode({ type: 'begin', epoch })]))
      return socket
    }
    const tickets: Buffer[] = []
    const first = dial(1, keysOf('a')).on('session', (ticket) => tickets.push(ticket))
    // Tickets come before the first word of the other side.
    await once(first, 'data')
    await until(() => b.from('a').includes(1), 'a is heard')
    first.destroy()
    // The owner of a resumed session is believed without showing any certificate, expired or not.
    for (const session of tickets) {
      const resumed = dial(2, { ca: authority.cert, session })
      await once(resumed, 'secureConnect')
      expect(resumed.isSessionReused()).toBe(false)
      await logged('b: connection from HOST refused: its certificate is not valid: it shows no certificate')
    }
    expect(b.from('a')).toEqual([1])
  })

  test('speaks no older TLS', async () => {
    const b = await start('b', keysOf('b'), { a: NOWHERE })
    const { ca, cert, key } = keysOf('a')
    const options = { ca, cert, key, maxVersion: 'TLSv1.2', checkServerIdentity: () => undefined } as const
    const socket = tlsConnect({ ...b.tcp.address, ...options })
    sockets.push(socket)
    socket.on('error', () => {})
    await logged('b: connection from HOST refused: no TLS handshake: unsupported protocol')
    expect(socket.authorized).toBe(false)
  })

  test('closes on garbage, and on who never ends the handshake', async () => {
    const dial = async (b: Awaited<ReturnType<typeof start>>, bytes: Buffer | string) => {
      const socket = tcpConnect(b.tcp.address)
      sockets.push(socket)
      socket.on('error', () => {}).resume()
      await once(socket, 'connect')
      socket.write(bytes)
      return socket
    }
    const b = await start('b', keysOf('b'), { a: NOWHERE })
    const garbage = await dial(b, 'GET / HTTP/1.1\r\n\r\n')
    await until(() => garbage.destroyed, 'garbage is closed')
    await logged('b: connection from HOST refused: no TLS handshake: http request')
    log.length = 0
    // The beginning of a client's hello, of which the rest never comes.
    const impatient = { sockets: tlsSockets(keysOf('b'), 'test', { patience: 50 }) }
    const other = await start('b', keysOf('b'), { a: NOWHERE }, impatient)
    const slow = await dial(other, Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]))
    await until(() => slow.destroyed, 'the slow one is closed')
    await logged('b: connection from HOST refused: no TLS handshake: TLS handshake timeout')
  })
})

test('however many begin no TLS handshake, a node gets in', async () => {
  const b = await start('b', keysOf('b'), { a: NOWHERE })
  const crowd = Array.from({ length: 280 }, () =>
    tcpConnect(b.tcp.address)
      .on('error', () => {})
      .resume(),
  )
  sockets.push(...crowd)
  await until(() => crowd.filter((socket) => socket.destroyed).length >= 24, 'the oldest are closed')
  const a = await start('a', keysOf('a'), { b: b.tcp.address })
  await until(() => a.heard.includes('+b'), 'it is connected')
  expect(crowd.filter((socket) => !socket.destroyed).length).toBeGreaterThan(250)
})

describe('node a, that dials b', () => {
  /** a as it should be, and somebody at the address of b. */
  async function expectRefusal(tls: TlsOptions | null, says: string): Promise<void> {
    const b = await start('b', tls, { a: NOWHERE })
    const a = await start('a', keysOf('a'), { b: b.tcp.address })
    await logged(says)
    a.say('b', 1)
    expect([...a.heard, ...b.heard]).toEqual([])
  }

  test('says nothing to one whose certificate has expired', async () => {
    await expectRefusal(await tlsOf('b', days(-2, -1)), 'a: cannot reach b at HOST: certificate has expired')
  })

  test('says nothing to one of an unknown authority', async () => {
    const stranger = await makeAuthority('another', NOW)
    await expectRefusal(
      await tlsOf('b', NOW, stranger),
      'a: cannot reach b at HOST: unable to verify the first certificate',
    )
  })

  test('says nothing to another node at that address', async () => {
    await expectRefusal(
      keysOf('c'),
      'a: refused: b shows a wrong certificate: the certificate is of turnwise://test/c, not of turnwise://test/b',
    )
  })

  test('says nothing to one that does not speak TLS', async () => {
    await expectRefusal(null, 'a: cannot reach b at HOST: ')
    await logged('b: connection from HOST closed: bad frame: it speaks TLS, but this node does not')
  })
})

test('a name that another name contains is not believed', async () => {
  const { nodeUris } = await import('@turnwise/mesh/security/node-name')
  const uris = (subjectAltName: string) => nodeUris({ subjectAltName })
  expect(uris('URI:turnwise://test/a, DNS:x')).toEqual(['turnwise://test/a'])
  expect(uris('DNS:"x, URI:turnwise://test/a, y"')).toEqual([])
  expect(uris('URI:"http://x, URI:turnwise://test/a, y", URI:turnwise://test/b')).toEqual([
    'turnwise://test/b',
  ])
  expect(uris('DNS:"x\\", URI:turnwise://test/a, y"')).toEqual([])
  expect(uris('DNS:"x, URI:turnwise://test/a')).toEqual([])
  expect(uris('DNS:turnwise://test/a')).toEqual([])
  expect(uris('URI:"turnwise://test/a\\nb"')).toEqual([])
  expect(uris('')).toEqual([])
})
