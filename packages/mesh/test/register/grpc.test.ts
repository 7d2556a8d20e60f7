import { once } from 'node:events'
import * as http2 from 'node:http2'
import { type AddressInfo, createServer } from 'node:net'
import { freeAddress } from '@turnwise/fleet/ports'
import { expect, onTestFinished, test } from 'vitest'
import { LONG } from '../../../../test/cut-proxy.ts'
import { GrpcConnection } from '../../src/register/grpc.ts'
import { readPlace } from '../../src/register/place.ts'

type Answer = (stream: http2.ServerHttp2Stream) => void

const HEADERS = { ':status': 200, 'content-type': 'application/grpc' }
const QUESTION = Buffer.from('question')

interface Serving {
  readonly name: string
  readonly calls: readonly string[]
  readonly sessions: ReadonlySet<http2.ServerHttp2Session>
}

/** A server that answers each call in one of these ways, and the last one from then on. */
async function serving(...answers: Answer[]): Promise<Serving> {
  const calls: string[] = []
  const sessions = new Set<http2.ServerHttp2Session>()
  const server = http2.createServer()
  server.on('session', (session) => sessions.add(session))
  server.on('stream', (stream, headers) => {
    calls.push(String(headers[':path']))
    stream.on('error', () => {})
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    stream.resume().on('end', () => answer?.(stream))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const session of sessions) session.destroy()
    server.close()
  })
  return { name: `127.0.0.1:${(server.address() as AddressInfo).port}`, calls, sessions }
}

function connectionTo(name: string): GrpcConnection {
  const connection = new GrpcConnection(name, null, LONG.patience)
  onTestFinished(() => connection.close())
  return connection
}

function saying(body: Buffer | string, trailers: http2.OutgoingHttpHeaders | null): Answer {
  return (stream) => {
    stream.respond(HEADERS, { waitForTrailers: true })
    stream.on('wantTrailers', () => (trailers ? stream.sendTrailers(trailers) : stream.close()))
    stream.end(body)
  }
}

const OK = { 'grpc-status': '0' }
const here = saying(Buffer.from([0, 0, 0, 0, 4, ...Buffer.from('here')]), OK)
const silent: Answer = () => {}
/** Milliseconds, on however busy a machine. */
const LATE = { timeout: 60_000 }

function call(connection: GrpcConnection, patience = LONG.patience): Promise<Buffer> {
  return connection.call('/kv', QUESTION, {}, patience)
}

test('an answer is what the server says', async () => {
  const server = await serving(here)
  const connection = connectionTo(server.name)
  expect(String(await call(connection))).toBe('here')
  expect(connection.isOpen).toBe(true)
})

test.each<[string, Answer]>([
  ['an answer without a status', saying(Buffer.from([0, 0, 0, 0, 0]), null)],
  ['a status without an answer', saying('', OK)],
  ['an answer that was cut short', saying(Buffer.from([0, 0, 0, 0, 9, 1]), OK)],
  ['an answer in another code', saying(Buffer.from([1, 0, 0, 0, 0]), OK)],
  ['a page of a proxy', (stream) => (stream.respond({ ':status': 502 }), stream.end('<html>'))],
  ['a stream that ends', (stream) => stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR)],
  ['a connection that ends', (stream) => stream.session?.destroy()],
])('%s may belong to a question that was heard', async (_, answer) => {
  const server = await serving(answer)
  const connection = connectionTo(server.name)
  await expect(call(connection)).rejects.toMatchObject({ isSent: true, code: null })
  expect(connection.isOpen).toBe(false)
})

test('what the server refuses is told in its words, and the connection stays', async () => {
  const refusal = { ...HEADERS, 'grpc-status': '3', 'grpc-message': 'too%20much, 100%' }
  const server = await serving((stream) => stream.respond(refusal, { endStream: true }), here)
  const connection = connectionTo(server.name)
  await expect(call(connection)).rejects.toMatchObject({ message: 'too%20much, 100%', code: 3, isSent: true })
  expect(String(await call(connection))).toBe('here')
})

test('without a connection nothing was sent', async () => {
  const connection = connectionTo(await freeAddress())
  await expect(call(connection)).rejects.toMatchObject({ isSent: false, code: null })
  expect(connection.isOpen).toBe(false)
  await expect(call(connection)).rejects.toMatchObject({ isSent: false })
})

test('a server that speaks no HTTP/2 may have understood', async () => {
  const server = createServer(
    (socket) => void socket.on('error', () => {}).end('HTTP/1.1 400 Bad Request\r\n\r\n'),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const connection = connectionTo(`127.0.0.1:${(server.address() as AddressInfo).port}`)
  await expect(call(connection)).rejects.toMatchObject({ code: null })
})

test('a call without an answer ends the connection for later calls, and not for those under way', async () => {
  let answerLate: () => void = () => {}
  const server = await serving((stream) => (answerLate = () => here(stream)), silent)
  const connection = connectionTo(server.name)
  const late = call(connection)
  await expect.poll(() => server.calls.length).toBe(1)
  await expect(call(connection, 50)).rejects.toMatchObject({
    message: `${server.name}: no answer in time`,
    isSent: true,
  })
  expect(connection.isOpen).toBe(false)
  answerLate()
  expect(String(await late)).toBe('here')
})

test('etcd that answers nothing of its own has not refused a change', async () => {
  const empty = Buffer.alloc(5)
  const server = await serving(saying(empty, OK))
  const register = await readPlace(`etcd://${server.name}`).open('mesh', LONG)
  onTestFinished(() => register.close())
  expect(await register.read('view')).toBe(null)
  expect(await register.cas('view', null, '1')).toMatchObject({ kind: 'unknown' })
})

test('etcd that stopped answering on one connection is asked on another', async () => {
  const empty = saying(Buffer.alloc(5), OK)
  const server = await serving(empty, silent, empty)
  const patience = { patience: 300, opening: LONG.patience }
  const register = await readPlace(`etcd://${server.name}`).open('mesh', patience)
  onTestFinished(() => register.close())
  await expect.poll(() => register.read('view').catch(() => 'no answer'), LATE).toBe(null)
  // One to see whether it serves, the one that was given up, and another.
  expect(server.sessions.size).toBeGreaterThan(2)
})
