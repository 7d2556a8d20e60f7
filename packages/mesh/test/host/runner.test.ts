import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { memoryDisk } from '../../src/disk/disk.ts'
import { Runner } from '../../src/host/runner.ts'
import type { Told } from '../../src/host/watcher.ts'
import { NO_TRANSPORT } from '../../src/join.ts'
import { monotonic, systemClock } from '../../src/lease/clock.ts'
import { SharedLedger } from '../../src/lease/shared-ledger.ts'
import { LeaseMemory } from '../../src/lease/shared-memory.ts'
import type { Message } from '../../src/protocol/messages.ts'
import { type Config, sessionOf } from '../../src/protocol/state.ts'
import type { Transport } from '../../src/transport/transport.ts'
import { memoryHub, STEADY } from '../meshes.ts'

const LEASE = 200

const CONFIG: Config = {
  peers: ['a'],
  voters: ['a'],
  settings: { algorithm: 'carvalho-roucairol', lease: LEASE, drift: 0 },
  roundTrip: 5,
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
  const runner = new Runner('a', CONFIG, memoryDisk(), NO_TRANSPORT, systemClock(LEASE), {
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

test('of very many members a tick asks only about those that something was sent to', async () => {
  const ids = ['a', ...Array.from({ length: 50 }, (_, i) => `b${i}`)]
  const asked = new Set<string>()
  const transport: Transport = {
    ...NO_TRANSPORT,
    backlog(to) {
      asked.add(to)
      return to === 'b0' ? 2 ** 30 : 0
    },
  }
  const watcher = { told: () => {}, ticked: () => {}, failed: () => {} }
  const config = { ...CONFIG, peers: ['a', 'b0'], voters: ['b0'] }
  const runner = new Runner('a', config, memoryDisk(), transport, systemClock(LEASE), watcher)
  const sessionAt = (id: string) => (id === 'a' ? sessionOf(runner.node) : { voterId: id, k: 1 })
  const members = ids.map((id) => ({ id, session: sessionAt(id) }))
  const voters = [{ id: 'b0', voterId: 'b0' }]
  runner.node.begun = { epoch: 1, voters, oldVoters: null, members, settings: CONFIG.settings, table: {} }
  await runner.run()
  // The voter gets heartbeats.
  await expect.poll(() => runner.isCongested).toBe(true)
  expect([...asked]).toEqual(['b0'])
  await runner.stop()
})

/** A disk that waits for this before it writes. */
function slowDisk(turn: () => Promise<void> | null) {
  const disk = memoryDisk()
  const persist = disk.persist.bind(disk)
  disk.persist = async (durable) => {
    await turn()
    return persist(durable)
  }
  return disk
}

function textOf(effect: Told): string {
  return 'caller' in effect ? `${effect.kind} ${String(effect.caller)}` : effect.kind
}

/** Two members in memory, of which a holds the lock L for caller 1. Its clock and its disk obey the test. */
async function holding(leaseMs = STEADY) {
  const settings = { algorithm: 'token-queue', lease: leaseMs, drift: 0 }
  const ids = ['a', 'b']
  const config: Config = { peers: ids, voters: ids, firstStart: ids, settings, roundTrip: 5 }
  const hub = memoryHub(ids)
  const deaf = { told: () => {}, ticked: () => {}, failed: () => {} }
  const hands: { ahead: number; hasSlept: boolean; isSlow: boolean; heard: (effect: Told) => void } = {
    ahead: 0,
    hasSlept: false,
    isSlow: false,
    heard: deaf.told,
  }
  const told: string[] = []
  const toldElsewhere: string[] = []
  const waiting: (() => void)[] = []
  const disk = slowDisk(() => (hands.isSlow ? new Promise((resolve) => waiting.push(resolve)) : null))
  const clock = {
    now: () => monotonic() + hands.ahead,
    slept: () => {
      const before = hands.hasSlept
      hands.hasSlept = false
      return before
    },
  }
  const heard = (effect: Told) => {
    told.push(textOf(effect))
    hands.heard(effect)
  }
  const beside = { ...deaf, told: (effect: Told) => void toldElsewhere.push(textOf(effect)) }
  const b = new Runner('b', config, memoryDisk(), hub.transport('b'), systemClock(STEADY), beside)
  const memory = new LeaseMemory()
  const ledger = new SharedLedger(memory, () => {})
  const transport = hub.transport('a')
  const a = new Runner('a', config, disk, transport, clock, { ...deaf, told: heard }, ledger)
  await Promise.all([a.run(), b.run()])
  await expect.poll(() => a.hasLease() && b.hasLease()).toBe(true)
  const request = (caller: number, at = a) =>
    at.dispatch({ kind: 'request', name: 'L', caller, mode: 'exclusive', priority: 0, steals: false })
  request(1)
  await expect.poll(() => told).toContain('grant 1')
  const { durable, begun } = b.node
  const receive = (message: Message) => a.dispatch({ kind: 'receive', from: 'b', message })
  /** From now on a waits for its disk: a longer lease must be on it before it is acknowledged. */
  const write = () => {
    hands.isSlow = true
    const epochs = { begun: begun?.epoch ?? 0, accepted: begun?.epoch ?? 0, promised: durable.promised.epoch }
    const rest = { at: b.now, lease: 2 * STEADY, mark: '', suspects: [], wish: null }
    receive({ type: 'heartbeat', session: sessionOf(b.node), ...epochs, ...rest })
    expect(waiting).toHaveLength(1)
  }
  const written = async () => {
    for (let turn = 0; turn < 10; turn += 1) {
      for (const resolve of waiting.splice(0)) resolve()
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const stop = () => Promise.all([a.stop(), b.stop()])
  return { a, b, disk, hands, told, toldElsewhere, memory, transport, request, receive, write, written, stop }
}

test('who asks first when the machine wakes has no lease, and its hold is lost', async () => {
  const { a, hands, told, stop } = await holding()
  hands.hasSlept = true
  expect(a.hasLease()).toBe(false)
  expect(told).toContain('lost 1')
  await stop()
})

test.each([
  ['idle', false],
  ['busy', true],
])(
  'C3: when the machine wakes, nobody else is let in before the promise to clients of a daemon is over: the disk is %s',
  async (_, isBusy) => {
    const { a, b, hands, told, toldElsewhere, request, write, written, stop } = await holding(LEASE)
    request(2, b)
    expect(a.hasLease()).toBe(true)
    // As `mesh.promise` does.
    const { deadline } = a.node
    a.node.promised = deadline
    if (isBusy) write()
    hands.hasSlept = true
    expect(a.hasLease()).toBe(false)
    expect(told).toContain('lost 1')
    hands.isSlow = false
    await written()
    await expect.poll(() => toldElsewhere, { interval: 5 }).toContain('grant 2')
    expect(a.now).toBeGreaterThanOrEqual(deadline)
    await stop()
  },
)

test('C3: after a contradiction nobody else is let in before the promise to clients of a daemon is over', async () => {
  const { a, b, told, toldElsewhere, request, receive, stop } = await holding(10 * LEASE)
  request(2, b)
  expect(a.hasLease()).toBe(true)
  const { deadline } = a.node
  a.node.promised = deadline
  const epoch = a.node.begun?.epoch ?? 0
  const payload = { kind: 'lock', name: '=M', from: 0, to: 0, message: { type: 'none' } } as const
  // The link of b has used some numbers.
  for (let seq = 1; seq < 20 && !told.includes('lost 1'); seq += 1)
    receive({ type: 'link', epoch, seq, payload })
  expect(told).toContain('lost 1')
  expect(a.now).toBeLessThan(deadline)
  await expect.poll(() => toldElsewhere, { interval: 5, timeout: 20_000 }).toContain('grant 2')
  expect(a.now).toBeGreaterThanOrEqual(deadline)
  await stop()
})

test('a grant that waits for the disk until the lease is over is told as lost, so that its caller asks again', async () => {
  const { a, hands, told, request, write, written, stop } = await holding()
  write()
  a.dispatch({ kind: 'release', name: 'L', caller: 1 })
  request(2)
  expect(told).not.toContain('grant 2')
  hands.ahead = 3 * STEADY
  await written()
  expect(told).not.toContain('grant 2')
  expect(told).toContain('lost 2')
  await stop()
})

test('what a caller does when it hears of its grant comes after what waited for the disk', async () => {
  const { a, disk, hands, told, request, receive, write, written, stop } = await holding()
  write()
  a.dispatch({ kind: 'release', name: 'L', caller: 1 })
  request(2)
  receive({ type: 'prepare', epoch: a.node.durable.promised.epoch + 5, ballot: 'b/1', insists: true })
  hands.heard = ({ kind }) => {
    if (kind === 'grant') a.dispatch({ kind: 'renew' })
  }
  await written()
  expect(told).toContain('grant 2')
  expect(disk.durable.promised).toEqual(a.node.durable.promised)
  await stop()
})

test('the lease thread is told when the node is at its own work, and not while the program hears of it', async () => {
  const { a, hands, memory, transport, receive, written, stop } = await holding()
  const atWork: Record<string, boolean> = {}
  hands.heard = ({ kind }) => void (atWork[kind] = memory.isWorking)
  const send = transport.send.bind(transport)
  transport.send = (to, message) => {
    atWork[message.type] = memory.isWorking
    send(to, message)
  }
  receive({
    type: 'prepare',
    epoch: a.node.durable.promised.epoch + 5,
    get ballot() {
      atWork['handled'] = memory.isWorking
      return 'b/1'
    },
    insists: true,
  })
  await written()
  hands.hasSlept = true
  expect(a.hasLease()).toBe(false)
  expect(atWork).toMatchObject({ handled: true, promise: true, lost: false })
  expect(memory.isWorking).toBe(false)
  await stop()
})
