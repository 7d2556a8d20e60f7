import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { memoryDisk } from '../../src/disk/disk.ts'
import { Runner } from '../../src/host/runner.ts'
import type { Told } from '../../src/host/watcher.ts'
import { monotonic, systemClock } from '../../src/lease/clock.ts'
import type { Config } from '../../src/protocol/state.ts'
import type { Transport } from '../../src/transport/transport.ts'
import { memoryHub, STEADY } from '../meshes.ts'

const LEASE = 200

const CONFIG: Config = {
  peers: ['a'],
  voters: ['a'],
  settings: { algorithm: 'carvalho-roucairol', lease: LEASE, drift: 0 },
  roundTrip: 5,
}

const SILENT: Transport = {
  start: () => Promise.resolve(),
  send: () => {},
  backlog: () => 0,
  reset: () => {},
  setPeers: () => {},
  close: () => Promise.resolve(),
}

test('after the program kept the event loop, what has arrived is read before a tick judges who is silent', async () => {
  const happened: string[] = []
  const server = createServer((socket) => socket.on('data', () => happened.push('read'))).listen(
    0,
    '127.0.0.1',
  )
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const accepted = once(server, 'connection')
  const socket = connect(address.port, '127.0.0.1')
  await Promise.all([once(socket, 'connect'), accepted])
  const runner = new Runner('a', CONFIG, memoryDisk(), SILENT, systemClock(LEASE), {
    told: () => {},
    ticked: () => happened.push('tick'),
    failed: () => {},
  })
  await runner.run()
  // What follows an immediate are timers, then sockets.
  await new Promise<void>((resolve) => void setImmediate(resolve))
  socket.write('a word of a peer')
  happened.length = 0
  for (const end = performance.now() + LEASE; performance.now() < end; );
  while (!(happened.includes('read') && happened.includes('tick')))
    await new Promise((resolve) => setTimeout(resolve, 1))
  expect(happened[0]).toBe('read')
  await runner.stop()
  socket.destroy()
  server.close()
})

test('who asks first when the machine wakes has no lease, and its hold is lost', async () => {
  const settings = { algorithm: 'token-queue', lease: STEADY, drift: 0 }
  const ids = ['a', 'b']
  const config: Config = { peers: ids, voters: ids, firstStart: ids, settings, roundTrip: 5 }
  const hub = memoryHub(ids)
  const told: string[] = []
  let hasSlept = false
  const runner = (id: string, slept: () => boolean) => {
    const watcher = {
      told: ({ kind }: Told) => told.push(`${id} ${kind}`),
      ticked: () => {},
      failed: () => {},
    }
    const clock = { now: monotonic, slept }
    return new Runner(id, config, memoryDisk(), hub.transport(id), clock, watcher)
  }
  const b = runner('b', () => false)
  const a = runner('a', () => {
    const before = hasSlept
    hasSlept = false
    return before
  })
  await Promise.all([a.run(), b.run()])
  await expect.poll(() => a.hasLease() && b.hasLease()).toBe(true)
  a.dispatch({ kind: 'request', name: 'L', caller: 1, mode: 'exclusive', priority: 0, steals: false })
  await expect.poll(() => told).toContain('a grant')
  hasSlept = true
  expect(a.hasLease()).toBe(false)
  expect(told).toContain('a lost')
  await Promise.all([a.stop(), b.stop()])
})
