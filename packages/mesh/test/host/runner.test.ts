import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { memoryDisk } from '../../src/disk/disk.ts'
import { Runner } from '../../src/host/runner.ts'
import { systemClock } from '../../src/lease/clock.ts'
import type { Config } from '../../src/protocol/state.ts'
import type { Transport } from '../../src/transport/transport.ts'

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
