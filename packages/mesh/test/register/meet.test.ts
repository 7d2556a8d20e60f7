/** Members that meet at a real PostgreSQL and a real etcd: the engine is asked for views and leases, and never for a turn. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join as pathOf } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { atLeast } from '../../../../test/present.ts'
import { placeAt, type Server, serverObstacle, startServer } from '../../../../test/servers.ts'
import { join } from '../../src/join.ts'
import { readPlace } from '../../src/register/place.ts'
import type { Mesh } from '../../src/surface.ts'
import { pgClient } from '../pg.ts'

/** So long that no busy machine lets it lapse. */
const LONG = 30_000

const ENGINES = ['postgresql', 'etcd'] as const

for (const name of ENGINES) {
  const obstacle = serverObstacle(name)
  if (obstacle !== null) console.log(`left out: members that meet at ${name}; ${obstacle}`)

  describe.skipIf(obstacle !== null)(`members that meet at ${name}`, { timeout: 180_000 }, () => {
    let folder = ''
    let server: Server
    let meshes = 0
    let members: Mesh[] = []

    beforeAll(async () => {
      folder = mkdtempSync(pathOf(tmpdir(), 'tw-'))
      server = await startServer(name, folder)
      await up()
    }, 180_000)

    afterEach(async () => {
      await Promise.all(members.map((mesh) => mesh.leave()))
      members = []
      meshes += 1
    })

    afterAll(async () => {
      await server?.end()
      rmSync(folder, { recursive: true, force: true })
    })

    /** It listens before it answers. */
    function up(): Promise<void> {
      const answers = async () => {
        const register = await readPlace(placeAt(name, `127.0.0.1:${server.port}`)).open('up')
        await register.read('view')
        await register.close()
      }
      return vi.waitFor(answers, { timeout: 60_000 })
    }

    async function member(lease: number): Promise<Mesh> {
      const mesh = await join(placeAt(name, `127.0.0.1:${server.port}`), {
        mesh: `m${meshes}`,
        lease,
        listen: '127.0.0.1:0',
        quorumTimeout: 100,
      })
      members.push(mesh)
      return mesh
    }

    /** Another place with the same cells, as after a backup was restored elsewhere. */
    async function copied(mesh: string): Promise<string> {
      const place = placeAt(name, `127.0.0.1:${server.port}`)
      const copy = place.replace(/[^/]*$/, 'copy')
      if (name === 'postgresql') {
        const client = pgClient({ connectionString: place })
        await client.connect()
        await client.query('create database copy')
        await client.end()
      }
      const [from, to] = atLeast(
        2,
        await Promise.all([place, copy].map((text) => readPlace(text).open(mesh))),
      )
      for (const [cell, { value }] of await from.list('')) await to.cas(cell, null, value)
      await Promise.all([from.close(), to.close()])
      return copy
    }

    async function until(isSo: () => boolean): Promise<void> {
      while (!isSo()) await new Promise((resolve) => void setTimeout(resolve, 10))
    }

    test('they take turns', async () => {
      const all = [await member(LONG), await member(LONG), await member(LONG)]
      await until(() => all.every((mesh) => mesh.status.members.length === 3))
      let inside = 0
      const fences: bigint[] = []
      const turn = (mesh: Mesh) =>
        mesh.locks.request('L', async (lock) => {
          inside += 1
          expect(inside).toBe(1)
          fences.push(lock.fence)
          await new Promise((resolve) => void setImmediate(resolve))
          inside -= 1
        })
      await Promise.all(all.flatMap((mesh) => [turn(mesh), turn(mesh)]))
      expect(fences).toEqual(fences.toSorted((a, b) => (a < b ? -1 : 1)))
      expect(fences).toHaveLength(6)
    })

    test('the engine is killed and restarted within a lease: no lock is lost, and nobody waits for it', async () => {
      const [a, b] = [await member(LONG), await member(LONG)]
      await until(() => a.status.members.length === 2 && b.status.members.length === 2)
      const held = await a.locks.acquire('L', { waitForQuorum: true })
      await server.end()
      const other = await b.locks.acquire('M', { waitForQuorum: true })
      other.release()
      await server.restart()
      await up()
      expect(held.signal.aborted).toBe(false)
      const next = b.locks.acquire('L', { waitForQuorum: true })
      held.release()
      const after = await next
      after.release()
    })

    test('who meets at a copy of the register is let in by nobody, and disturbs nobody', async () => {
      const [a, b] = [await member(LONG), await member(LONG)]
      await until(() => a.status.members.length === 2 && b.status.members.length === 2)
      const { members: before, epoch } = a.status
      const copy = await copied(`m${meshes}`)
      const options = { mesh: `m${meshes}`, lease: LONG, listen: '127.0.0.1:0', timeout: 6000 }
      await expect(join(copy, options)).rejects.toThrow('the members of the view do not answer')
      expect(a.status).toMatchObject({ members: before, epoch })
      const third = await member(LONG)
      await until(() => third.status.members.length === 3)
    })

    test('all cells are deleted: the members come back, and others can join', async () => {
      const [a, b] = [await member(3000), await member(3000)]
      const before = [a.id, b.id]
      const register = await readPlace(placeAt(name, `127.0.0.1:${server.port}`)).open(`m${meshes}`)
      for (const [cell, { version }] of await register.list('')) await register.cas(cell, version, null)
      await register.close()
      await until(() => [a, b].every((mesh, i) => mesh.id !== before[i] && mesh.status.leaseLeft > 0))
      const third = await member(3000)
      await until(() => [a, b, third].every((mesh) => mesh.status.members.length === 3))
    })

    test('of all that fire one runs the job, and the engine remembers it', async () => {
      const all = [await member(LONG), await member(LONG)]
      const time = Date.now()
      const results = await Promise.all(all.map((mesh) => mesh.once('job', time, () => mesh.id)))
      const [{ value }, ...others] = atLeast(
        1,
        results.flatMap((result) => (result.ran ? [result] : [])),
      )
      expect(others).toEqual([])
      await Promise.all(all.map((mesh) => mesh.leave()))
      members = []
      const late = await (await member(LONG)).once('job', time, () => {})
      expect(late).toEqual({ ran: false, by: value, at: expect.any(Date), finished: true })
    })

    test('it is away for longer: what was held is lost, and everything comes back by itself', async () => {
      const [a, b] = [await member(3000), await member(3000)]
      await until(() => a.status.members.length === 2 && b.status.members.length === 2)
      const held = await a.locks.acquire('L', { waitForQuorum: true })
      await server.end()
      await until(() => held.signal.aborted)
      // M13: with what the register answered, or that it did not.
      const why = /no lease for \d+ ms: (?!the register answers)/
      await expect(a.locks.acquire('M')).rejects.toThrow(why)
      await server.restart()
      await up()
      const again = await b.locks.acquire('L', { waitForQuorum: true })
      expect(again.fence).toBeGreaterThan(held.fence)
      again.release()
    })
  })
}
