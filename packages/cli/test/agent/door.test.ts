/** The door of a daemon: who comes in, for which names, and what becomes of the locks of one that dies or is cut off (C9). */
import { type AddressInfo, createServer, type Socket, connect as tcpConnect } from 'node:net'
import { createServer as createTlsServer, connect as tlsConnect } from 'node:tls'
import { freeAddresses } from '@turnwise/fleet/ports'
import { type ConnectOptions, connect, type DaemonLocks } from '@turnwise/mesh/daemon/connect'
import { FAR_SILENCE, VERSION } from '@turnwise/mesh/daemon/control-messages'
import { Client } from '@turnwise/mesh/daemon/line-client'
import { exclusive } from '@turnwise/mesh/daemon/wanted'
import { joinNode } from '@turnwise/mesh/join'
import { LockLostError, NoDaemonError } from '@turnwise/mesh/locks/errors'
import type { Held } from '@turnwise/mesh/locks/held'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { LONG } from '../../../../test/extent.ts'
import { type Desk, openDesk } from '../../../mesh/test/daemon/desks.ts'
import { Agent } from '../../src/agent/agent.ts'
import { readNodeConfig } from '../../src/agent/config.ts'
import { type Door, openDoor } from '../../src/agent/door.ts'
import { readDoorFile } from '../../src/agent/door-file.ts'
import { doorWish } from '../../src/agent/door-options.ts'
import {
  type Issued,
  makeAuthority,
  makeCertificate,
  makeClientCertificate,
  makeDoorCertificate,
} from '../../src/keys/authority.ts'
import { command } from '../cli/in-process.ts'
import { Workplace } from './processes.ts'

/** Of minutes, where nothing is to lapse. */
const LEASE = 300_000
const TOKEN = 'token-of-billing-0123456789'
const SPAN = { from: new Date(Date.now() - 86_400_000), until: new Date(Date.now() + 86_400_000) }

let authority: Issued
let stranger: Issued
let own: Issued
const ends: (() => unknown)[] = []

beforeAll(async () => {
  authority = await makeAuthority('mesh', SPAN)
  stranger = await makeAuthority('mesh', SPAN)
  own = await makeDoorCertificate(authority, ['127.0.0.1', 'localhost'], SPAN)
})

afterEach(async () => {
  vi.useRealTimers()
  for (const end of ends.splice(0).toReversed()) await end()
})

interface Place {
  readonly desk: Desk
  readonly door: Door
  readonly at: string
}

async function open(lease = LEASE, silence?: number): Promise<Place> {
  const node = await joinNode({ lease })
  const desk = await openDesk(node, lease)
  const clients = {
    billing: { token: TOKEN, names: ['invoices', 'invoices/*'] },
    reports: { names: ['*'] },
  }
  const tls = { cert: own.cert, key: own.key, ca: authority.cert }
  const wish = doorWish({ listen: '127.0.0.1:0', tls, clients }, (_field, given) => given)
  const door = await openDoor(wish, 'mesh', desk.daemon, silence)
  ends.push(
    () => node.leave(),
    () => desk.close(),
    () => door.close(),
  )
  return { desk, door, at: `127.0.0.1:${door.address.port}` }
}

async function enter(at: string, more: Partial<ConnectOptions> = {}): Promise<DaemonLocks> {
  const locks = await connect({
    door: at,
    client: 'billing',
    ...(more.tls?.cert === undefined && { token: TOKEN }),
    tls: { ca: authority.cert },
    ...more,
  })
  ends.push(() => locks.leave())
  return locks
}

/** A client that comes with a certificate. */
function withCertificate(issued: Issued, client = 'reports'): Partial<ConnectOptions> {
  return { client, tls: { ca: authority.cert, cert: issued.cert, key: issued.key } }
}

test('a client with a token, one with a certificate and one at home exclude each other; who leaves gives back', async () => {
  const { desk, at } = await open()
  const billing = await enter(at)
  const reports = await enter(
    at,
    withCertificate(await makeClientCertificate(authority, 'mesh', 'reports', SPAN)),
  )
  const home = await connect({ socket: desk.path })
  ends.push(() => home.leave())
  const held = await billing.locks.acquire('invoices')
  expect(await reports.locks.acquire('invoices', { ifAvailable: true })).toBeNull()
  const waits = home.locks.acquire('invoices')
  await billing.leave()
  const next = await waits
  expect(held.isHeld).toBe(false)
  expect(next.fence).toBeGreaterThan(held.fence)
  next.release()
  expect(await reports.semaphore('pool', 2).acquire()).toMatchObject({ isHeld: true })
  expect(await reports.election('head').campaign()).toMatchObject({ isHeld: true })
})

test('a client uses and sees its own names alone', async () => {
  const { desk, at } = await open()
  const billing = await enter(at)
  await using _secret = await desk.node.locks.acquire('payroll')
  await using _mine = await billing.locks.acquire('invoices/7')
  for (const refused of [
    () => billing.locks.acquire('payroll'),
    () => billing.locks.acquire('invoice'),
    () => billing.locks.acquire(['invoices', 'payroll']),
    () => billing.semaphore('pool', 2).acquire(),
    () => billing.election('payroll').leader(),
    () => billing.locks.acquire('payroll', { steal: true }),
    () => billing.once('payroll', Date.now(), () => {}),
  ])
    await expect(refused()).rejects.toMatchObject({
      name: 'SecurityError',
      message: expect.stringMatching(/^this client may not use "/),
    })
  await desk.node.once('payroll', Date.now(), () =>
    billing.once('invoices', Date.now(), async () => {
      const { held: seen } = await billing.locks.query()
      expect(seen.map(({ name }) => name).toSorted()).toEqual(['-once/invoices', 'invoices/7'])
    }),
  )
  const { held, pending } = await billing.locks.query()
  expect(held.map(({ name }) => name)).toEqual(['invoices/7'])
  expect(pending).toEqual([])
})

test('turnwise status and turnwise locks through the door: of its own names, and nothing of other clients', async () => {
  const place = new Workplace()
  const quiet = { debug() {}, info() {}, warn() {}, error() {} }
  const agent = new Agent(readNodeConfig(place.write('n.json', { stateDir: 'n', lease: LEASE })), quiet)
  await agent.start(place.path('n/control/socket'))
  const node = await agent.joined
  const clients = { billing: { token: TOKEN, names: ['invoices'] } }
  const tls = { cert: own.cert, key: own.key }
  const wish = doorWish({ listen: '127.0.0.1:0', tls, clients }, (_field, given) => given)
  const door = await openDoor(wish, 'mesh', agent)
  ends.push(
    () => place.clear(),
    () => agent.end('the test is over'),
    () => door.close(),
  )
  const at = `127.0.0.1:${door.address.port}`
  const file = place.write('door.json', {
    door: at,
    client: 'billing',
    token: TOKEN,
    tls: { ca: authority.cert },
  })
  await using _secret = await node.locks.acquire('payroll', { info: 'wages' })
  await using _mine = await node.locks.acquire('invoices', { info: 'ours' })
  const locks = await command('locks --door <file>', file)
  expect([locks.code, locks.err]).toEqual([0, []])
  expect(locks.out).toContain('ours')
  expect(locks.out).not.toMatch(/payroll|wages/)
  const status = await command('status --door <file>', file)
  expect([status.code, status.err]).toEqual([0, []])
  expect(status.out).toMatch(/^node alone, up for .*\nview \d+; lease \d+ of 300000 ms left\n\nnode /)
  const { out } = await command('status --json --door <file>', file)
  expect(JSON.parse(out)).toMatchObject({ names: 0, clients: 1, holding: 0, trouble: [], place: null })
  expect(await command('status --ready --door <file>', file)).toEqual({ code: 0, out: '', err: [] })
  const client = await Client.open(readDoorFile(file))
  ends.push(() => client.close())
  expect(await client.ask('metrics', {})).toMatchObject({ kind: 'refused', why: 'denied' })
})

describe('nobody else comes in', () => {
  const UNKNOWN = 'the daemon says: the door does not know this client with this token or certificate'

  test('a wrong token, a wrong name, the token of another, no authority', async () => {
    const { door, at } = await open()
    for (const wrong of [
      { token: `${TOKEN}x` },
      { client: 'nobody' },
      { client: 'reports' },
      { client: 'constructor' },
    ])
      await expect(enter(at, wrong)).rejects.toThrow(new NoDaemonError(UNKNOWN))
    await expect(enter(at, { tls: { ca: stranger.cert } })).rejects.toThrow(/no daemon can be reached at /)
    await expect(enter(at, { tls: {} })).rejects.toThrow(/no daemon can be reached at /)
    await expect(enter(at, { tls: { ca: authority.cert, servername: 'elsewhere' } })).rejects.toThrow(
      /altnames/,
    )
    await expect.poll(() => door.connections.size).toBe(0)
  })

  test('the certificate of a node, of another client, of another mesh, of another authority', async () => {
    const { at } = await open()
    const refusal = /^the daemon says: the certificate is refused: /
    for (const issued of [
      await makeCertificate(authority, 'mesh', 'reports', SPAN),
      await makeClientCertificate(authority, 'mesh', 'billing', SPAN),
      await makeClientCertificate(authority, 'other', 'reports', SPAN),
      await makeClientCertificate(stranger, 'mesh', 'reports', SPAN),
      await makeClientCertificate(authority, 'mesh', 'reports', { from: SPAN.from, until: SPAN.from }),
    ])
      await expect(enter(at, withCertificate(issued))).rejects.toThrow(refusal)
  })

  test('the certificate of a client makes no door, though its name is that of the host: a false door would hear tokens', async () => {
    const { cert, key } = await makeClientCertificate(authority, 'mesh', 'localhost', SPAN)
    let heard = ''
    const falseDoor = createTlsServer({ cert, key, minVersion: 'TLSv1.3' }, (socket) => {
      socket
        .on('error', () => {})
        .on('data', (bytes) => {
          heard += String(bytes)
          socket.destroy()
        })
    })
    await new Promise<void>((listens) => falseDoor.listen(0, 'localhost', listens))
    ends.push(() => falseDoor.close())
    const { port } = falseDoor.address() as AddressInfo
    await expect(enter(`localhost:${port}`)).rejects.toThrow(/certificate purpose$/)
    expect(heard).toBe('')
  })

  test('who does not speak TLS 1.3, or speaks before it has said who it is', async () => {
    const { door, at } = await open()
    await expect(enter(at.replace('127.0.0.1', 'localhost'), { tls: { ca: own.cert } })).rejects.toThrow(
      NoDaemonError,
    )
    const { port } = door.address
    const plain = tcpConnect(port, '127.0.0.1')
    plain.on('error', () => {}).write('GET / HTTP/1.1\r\n\r\n')
    await new Promise((closed) => plain.on('close', closed))
    const old = tlsConnect({ port, host: '127.0.0.1', ca: authority.cert, maxVersion: 'TLSv1.2' })
    await new Promise((closed) => old.on('error', () => {}).on('close', closed))
    const hasty = tlsConnect({ port, host: '127.0.0.1', ca: authority.cert })
    let said = ''
    hasty.on('data', (bytes) => (said += String(bytes))).on('error', () => {})
    hasty.write('{"kind":"metrics","ticket":1}\n')
    await new Promise((closed) => hasty.on('close', closed))
    expect(said).toBe('{"kind":"error","message":"expected a hello first"}\n')
  })
})

/** A client that holds `invoices`, and whose connection ends without a word of its own. */
async function cutOff(lease: number): Promise<Place & { readonly held: Held }> {
  const place = await open(lease)
  const held = await (await enter(place.at)).locks.acquire('invoices')
  const lost = new Promise((told) => held.signal.addEventListener('abort', told))
  for (const connection of place.door.connections) connection.close()
  await lost
  expect(held.signal.reason).toBeInstanceOf(LockLostError)
  return { ...place, held }
}

test('C9: the end of a connection frees nothing before the promise is over', async () => {
  // Somebody else may have ended the connection, and the client not know: the daemon keeps what it promised.
  const { desk } = await cutOff(LEASE)
  expect(desk.holding).toBe(1)
  expect(await desk.node.locks.acquire('invoices', { ifAvailable: true })).toBeNull()
})

test('C9: when the promise is over the lock is free', async () => {
  const { desk, held } = await cutOff(1000)
  await using next = await desk.node.locks.acquire('invoices')
  expect(next.fence).toBeGreaterThan(held.fence)
  expect(desk.holding).toBe(0)
})

test('C9: a client that says nothing is shown out, and its place in line is given up', async () => {
  const { desk, door } = await open(LEASE, 200)
  await using _inside = await desk.node.locks.acquire('invoices')
  const silent = tlsConnect({ port: door.address.port, host: '127.0.0.1', ca: authority.cert })
  let said = ''
  silent.on('data', (bytes) => (said += String(bytes)))
  const hello = { kind: 'hello', version: VERSION, lingers: false, client: 'billing', token: TOKEN }
  const question = { kind: 'acquire', ticket: 1, ...exclusive('invoices') }
  silent.write(`${JSON.stringify(hello)}\n${JSON.stringify(question)}\n`)
  // The daemon has read both by then, so only because the wait was given up is nobody in line.
  await new Promise((closed) => silent.on('close', closed))
  expect(said).toContain('{"kind":"error","message":"nothing was heard for 200 ms"}')
  await expect.poll(async () => (await desk.node.locks.query()).pending.length).toBe(0)
})

test('C9: a daemon that does not answer is given up', async () => {
  const { socket, hears } = await deafDaemon()
  vi.useFakeTimers({ toFake: ['setInterval'] })
  const client = await Client.open({
    where: 'there',
    client: 'x',
    token: null,
    reach: () => Promise.resolve(socket),
  })
  const broken = new Promise<Error>((tell) => {
    client.onBroken = tell
  })
  vi.advanceTimersByTime(FAR_SILENCE / 3)
  await hears('"beat"')
  vi.advanceTimersByTime(FAR_SILENCE)
  expect(await broken).toEqual(
    new NoDaemonError(`the daemon at there has not answered for ${FAR_SILENCE} ms`),
  )
})

/** Says hello, and nothing more. */
async function deafDaemon(): Promise<{ socket: Socket; hears: (text: string) => Promise<unknown> }> {
  let heard = ''
  const server = createServer((socket) => {
    socket.write(`${JSON.stringify({ kind: 'hello', version: VERSION, id: 'a', lease: LEASE })}\n`)
    socket.on('data', (bytes) => (heard += String(bytes))).on('error', () => {})
    ends.push(() => socket.destroy())
  })
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening))
  ends.push(() => server.close())
  const { port } = server.address() as AddressInfo
  const socket = tcpConnect(port, '127.0.0.1')
  await new Promise((connected) => socket.once('connect', connected))
  const hears = async (text: string) => {
    while (!heard.includes(text)) await new Promise((resolve) => setImmediate(resolve))
  }
  return { socket, hears }
}

describe('as processes', { timeout: 120_000 }, () => {
  const place = new Workplace()
  afterAll(() => place.clear())

  test('a command under a lock of another machine; a killed client; a wrong file', LONG, async () => {
    const keys = await place.run(
      'keys',
      '--door',
      '127.0.0.1',
      '--clients',
      'cron',
      '--out',
      place.path('keys'),
    )
    expect(keys.code, keys.err).toBe(0)
    const { there } = await freeAddresses(['there'])
    const tls = { cert: 'keys/door.crt', key: 'keys/door.key', ca: 'keys/ca.crt' }
    const door = { listen: there, tls, clients: { cron: { names: ['nightly'] } } }
    const config = place.write('node.json', { stateDir: 'state', lease: 4000, door })
    const daemon = place.start('node', '--config', config)
    await daemon.says(/"joined"/)
    const file = {
      door: there,
      client: 'cron',
      tls: { ca: 'keys/ca.crt', cert: 'keys/client-cron.crt', key: 'keys/client-cron.key' },
    }
    place.write('cron.json', file)
    const under = (name: string, script: string, doorFile = 'cron.json') =>
      place.start('lock', name, '--door', place.path(doorFile), '--', 'sh', '-c', script)

    const done = await under('nightly', 'echo fence $TURNWISE_FENCE').ended
    expect({ code: done.code, out: done.out }).toEqual({
      code: 0,
      out: expect.stringMatching(/^fence \d+\n$/),
    })
    const killed = under('nightly', 'echo in; exec sleep 600')
    await killed.says(/in/)
    killed.kill('SIGKILL')
    expect((await under('nightly', 'echo next').ended).out).toBe('next\n')
    const denied = await under('payroll', 'true').ended
    expect([denied.code, denied.err]).toEqual([2, 'turnwise: this client may not use "payroll"\n'])

    place.write('odd.json', { ...file, tokn: 'x' })
    const odd = await under('nightly', 'true', 'odd.json').ended
    expect([odd.code, odd.err]).toEqual([
      2,
      `turnwise: --door: ${place.path('odd.json')}: "tokn" is not an option of this file: did you mean "token"?\n`,
    ])
    place.write('away.json', { ...file, door: '127.0.0.1:1' })
    const away = await under('nightly', 'true', 'away.json').ended
    expect([away.code, away.err]).toEqual([
      75,
      expect.stringMatching(/^turnwise: no daemon can be reached at 127.0.0.1:1: /),
    ])
  })
})
