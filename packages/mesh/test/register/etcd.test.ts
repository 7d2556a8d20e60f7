import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { get } from '@turnwise/core/bounds'
import { freeAddress } from '@turnwise/fleet/ports'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cutProxy, LONG } from '../../../../test/cut-proxy.ts'
import { extent, LONG as FAR, isWhole } from '../../../../test/extent.ts'
import { atLeast } from '../../../../test/present.ts'
import { type Server, serverObstacle, startServer } from '../../../../test/servers.ts'
import { registerContract } from '../../src/register/contract.ts'
import { readPlace } from '../../src/register/place.ts'
import type { Register } from '../../src/register/register.ts'
import { Load } from './load.ts'

const obstacle = serverObstacle('etcd')
if (obstacle !== null) console.log(`left out: etcd as a register; ${obstacle}`)

/** Elections are quick, so that the tests are. */
const QUICK = { 'heartbeat-interval': '50', 'election-timeout': '500' }

/** Of HTTP/2: the header of a frame has its length first, then its kind. */
const FRAME_HEADER = 9
const HEADERS = 1

/** Before it answers, a server confirms what it has received. It gives a call up whose connection has ended by then. */
function hasHeaders(bytes: Buffer): boolean {
  for (let at = 0; at + FRAME_HEADER <= bytes.length; at += FRAME_HEADER + bytes.readUIntBE(at, 3))
    if (bytes[at + 3] === HEADERS) return true
  return false
}

describe.skipIf(obstacle !== null)('etcd', () => {
  let folder = ''
  let server: Server
  const servers: Server[] = []
  const opened: Register[] = []

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tw-'))
    server = await start('alone', QUICK)
  })

  afterAll(async () => {
    await Promise.all(opened.map((register) => register.close()))
    await Promise.all(servers.map((each) => each.end()))
    rmSync(folder, { recursive: true, force: true })
  })

  async function start(name: string, settings: Readonly<Record<string, string>>): Promise<Server> {
    const own = join(folder, name)
    mkdirSync(own)
    const started = await startServer('etcd', own, settings)
    servers.push(started)
    return started
  }

  async function open(place: string, mesh = 'mesh'): Promise<Register> {
    const register = await readPlace(place).open(mesh, LONG)
    opened.push(register)
    return register
  }

  const at = (port: number) => `etcd://127.0.0.1:${port}/tests`

  registerContract((mesh) => open(at(server.port), mesh), { test, rounds: isWhole ? 100 : 10 })

  test('prefixes keep places apart', async () => {
    const [one, other] = atLeast(
      2,
      await Promise.all(['a', 'a/b'].map((path) => open(`etcd://127.0.0.1:${server.port}/${path}`))),
    )
    await one.cas('view', null, '1')
    expect(await other.list('')).toEqual(new Map())
  })

  test.each([
    ['a/b', 'rows', 'b', 'a'],
    ['a/b/rows', 'mesh', 'b', 'a'],
    ['x/a/b', 'rows', 'b', 'x/a'],
  ])(
    'at the prefix %s the mesh %s is refused, because its keys would be rows of another mesh',
    async (path, mesh, other, above) => {
      await expect(open(`etcd://127.0.0.1:${server.port}/${path}`, mesh)).rejects.toThrow(
        `etcd would take keys of the mesh "${mesh}" at the prefix "${path}" for rows of the mesh "${other}" at the prefix "${above}": choose another name or prefix`,
      )
    },
  )

  test.each([
    ['a', 'rows'],
    ['rows', 'rows'],
    ['a/rows', 'mesh'],
  ])('at the prefix %s the mesh %s is apart from all others', async (path, mesh) => {
    await expect(open(`etcd://127.0.0.1:${server.port}/${path}`, mesh)).resolves.toBeDefined()
  })

  test.each(['question', 'answer'] as const)(
    'a connection that is cut in the middle of the %s leaves it unknown',
    async (what) => {
      const proxy = await cutProxy(server.port, hasHeaders)
      const sure = await open(at(server.port), `cut-${what}`)
      const register = await open(at(proxy.port), `cut-${what}`)
      expect(await register.cas('view', null, '"before"')).toMatchObject({ kind: 'done' })
      const cell = await sure.read('view')
      proxy.cutNext(what, '"after"')
      expect(await register.cas('view', cell?.version ?? null, '"after"')).toMatchObject({
        kind: 'unknown',
        why: expect.stringContaining(`etcd: 127.0.0.1:${proxy.port}: `),
      })
      const value = what === 'question' ? '"before"' : '"after"'
      await expect.poll(async () => (await sure.read('view'))?.value).toBe(value)
      expect(await register.read('view')).toMatchObject({ value })
      await proxy.close()
    },
  )

  test('killed and started again under load, it keeps all that it acknowledged', async () => {
    const writers = await Promise.all(Array.from({ length: 3 }, () => open(at(server.port), 'load')))
    const load = await Load.begin(writers)
    for (let round = 0; round < extent(1, 2, 10); round += 1) {
      await load.goesOn()
      await server.end()
      await expect(get(writers, 0).read('view')).rejects.toThrow('etcd does not answer')
      expect(await get(writers, 0).cas('view', '1', '1')).toMatchObject({ kind: 'unknown' })
      await server.restart()
    }
    await load.goesOn()
    await load.end()
  })

  describe('two servers that are no cluster', () => {
    const nameOf = ({ port }: Server) => `127.0.0.1:${port}`
    const both = (...two: Server[]) => `etcd://${two.map(nameOf).join()}/tests`
    const refused = (...two: Server[]) =>
      `${two.map(nameOf).join(' and ')} are not members of one etcd cluster: name the members of one cluster, and no others`

    test('are refused', async () => {
      const foreign = await start('foreign', QUICK)
      await expect(open(both(server, foreign))).rejects.toThrow(refused(server, foreign))
    })

    test('also if they were set up alike: what one has written, the other does not know', async () => {
      const url = 'http://localhost:2380'
      const alike = {
        ...QUICK,
        name: 'twin',
        'initial-advertise-peer-urls': url,
        'initial-cluster': `twin=${url}`,
      }
      const [one, other] = await Promise.all(['one', 'other'].map((name) => start(name, alike)))
      const twins = atLeast(
        2,
        [one, other].filter((each) => each !== undefined),
      )
      const register = await open(at(twins[0].port))
      expect(await register.cas('view', null, '1')).toMatchObject({ kind: 'done' })
      await expect(open(both(...twins))).rejects.toThrow(refused(...twins))
    })

    test('and one that was away at first is not believed', async () => {
      const foreign = await start('away', QUICK)
      // One that is killed before it has served never serves again.
      await open(at(foreign.port))
      await foreign.end()
      const register = await open(both(server, foreign), 'away')
      expect(await register.cas('view', null, '1')).toMatchObject({ kind: 'done' })
      await server.end()
      await foreign.restart()
      await expect(register.read('view')).rejects.toThrow(
        `${nameOf(foreign)} is in another cluster than ${nameOf(server)}`,
      )
      await foreign.end()
      await server.restart()
      await expect.poll(() => register.read('view').catch(() => null)).toMatchObject({ value: '1' })
    })
  })

  describe('of three members', () => {
    const names = ['k1', 'k2', 'k3']
    let all: readonly Server[] = []

    beforeAll(async () => {
      const urls = await Promise.all(names.map(async () => `http://${await freeAddress()}`))
      const cluster = names.map((each, k) => `${each}=${urls[k]}`).join(',')
      const settings = (name: string, url: string) => ({
        ...QUICK,
        name,
        'listen-peer-urls': url,
        'initial-advertise-peer-urls': url,
        'initial-cluster': cluster,
      })
      all = await Promise.all(names.map((name, i) => start(name, settings(name, get(urls, i)))))
    })

    const atAll = () => `etcd://${all.map(({ port }) => `127.0.0.1:${port}`).join(',')}/tests`

    test('one after the other is killed, the leader too, and the register serves', async () => {
      const load = await Load.begin(await Promise.all(names.map(() => open(atAll(), 'load'))))
      for (const member of all) {
        await load.goesOn()
        await member.end()
        await load.goesOn()
        await member.restart()
      }
      await load.end()
    })

    // etcd gives a call up after some seconds.
    test('one that is apart from the others, and was behind, answers nothing', FAR, async () => {
      const [apart, ...others] = atLeast(1, all)
      const register = await open(atAll(), 'apart')
      const alone = await open(at(apart.port), 'apart')
      const made = await register.cas('view', null, '"before"')
      const version = made.kind === 'done' ? made.version : null
      await expect.poll(() => alone.read('view').catch(() => null)).toMatchObject({ value: '"before"' })
      apart.stop()
      const after = await open(
        `etcd://${others.map(({ port }) => `127.0.0.1:${port}`).join(',')}/tests`,
        'apart',
      )
      await expect
        .poll(async () => (await after.cas('view', version, '"after"')).kind, { timeout: 60_000 })
        .toMatch(/done|refused/)
      expect(await after.read('view')).toMatchObject({ value: '"after"' })
      for (const other of others) other.stop()
      apart.continue()
      await expect(alone.read('view')).rejects.toThrow('etcd does not')
      await expect(alone.list('')).rejects.toThrow('etcd does not')
      expect(await alone.cas('view', version, '"late"')).toMatchObject({ kind: 'unknown' })
      for (const other of others) other.continue()
      await expect
        .poll(() => alone.read('view').catch(() => null), { timeout: 60_000 })
        .toMatchObject({ value: '"after"' })
    })
  })

  describe('with users', () => {
    const place = (port: number, password: string) => `etcd://root:${password}@127.0.0.1:${port}/tests`
    let guarded: Server

    beforeAll(async () => {
      guarded = await start('guarded', QUICK)
      const ask = (call: string, body: object) =>
        fetch(`http://127.0.0.1:${guarded.port}/v3/auth/${call}`, {
          method: 'POST',
          body: JSON.stringify(body),
        })
      await ask('user/add', { name: 'root', password: 'hun/ter 2' })
      await ask('role/add', { name: 'root' })
      await ask('user/grant', { user: 'root', role: 'root' })
      await ask('enable', {})
    })

    test('a client with the password is let in, and again after the server forgot', async () => {
      const register = await open(place(guarded.port, 'hun%2Fter%202'))
      expect(await register.cas('view', null, '1')).toMatchObject({ kind: 'done' })
      await guarded.end()
      await guarded.restart()
      expect(await register.read('view')).toMatchObject({ value: '1' })
      expect(await register.cas('rows/a', null, '1')).toMatchObject({ kind: 'done' })
    })

    test('nobody else, and no password is told', async () => {
      await expect(open(place(guarded.port, 'wrong'))).rejects.toThrow(
        'etcd does not answer: etcdserver: authentication failed, invalid user ID or password',
      )
      await expect(open(at(guarded.port))).rejects.toThrow(
        'etcd does not answer: etcdserver: user name is empty',
      )
      expect(readPlace(place(guarded.port, 'secret')).name).toBe(
        `etcd://root@127.0.0.1:${guarded.port}/tests`,
      )
    })
  })

  test('by TLS, with a certificate of its own', async () => {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    const made = [
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '2',
      '-subj',
      '/CN=etcd',
    ]
    execFileSync(
      'openssl',
      ['req', '-x509', ...made, '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert],
      { stdio: 'ignore' },
    )
    const { port } = await start('tls', {
      ...QUICK,
      'cert-file': cert,
      'key-file': key,
      'trusted-ca-file': cert,
      'client-cert-auth': 'true',
    })
    const place = `etcds://127.0.0.1:${port}/tests`
    const register = await open(`${place}?ca=${cert}&cert=${cert}&key=${key}`)
    expect(await register.cas('view', null, '1')).toMatchObject({ kind: 'done' })
    await expect(open(place)).rejects.toThrow('etcd does not answer')
    await expect(open(`${place}?ca=${cert}`)).rejects.toThrow('etcd does not answer')
    await expect(open(at(port))).rejects.toThrow('etcd does not answer')
    await expect(open(`${place}?ca=/none.pem`)).rejects.toThrow('the file /none.pem cannot be read: ENOENT')
  })
})
