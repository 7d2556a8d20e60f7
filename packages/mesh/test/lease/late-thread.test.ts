import type { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { monotonic } from '../../src/lease/clock.ts'
import { LeaseMemory } from '../../src/lease/shared-memory.ts'
import { ThreadedTransport } from '../../src/lease/threaded-transport.ts'
import { TcpTransport } from '../../src/transport/tcp.ts'
import { codec, Node, until } from '../transport/transport-contract.ts'
import { ACK, BEAT, LISTEN, programOf, QUICK } from './both-ends.ts'

const NO_PROOF = { secret: null, tls: null }
const SLOTS = { life: 1, voterId: 'v', driftFraction: 0, voters: new Map(), sessions: new Map(), stamp: null }
const VOTING = { ...SLOTS, voters: new Map([['v', { slot: 0, id: 'a' }]]) }
/** The longest lease that a peer accepts: it ends in no test. */
const LONG = 600_000

async function speaking() {
  const b = await programOf('b', NO_PROOF)
  const places: unknown[] = []
  Object.assign(b, { threadAt: (_peer: string, place: unknown) => places.push(place) })
  const peers = new Map([['b', b.tcp.address]])
  const identity = { id: 'a', mesh: 'test', life: 'x', security: NO_PROOF, listen: LISTEN, peers }
  const work = new TcpTransport({ ...identity, codec, patience: QUICK })
  const terms = { algorithm: 'suzuki-kasami', lease: LONG, drift: 0, voters: 'a, b' }
  const memory = new LeaseMemory()
  memory.mainAlive = monotonic() + LONG
  const data = { ...identity, terms, leaseMs: LONG, buffer: memory.buffer, keepAlive: true }
  const transport = new ThreadedTransport(work, data, () => {})
  const a = new Node('a', transport)
  const threads: Worker[] = []
  const started = (worker: Worker) => threads.push(worker)
  process.on('worker', started)
  await transport.start(a)
  const close = async () => {
    process.off('worker', started)
    await transport.close()
    await b.tcp.close()
  }
  /** The program of b stands for its thread, and tells where that listens. So the speaker of a dials it at once. */
  const meet = () => {
    const { port } = b.tcp.address
    b.tcp.announce({ port, beside: port })
    b.tcp.setPeers(new Map([['a', work.address]]))
  }
  const connected = () =>
    until(() => a.heard.includes('+b') && b.heard.includes('+a'), 'the programs are connected')
  return { a, b, work, transport, threads, places, meet, connected, close }
}

/** Sends heartbeats until they no longer go with the messages of the program. `beside` collects what still does. */
async function untilNotBeside(work: TcpTransport, transport: ThreadedTransport) {
  const beside: string[] = []
  const send = work.send.bind(work)
  work.send = (to, message) => {
    beside.push(message.type)
    send(to, message)
  }
  let { at } = BEAT
  const beat = () => {
    at += 1
    beside.length = 0
    transport.send('b', { ...BEAT, at })
    return beside.length === 0
  }
  await until(beat, 'heartbeats have a connection of their own')
  return { beside, at }
}

test('a voter speaks before its lease thread is started: others need its votes, and those need no thread', async () => {
  const { a, b, transport, threads, places, close } = await speaking()
  transport.publish(VOTING)
  a.say('b', 1)
  await until(() => a.heard.includes('+b'), 'it is connected')
  await until(() => {
    a.say('b', 2)
    return b.from('a').includes(2)
  }, 'it is heard')
  expect(threads).toHaveLength(0)
  await Promise.all([transport.settled(), transport.settled()])
  expect(threads).toHaveLength(1)
  await until(() => places.some((place) => place !== null), 'where it listens is announced')
  // The thread listens where the program did, so nobody is told again.
  expect(new Set(places.map((place) => JSON.stringify(place))).size).toBe(1)
  await close()
})

test('the thread is told what the node said and heard before: it speaks for a program that says no more', async () => {
  const { b, transport, meet, connected, close } = await speaking()
  meet()
  transport.send('b', BEAT)
  // The program sends a heartbeat in the turn of the loop in which it was made.
  await Promise.resolve()
  transport.publish(VOTING)
  transport.send('b', { ...BEAT, at: 6 })
  await Promise.resolve()
  await connected()
  await transport.settled()
  const isRepeated = () => b.messages.some((message) => message.type === 'heartbeat' && message.at > 6)
  await until(isRepeated, 'the thread repeats the heartbeat')
  await close()
})

test('a vote follows the heartbeat that says how far its voter has come, on one connection (R20)', async () => {
  const { work, transport, meet, connected, close } = await speaking()
  transport.publish(VOTING)
  meet()
  transport.send('b', BEAT)
  await connected()
  await transport.settled()
  const { beside, at } = await untilNotBeside(work, transport)
  const { session } = BEAT
  const report = { session, mark: '', accepted: null, begun: null, holds: {}, wish: null }
  const votes = [
    { type: 'promise', epoch: 7, ballot: 'b/1', ...report },
    { type: 'accepted', epoch: 7, ballot: 'b/1', voterId: session.voterId },
  ] as const
  for (const vote of votes) {
    transport.send('b', { ...BEAT, at, promised: 7 })
    transport.send('b', vote)
  }
  expect(beside).toEqual(['heartbeat', 'promise', 'heartbeat', 'accepted'])
  await close()
})

test('a node that does not vote starts its thread when a caller asks, or when it votes', async () => {
  const asked = await speaking()
  asked.transport.publish(SLOTS)
  await asked.transport.settled()
  expect(asked.threads).toHaveLength(0)
  for (const _ of [1, 2]) asked.transport.relied()
  await until(() => asked.threads.length === 1, 'a caller has asked')
  await asked.transport.settled()
  await asked.close()
  const made = await speaking()
  await made.transport.settled()
  made.transport.publish(VOTING)
  await until(() => made.threads.length === 1, 'it votes')
  made.transport.publish(SLOTS)
  await made.close()
  expect([asked.threads.length, made.threads.length]).toEqual([1, 1])
})

test('until there is a thread the program speaks on connections of their own, and hears what the thread would', async () => {
  const { a, b, work, transport, threads, meet, connected, close } = await speaking()
  meet()
  transport.publish(SLOTS)
  transport.send('b', BEAT)
  await connected()
  const { at } = await untilNotBeside(work, transport)
  // The speaker says it again at a time of its own, which is later than those that the test makes up.
  const isRepeated = () => b.messages.some((message) => message.type === 'heartbeat' && message.at > at)
  await until(isRepeated, 'it comes')
  b.tcp.send('a', ACK)
  await until(() => a.messages.some(({ type }) => type === 'ack'), 'the answer comes')
  expect(threads).toHaveLength(0)
  await close()
})

test('a node that leaves before it has joined starts no thread', async () => {
  const { transport, threads, close } = await speaking()
  transport.publish(VOTING)
  await close()
  await transport.settled()
  expect(threads).toHaveLength(0)
})
