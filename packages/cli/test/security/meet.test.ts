/** Members that meet at an engine prove to each other who they are: with the secret that the engine keeps, one of their own, or certificates. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freeAddress } from '@turnwise/fleet/ports'
import { Relay } from '@turnwise/fleet/relay'
import type { Mesh } from '@turnwise/mesh/surface'
import { type JoinOptions, join } from 'turnwise'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Server, serverObstacle, startServer } from '../../../../test/servers.ts'
import { turnwise } from '../cli/in-process.ts'

const obstacle = serverObstacle('etcd')
if (obstacle !== null) console.log(`left out: what members at an engine prove; ${obstacle}`)

describe.skipIf(obstacle !== null)('members that meet at etcd', { timeout: 180_000 }, () => {
  let folder = ''
  let server: Server
  let meshes = 0
  let members: Mesh[] = []
  let said: string[] = []
  const keys = (id: string) => {
    const file = (name: string) => path.join(folder, 'keys', name)
    return { ca: file('ca.crt'), cert: file(`${id}.crt`), key: file(`${id}.key`) }
  }

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'tw-'))
    server = await startServer('etcd', folder)
    expect((await turnwise(['keys', '--nodes', 'a,b', '--out', path.join(folder, 'keys')])).code).toBe(0)
  }, 180_000)

  beforeEach(() => {
    said = []
    meshes += 1
  })

  afterEach(async () => {
    await Promise.all(members.map((mesh) => mesh.leave()))
    members = []
  })

  afterAll(async () => {
    await server?.end()
    rmSync(folder, { recursive: true, force: true })
  })

  async function member(options: JoinOptions): Promise<Mesh> {
    const mesh = await join(`etcd://127.0.0.1:${server.port}/m${meshes}`, {
      lease: 30_000,
      listen: '127.0.0.1:0',
      log: (line) => said.push(line),
      ...options,
    })
    members.push(mesh)
    return mesh
  }

  async function takeTurns(all: readonly Mesh[]): Promise<void> {
    for (const mesh of all) expect(await mesh.locks.request('x', ({ fence }) => fence > 0n)).toBe(true)
  }

  test('with certificates: the name before the session counts, and several may share it', async () => {
    const all = [
      await member({ id: 'a', tls: keys('a') }),
      await member({ id: 'a', tls: keys('a') }),
      await member({ id: 'b', tls: keys('b') }),
    ]
    await takeTurns(all)
  })

  const strangers = [
    ['has no certificate', {}],
    ['has another secret', { secret: 'the secret of others' }],
  ] as const
  for (const [what, options] of strangers) {
    test(`one that reads the register and ${what} does not come in`, async () => {
      const inside = {
        id: 'a',
        ...('secret' in options ? { secret: 'our own secret!!' } : { tls: keys('a') }),
      }
      const first = await member(inside)
      await expect(member({ ...options, timeout: 2000 })).rejects.toThrow(
        'the members of the view do not answer',
      )
      expect(said.join('\n')).toMatch(/refused|cannot reach|no TLS handshake/)
      expect(first.status.members).toHaveLength(1)
      await member(inside)
      await takeTurns(members)
    })
  }

  test('a certificate of another name is refused before anything is opened', async () => {
    await expect(member({ id: 'b', tls: keys('a') })).rejects.toThrow(
      'tls.cert is the certificate of turnwise://mesh/a, but this node is turnwise://mesh/b',
    )
    await expect(member({ tls: keys('a') })).rejects.toThrow('tls needs the id of this node')
  })

  test('others dial what a member advertises, wherever it listens', async () => {
    const listen = await freeAddress()
    let dialled = 0
    const relay = await Relay.open(() => {
      dialled += 1
      return listen
    })
    const first = await member({ id: 'a', listen, advertise: relay.address })
    await takeTurns([first, await member({ id: 'b' })])
    expect(dialled).toBeGreaterThan(0)
    relay.close()
  })
})
