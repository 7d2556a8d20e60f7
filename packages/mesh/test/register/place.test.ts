import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http2'
import { type AddressInfo, connect, createServer as listenForBytes } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { freeAddress } from '@turnwise/fleet/ports'
import { describe, expect, onTestFinished, test } from 'vitest'
import { LONG } from '../../../../test/cut-proxy.ts'
import { join as joinMesh } from '../../src/join.ts'
import { NoQuorumError } from '../../src/locks/errors.ts'
import { readPlace } from '../../src/register/place.ts'
import { complaintOf, inTime } from '../../src/register/server-answers.ts'

const ALLOWED =
  'is not a place to meet: ./directory, /directory, file:///directory, postgres://user@host/database or etcd://host:port,host:port/prefix'

describe('a directory', () => {
  test.each([
    ['./locks', join(process.cwd(), 'locks')],
    ['../locks', join(dirname(process.cwd()), 'locks')],
    ['.', process.cwd()],
    ['/run/locks', '/run/locks'],
    ['file:///run/my%20locks', '/run/my locks'],
  ])('%s', (text, name) => {
    expect(readPlace(text)).toMatchObject({ engine: 'directory', name })
  })

  test('is opened, by its path and by its URL', async () => {
    const root = mkdtempSync(join(tmpdir(), 'tw-'))
    onTestFinished(() => rmSync(root, { recursive: true }))
    const one = await readPlace(root).open('mesh')
    const other = await readPlace(pathToFileURL(root).href).open('mesh')
    await one.cas('view', null, '1')
    expect(await other.read('view')).toMatchObject({ value: '1' })
    await Promise.all([one.close(), other.close()])
  })
})

describe('PostgreSQL and etcd, told without passwords', () => {
  test.each([
    ['postgres://me:hunter2@db:5433/app?sslmode=require', 'postgres', 'postgres://me@db:5433/app'],
    ['postgresql://db/app', 'postgres', 'postgres://db/app'],
    ['postgres:///app?host=/run/postgresql', 'postgres', 'postgres:///app'],
    ['etcd://10.0.0.7:2379/orders', 'etcd', 'etcd://10.0.0.7:2379/orders'],
    ['etcd://a,b:1,[::1]:2', 'etcd', 'etcd://a:2379,b:1,[::1]:2/turnwise'],
    ['etcd://me:hunter2@a/x/y/', 'etcd', 'etcd://me@a:2379/x/y'],
    ['etcds://me:hunt%ter2@a?ca=/ca.pem', 'etcd', 'etcds://me@a:2379/turnwise'],
  ])('%s', (text, engine, name) => {
    expect(readPlace(text)).toMatchObject({ engine, name })
  })

  test.each(['etcd://a:1/my orders', 'etcd://a:1/aufträge/{x}', 'etcd://a:1/x...y\n'])(
    '%j is the same place as a text and as a URL',
    (text) => {
      const { name } = readPlace(text)
      expect(readPlace(String(new URL(text))).name).toBe(name)
    },
  )

  test('what cannot be reached is told in one line', async () => {
    const nobody = await freeAddress()
    await expect(readPlace(`postgres://me:hunter2@${nobody}/app`).open('mesh', LONG)).rejects.toThrow(
      `PostgreSQL does not serve: connect ECONNREFUSED ${nobody}`,
    )
    await expect(readPlace(`etcd://me:hunter2@${nobody}`).open('mesh', LONG)).rejects.toThrow(
      `etcd does not answer: ${nobody}: connect ECONNREFUSED ${nobody}`,
    )
  })

  test('a server that repeats a password is not repeated', () => {
    expect(complaintOf(new Error('bad hunter2\n  or hunt%20er2'), ['hunter2', '', 'hunt%20er2'])).toBe(
      'bad *** or ***',
    )
    const several = new AggregateError([new Error('of hunter2'), new Error('no')])
    expect(complaintOf(several, ['hunter2'])).toBe('of ***, no')
  })

  test('a server that does not answer is given up', async () => {
    await expect(inTime(new Promise(() => {}), 20)).rejects.toThrow('no answer within 20 ms')
  })

  test('one that has answered while the program was busy is not', async () => {
    const server = listenForBytes((socket) => socket.write('here')).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause()
    await once(server, 'connection')
    const answer = inTime(once(client.resume(), 'data'), 20)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60)
    expect(String(await answer)).toBe('here')
    client.destroy()
    server.close()
  })
})

describe('what is no place gets one line', () => {
  test.each(['locks', '', 'localhost:7101', 'http://host/x', 'file:locks', 'mysql://host/x', '~/locks'])(
    '%j',
    (text) => {
      expect(() => readPlace(text)).toThrow(`"${text}" ${ALLOWED}`)
    },
  )

  test.each(['etcd://', 'etcd:///x', 'etcd://a,,b', 'etcd://a b', 'etcd://a?ca=/x', 'etcds://a?password=x'])(
    '%j',
    (text) => {
      expect(() => readPlace(text)).toThrow('etcds://host:port/prefix?ca=FILE&cert=FILE&key=FILE')
    },
  )

  test.each(['postgres://me:hunter2@db', 'postgres://me:hunter2@db/', 'postgres://me:hunter2@db?schema=x'])(
    '%j has no database: another role would have another one',
    (text) => {
      expect(() => readPlace(text)).toThrow(
        /^"postgres:\/\/\*\*\*@db[^"]*" names no database\. .*: write postgres:/,
      )
    },
  )

  test.each([
    ['etcd://a//x', 'two slashes'],
    ['etcd://a/x//', 'two slashes'],
    ['etcd://a/x/%2Fy', 'two slashes'],
    ['etcd://me:hunter2@a/x//y', 'two slashes'],
    ['etcd://a/x/../y', 'dots for a part'],
    ['etcd://a/.', 'dots for a part'],
    ['etcd://a/100%', 'an invalid code after %'],
  ])('%j has %s', (text, fault) => {
    expect(() => readPlace(text)).toThrow(/^"etcd:[^"]*" has [^:]* in its prefix$/)
    expect(() => readPlace(text)).toThrow(fault)
    expect(() => readPlace(text)).not.toThrow('hunter2')
  })

  test('Redis and NATS are told why', () => {
    expect(() => readPlace('redis://host')).toThrow(
      `"redis://host" ${ALLOWED}: a failover of Redis can lose what it acknowledged`,
    )
    expect(() => readPlace('nats://host')).toThrow('a failover of NATS can lose what it acknowledged')
  })

  test.each([
    'mysql://me:hunter2@host/x',
    'redis://:hunter2@host',
    'http://a@b:hunter2@host',
    'x://h?password=hunter2',
    'postgres://me:hunter2@ho st:x/app',
    'etcd://me:hunter2@a@b',
    'etcds://a?password=hunter2',
  ])('no password: %s', (text) => {
    expect(() => readPlace(text)).toThrow(ALLOWED)
    expect(() => readPlace(text)).not.toThrow('hunter2')
  })
})

describe('an engine that goes away while a process joins', () => {
  test("is none of the caller's mistakes", async () => {
    // What etcd answers if there is no such key; then nothing any more.
    let asked = 0
    const server = createServer()
    server.on('stream', (stream) => {
      asked += 1
      if (asked > 1) return stream.session?.destroy()
      stream.respond({ ':status': 200 }, { waitForTrailers: true })
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
      stream.end(Buffer.alloc(5))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const joining = joinMesh(`etcd://127.0.0.1:${port}/app`, { listen: '127.0.0.1:0' })
    await expect(joining).rejects.toThrow(NoQuorumError)
    expect(asked).toBeGreaterThan(1)
  })
})
