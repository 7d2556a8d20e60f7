import { get } from '@turnwise/core/bounds'
import { afterEach, expect, test, vi } from 'vitest'
import { atLeast, present } from '../../../../test/present.ts'
import { assemble } from '../../src/assemble.ts'
import { type Disk, memoryDisk } from '../../src/disk/disk.ts'
import { joinNode } from '../../src/join.ts'
import { Journal } from '../../src/observe/journal.ts'
import { createCodec } from '../../src/transport/codec.ts'
import { TcpTransport } from '../../src/transport/tcp.ts'
import { LEASE, memoryHub, starter } from '../meshes.ts'
import { hold, reasonOf } from '../web-locks/worlds.ts'
import { LogBook } from './log-book.ts'
import '../../check/texts.ts'

afterEach(() => vi.restoreAllMocks())

test('joined, and the views that come', async () => {
  const log = new LogBook()
  const mesh = await joinNode({ log })
  const first = mesh.status.epoch ?? 0
  expect((await log.says('joined')).details).toEqual({
    node: 'alone',
    epoch: first,
    members: ['alone'],
    voters: ['alone'],
  })
  await mesh.forget()
  while (mesh.metrics().views < 2) await mesh.pause()
  const views = log.entries.filter(({ event }) => event === 'view')
  expect(views.map(({ level, details }) => [level, details['epoch']])).toEqual([
    ['info', first],
    ['info', first + 1],
  ])
  await mesh.leave()
})

test('a node that is cut off loses its lease and its locks, and says so; the others miss it', async () => {
  const ids = ['a', 'b', 'c']
  const hub = memoryHub(ids)
  const log = new LogBook()
  const start = starter({ ids, voters: ids, hub, log })
  const [a, b, c] = atLeast(3, await Promise.all(ids.map(start)))
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
  expect(a.metrics().leaseLosses).toBeGreaterThanOrEqual(1)
  expect(a.metrics().prefixes).toMatchObject([{ losses: { lapsed: 1, stolen: 0 } }])
  await Promise.all([a, b, c].map((mesh) => mesh.leave()))
})

test('a lease that ended and was renewed between two ticks is counted as lost', () => {
  const log = new LogBook()
  const journal = new Journal('a', log)
  journal.renewed(100)
  journal.lost('=orders', 'lapsed', 5)
  journal.renewed(100)
  expect(journal.meters.leaseLosses).toBe(1)
  expect(log.entries.map(({ event }) => event)).toEqual([
    'lease valid',
    'lease lost',
    'lock lost',
    'lease valid',
  ])
})

test('of very many that are lost together some are named, and the others counted', () => {
  const log = new LogBook()
  const journal = new Journal('a', log)
  for (let i = 0; i < 130; i += 1) journal.lost(`=orders:${i}`, 'lapsed', 5)
  journal.ticked(0)
  journal.ticked(0)
  journal.lost('=orders:130', 'lapsed', 5)
  const events = log.entries.map(({ event }) => event)
  expect(events).toEqual([...Array.from({ length: 100 }, () => 'lock lost'), 'more locks lost', 'lock lost'])
  expect(log.entries[100]).toMatchObject({ level: 'warn', details: { count: 30 } })
  expect(journal.meters.of('=orders:1').losses).toEqual({ lapsed: 131, stolen: 0 })
})

test('a lock that is stolen', async () => {
  const log = new LogBook()
  const mesh = await joinNode({ log })
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
  const start = starter({ ids: ['a', 'b'], voters: ['a', 'b'], log })
  const [mesh, other] = atLeast(2, await Promise.all(['a', 'b'].map(start)))
  const wall = Date.now()
  vi.spyOn(Date, 'now').mockReturnValue(wall + 3_600_000)
  expect(await log.says('clock jumped')).toMatchObject({ level: 'warn', details: { reason: 'clock-jump' } })
  vi.restoreAllMocks()
  expect(mesh.metrics().clockJumps + other.metrics().clockJumps).toBeGreaterThanOrEqual(1)
  await Promise.all([mesh.leave(), other.leave()])
})

test('epochs that run out, years before they do', async () => {
  const log = new LogBook()
  const journal = new Journal('a', log)
  const view = { voters: [], oldVoters: null, members: [] }
  const settings = { algorithm: 'carvalho-roucairol', lease: LEASE, drift: 0.002 }
  for (const epoch of [17, 51_539_607_551, 51_539_607_552, 51_539_607_553])
    journal.begun({ ...view, epoch, settings, table: {} })
  expect(log.entries.filter(({ event }) => event === 'epochs run out')).toMatchObject([
    { level: 'warn', details: { promised: 51_539_607_552, last: 68_719_476_735 } },
  ])
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

test('a peer that is refused, at both ends', async () => {
  const log = new LogBook()
  const codec = createCodec({ algorithm: 'carvalho-roucairol', nodes: 2 })
  const nowhere = { host: '127.0.0.1', port: 1 }
  const peers = new Map(['a', 'b'].map((id) => [id, nowhere]))
  const journals = ['a', 'b'].map((id) => new Journal(id, log))
  const transports = ['a', 'b'].map((id, i) => {
    const security = { secret: `of the mesh that ${id} is in`, tls: null }
    const listen = { host: '127.0.0.1', port: 0 }
    return new TcpTransport({
      id,
      mesh: 'x',
      listen,
      peers,
      codec,
      security,
      log: get(journals, i).connection,
      refused: get(journals, i).refused,
    })
  })
  const receiver = { receive: () => {}, connected: () => {}, disconnected: () => {} }
  for (const [i, transport] of transports.entries()) {
    await transport.start(receiver)
    peers.set(present('ab'[i]), transport.address)
  }
  const reason = expect.stringContaining('have different secrets') as string
  const refused = await log.says('peer refused')
  expect(refused).toMatchObject({ level: 'warn', details: { epoch: null, reason } })
  expect(await log.says('refused by peer')).toMatchObject({ level: 'warn', details: { reason } })
  // Both dial again and again. The figure counts each refusal, and the log says a few of them.
  const refusals = () => journals.reduce((sum, { meters }) => sum + meters.peerRefusals, 0)
  await expect.poll(refusals, { timeout: 60_000 }).toBeGreaterThan(20)
  const lines = log.entries.filter(({ event }) => event === 'peer refused' || event === 'refused by peer')
  expect(lines.length).toBeLessThan(10)
  // Out of reach at first, which is no refusal.
  expect(await log.says('connection')).toMatchObject({ details: { reason: expect.any(String) as string } })
  await Promise.all(transports.map((transport) => transport.close()))
})

test('a function is told lines, and of trouble only', async () => {
  const lines: string[] = []
  const mesh = await joinNode({ log: (line) => void lines.push(line) })
  const victim = hold(mesh.locks, 'x')
  await victim.entered
  ;(await mesh.locks.acquire('x', { steal: true })).release()
  await reasonOf(victim.settled)
  await mesh.leave()
  expect(lines).toEqual(['"x" is stolen'])
})

test('a logger that fails is no reason to lose a lock, or to keep one that is lost', async () => {
  const fail = () => {
    throw new Error('no space for a log')
  }
  const mesh = await joinNode({ log: { debug: fail, info: fail, warn: fail, error: fail } })
  const victim = hold(mesh.locks, 'x')
  await victim.entered
  const thief = await mesh.locks.acquire('x', { steal: true })
  expect(await reasonOf(victim.settled)).toMatchObject({ reason: 'stolen' })
  expect(thief.isHeld).toBe(true)
  await mesh.leave()
})

test('a node that leaves in good order has lost nothing', async () => {
  const log = new LogBook()
  const mesh = await joinNode({ log })
  await mesh.leave({ forGood: true })
  expect(log.entries.filter(({ level }) => level !== 'info')).toEqual([])
  expect(mesh.metrics().leaseLosses).toBe(0)
})
