import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { type Disk, memoryDisk } from '../../src/disk/disk.ts'
import { assemble, join } from '../../src/join.ts'
import { freeAddress } from '../free-address.ts'
import { LEASE, memoryHub, starter } from '../meshes.ts'
import { hold, reasonOf } from '../web-locks/worlds.ts'
import { LogBook } from './log-book.ts'

afterEach(() => vi.restoreAllMocks())

test('joined, and the views that come', async () => {
  const log = new LogBook()
  const mesh = await join({ log })
  expect((await log.says('joined')).details).toEqual({
    node: 'alone',
    epoch: 1,
    members: ['alone'],
    voters: ['alone'],
  })
  await mesh.forget()
  while (mesh.metrics().views < 2) await mesh.pause()
  const views = log.entries.filter(({ event }) => event === 'view')
  expect(views.map(({ level, details }) => [level, details['epoch']])).toEqual([
    ['info', 1],
    ['info', 2],
  ])
  await mesh.leave()
})

test('whoever is cut off loses its lease and its locks, and says so; the others miss it', async () => {
  const ids = ['a', 'b', 'c']
  const hub = memoryHub(ids)
  const log = new LogBook()
  const start = starter({ ids, voters: ids, hub, log })
  const [a, b, c] = await Promise.all(ids.map(start))
  const victim = hold(a.locks, 'orders:1')
  await victim.entered
  for (const other of ['b', 'c']) {
    hub.cut('a', other)
    hub.cut(other, 'a')
  }
  await reasonOf(victim.settled)
  const lost = await log.says('lock lost', 'a')
  expect(lost).toMatchObject({ level: 'warn', details: { name: 'orders:1', reason: 'lapsed' } })
  expect(lost.details['held']).toBeGreaterThan(0)
  expect(await log.says('lease lost', 'a')).toMatchObject({
    level: 'warn',
    details: { reason: 'not-renewed' },
  })
  while (!a.status.missing.includes('b')) await a.pause()
  expect(log.entries).toContainEqual(expect.objectContaining({ event: 'voters', level: 'info' }))
  expect(a.metrics().leaseLosses).toBe(1)
  expect(a.metrics().prefixes).toMatchObject([{ losses: { lapsed: 1, stolen: 0 } }])
  await Promise.all([a, b, c].map((mesh) => mesh.leave()))
})

test('a lock that is stolen', async () => {
  const log = new LogBook()
  const mesh = await join({ log })
  const victim = hold(mesh.locks, 'x')
  await victim.entered
  ;(await mesh.locks.acquire('x', { steal: true })).release()
  await reasonOf(victim.settled)
  expect(await log.says('lock stolen')).toMatchObject({
    level: 'warn',
    details: { name: 'x', reason: 'stolen' },
  })
  await mesh.leave()
})

test('a clock that jumps', async () => {
  const log = new LogBook()
  const mesh = await join({ log })
  const wall = Date.now()
  vi.spyOn(Date, 'now').mockReturnValue(wall + 3_600_000)
  expect(await log.says('clock jumped')).toMatchObject({ level: 'warn', details: { reason: 'clock-jump' } })
  vi.restoreAllMocks()
  expect(mesh.metrics().clockJumps).toBeGreaterThanOrEqual(1)
  await mesh.leave()
})

test('a disk that fails', async () => {
  const log = new LogBook()
  const id = 'a'
  const disk: Disk = { ...memoryDisk(), persist: () => Promise.reject(new Error('no space left on device')) }
  const config = {
    peers: [id],
    voters: [id],
    settings: { algorithm: 'carvalho-roucairol', lease: LEASE, drift: 0.002 },
    firstStart: [id],
    roundTrip: 5,
  }
  const transport = memoryHub([id]).transport(id)
  await reasonOf(assemble({ id, config, transport, disk, log, timeout: 5000 }))
  expect(await log.says('disk failed')).toMatchObject({
    level: 'error',
    details: { node: id, reason: 'disk-failed', message: 'no space left on device' },
  })
})

test.each([true, false])('a peer that is refused, with the lease thread: %s', async (thread) => {
  const directory = mkdtempSync(path.join(tmpdir(), 'turnwise-'))
  const log = new LogBook()
  const peers = { a: await freeAddress(), b: await freeAddress() }
  const joining = Promise.all(
    ['a', 'b'].map((id) => {
      const stateDir = path.join(directory, id)
      const options = { id, peers, stateDir, lease: 400, firstStart: true, thread, timeout: 2000 }
      return reasonOf(join({ ...options, log, secret: `of the mesh that ${id} is in` }))
    }),
  )
  const refused = await log.says('peer refused')
  expect(refused).toMatchObject({
    level: 'warn',
    details: { epoch: null, reason: expect.stringContaining('do not have the same secret') as string },
  })
  expect(await log.says('refused by peer')).toMatchObject({
    level: 'warn',
    details: { reason: expect.stringContaining('do not have the same secret') as string },
  })
  await joining
  rmSync(directory, { recursive: true })
})

test('a function is told lines, and of trouble only', async () => {
  const lines: string[] = []
  const mesh = await join({ log: (line) => void lines.push(line) })
  const victim = hold(mesh.locks, 'x')
  await victim.entered
  ;(await mesh.locks.acquire('x', { steal: true })).release()
  await reasonOf(victim.settled)
  await mesh.leave()
  expect(lines).toEqual(['"x" is stolen'])
})
