/** A look at a meeting place without a daemon: who is there, who holds, who waits. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join as pathOf } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { LONG } from '../../../../test/extent.ts'
import { placeAt, type Server, serverObstacle, startServer } from '../../../../test/servers.ts'
import { join } from '../../../mesh/src/join.ts'
import type { Mesh } from '../../../mesh/src/surface.ts'
import type { PlaceView } from '../../src/agent/place-view.ts'
import { turnwise } from '../cli/in-process.ts'
import { LEASE, Workplace } from './processes.ts'

const place = new Workplace()
let members: Mesh[] = []

afterEach(async () => {
  await Promise.all(members.map((member) => member.leave()))
  members = []
})
afterAll(() => place.clear())

async function member(at: string, id: string, more: object = {}): Promise<Mesh> {
  const mesh = await join({ at, id, lease: LEASE, quorumTimeout: 100, ...more })
  members.push(mesh)
  return mesh
}

async function look(...args: readonly string[]): Promise<PlaceView> {
  const { out, err } = await turnwise(['status', '--json', ...args])
  if (out === '') throw new Error(err.join(' '))
  return JSON.parse(out) as PlaceView
}

/** Every file and what is in it. Sockets have nothing. */
function contents(directory: string): Record<string, string> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true })
  return Object.fromEntries(
    files.map((file) => {
      const path = pathOf(file.parentPath, file.name)
      return [path, file.isFile() ? readFileSync(path, 'utf8') : '']
    }),
  )
}

describe('status at a directory', { timeout: 180_000 }, () => {
  test('where nobody has met, which stays so', async () => {
    const at = place.path('nowhere')
    for (const command of ['status', 'locks']) {
      const { code, err } = await turnwise([command, '--at', at])
      expect([code, err]).toEqual([75, [`turnwise: nobody has met at ${at} yet`]])
    }
    expect(existsSync(at)).toBe(false)
  })

  test('a file is no place, and nor is a path below it', async () => {
    const file = place.path('file')
    writeFileSync(file, '')
    for (const command of ['status', 'locks']) {
      for (const at of [file, `${file}/below`]) {
        const { code, err } = await turnwise([command, '--at', at])
        const line = `turnwise: processes cannot meet in the directory ${at}: ${at} is not a directory`
        expect([code, err]).toEqual([2, [line]])
      }
    }
  })

  test('tells who renews, and who has died, by the word of the kernel', async () => {
    const at = place.path('here')
    const one = await member(at, 'one')
    await member(at, 'two')
    const view = await look('--at', at)
    expect(view).toMatchObject({
      place: at,
      mesh: 'mesh',
      settings: { algorithm: 'token-queue', lease: LEASE },
    })
    expect(view.sessions.map(({ id, isMember, state }) => [id.split('.')[0], isMember, state])).toEqual([
      ['one', true, 'renews'],
      ['two', true, 'renews'],
    ])
    const { out } = await turnwise(['status', '--at', at])
    expect(out).toContain(
      `mesh "mesh" meets at ${at}\nview ${view.epoch}; token-queue, lease ${LEASE} ms, drift 0.002`,
    )
    expect(out).toMatch(new RegExp(`^${one.id} +member +renews its lease$`, 'm'))
  })

  test('where all have been killed it says so, and changes nothing', LONG, async () => {
    const at = place.path('dead')
    const holder = place.start('lock', 'x', '--at', at, '--', 'sh', '-c', 'echo in; exec sleep 1000')
    await holder.says(/in/)
    holder.kill('SIGKILL')
    await holder.code
    const before = contents(at)
    const { code, out } = await turnwise(['status', '--at', at])
    expect(code).toBe(0)
    expect(out).toContain('nobody is alive: the next process that joins begins a new view')
    expect(out).toMatch(/member +has not renewed its lease for/)
    const locks = await turnwise(['locks', '--at', at])
    expect(locks.out).toBe('nobody holds anything, nobody waits')
    expect(locks.err).toEqual(['no member is alive, so nobody holds anything'])
    expect(contents(at)).toEqual(before)
  })

  test('of a mesh by its name, or which there are', LONG, async () => {
    const at = place.path('several')
    await member(at, 'one', { mesh: 'orders' })
    await member(at, 'two', { mesh: 'Mail 2' })
    expect((await look('--at', at, '--mesh', 'Mail 2')).sessions).toHaveLength(1)
    const { code, err } = await turnwise(['status', '--at', at])
    expect(code).toBe(75)
    expect(err[0]).toMatch(
      /^turnwise: no mesh "mesh" has met at .*, only "(orders|Mail 2)", "(orders|Mail 2)": --mesh chooses one$/,
    )
  })
})

/** What is held and waited for is told by the members. The mesh has another lease than the default: who comes for a moment takes it. */
async function expectLocks(at: string, more: object): Promise<void> {
  const [one, two] = [await member(at, 'one', more), await member(at, 'two', more)]
  const held = await one.locks.acquire('x')
  const waiting = two.locks.acquire('x')
  const { code, out } = await turnwise(['locks', '--json', '--at', at, '--mesh', 'jobs'])
  expect(code).toBe(0)
  const { names } = JSON.parse(out)
  expect(names).toMatchObject([{ name: 'x', holders: [{ node: one.id }], waiters: [{ node: two.id }] }])
  held.release()
  ;(await waiting).release()
  const words = await turnwise(['lock', 'x', '--at', at, '--mesh', 'jobs', '--', 'true'])
  expect(words).toMatchObject({ code: 0, err: [] })
}

test('locks at a directory', { timeout: 180_000 }, () => expectLocks(place.path('locks'), { mesh: 'jobs' }))

test('who watches sees what changes, and leaves in good order', { ...LONG, timeout: 180_000 }, async () => {
  const at = place.path('watched')
  const one = await member(at, 'one')
  const looks = place.start('locks', '--watch', '100ms', '--json', '--at', at)
  const lines = () => looks.out.split('\n').slice(0, -1)
  const seen = () => lines().map((line) => JSON.parse(line).names.length)
  await expect.poll(seen).toContain(0)
  const held = await one.locks.acquire('x')
  await expect.poll(() => seen().at(-1)).toBe(1)
  held.release()
  await expect.poll(() => seen().at(-1)).toBe(0)
  looks.kill('SIGTERM')
  expect(await looks.code).toBe(143)
  const { sessions } = await look('--at', at)
  expect(sessions.map(({ id }) => id)).toEqual([one.id])
})

const ENGINES = ['postgresql', 'etcd'] as const

for (const name of ENGINES) {
  const obstacle = serverObstacle(name)
  if (obstacle !== null) console.log(`left out: a look at ${name}; ${obstacle}`)

  describe.skipIf(obstacle !== null)(`a look at ${name}`, { timeout: 180_000 }, () => {
    let server: Server | null = null

    afterAll(() => server?.end())

    test('nobody yet, then the members, and what they hold', LONG, async () => {
      server = await startServer(name, place.directory)
      const at = placeAt(name, `127.0.0.1:${server.port}`)
      const told = new RegExp(`^turnwise: nobody has met at ${at.replace(/[/.]/g, '\\$&')} yet$`)
      expect((await turnwise(['status', '--at', at])).err[0]).toMatch(told)
      // Twice: the first look has made nothing.
      expect((await turnwise(['status', '--at', at])).err[0]).toMatch(told)
      await expectLocks(at, { mesh: 'jobs', listen: '127.0.0.1:0' })
      const { sessions } = await look('--at', at, '--mesh', 'jobs')
      const known = sessions
        .filter(({ isMember }) => isMember)
        .map(({ id, state }) => [id.split('.')[0], state])
      expect(known).toEqual(
        expect.arrayContaining([
          ['one', 'renews'],
          ['two', 'renews'],
        ]),
      )
      expect((await turnwise(['status', '--at', at])).err[0]).toContain('only "jobs": --mesh chooses one')
    })
  })
}
