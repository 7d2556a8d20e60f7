import { expect, test } from 'vitest'
import { LeaseMemory } from '../../src/lease/memory.ts'
import { ThreadedTransport } from '../../src/lease/threaded-transport.ts'
import { TcpTransport } from '../../src/transport/tcp.ts'
import { codec, Node, until } from '../transport/transport-contract.ts'
import { LISTEN, programOf, QUICK } from './both-ends.ts'

const NO_PROOF = { secret: null, tls: null }

test('a node speaks before its lease thread has started: others need its votes, and those need no thread', async () => {
  const b = await programOf('b', NO_PROOF)
  const places: unknown[] = []
  Object.assign(b, { threadAt: (_peer: string, place: unknown) => places.push(place) })
  const peers = new Map([['b', b.tcp.address]])
  const identity = { id: 'a', mesh: 'test', life: 'x', security: NO_PROOF, listen: LISTEN, peers }
  const work = new TcpTransport({ ...identity, codec, patience: QUICK })
  const terms = { algorithm: '', lease: 4, voters: '' }
  const { buffer } = new LeaseMemory()
  // No thread starts within a quarter of such a lease.
  const transport = new ThreadedTransport(
    work,
    { ...identity, terms, leaseMs: 4, buffer, keepAlive: true },
    () => {},
  )
  const a = new Node('a', transport)
  await transport.start(a)
  let isUp = false
  const settled = transport.settled().then(() => {
    isUp = true
  })
  await Promise.resolve()
  expect(isUp).toBe(false)
  a.say('b', 1)
  await until(() => a.heard.includes('+b'), 'it is connected')
  await settled
  await until(() => places.some((place) => place !== null), 'the thread is announced')
  a.say('b', 2)
  await transport.close()
  await b.tcp.close()
})
