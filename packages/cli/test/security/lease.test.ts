/**
 * The connections of the lease thread, where nodes prove who they are: what comes and goes on them decides who keeps its locks, so
 * a stranger's word must count for nothing there either.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Security, TlsOptions } from '@turnwise/mesh/security/security'
import { joinFrames } from '@turnwise/mesh/transport/framing'
import { writeHello } from '@turnwise/mesh/transport/handshake'
import { leaseCodec } from '@turnwise/mesh/transport/lease-codec'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  ACK,
  BEAT,
  closeLines,
  exchange,
  program,
  SECRET,
  thread,
} from '../../../mesh/test/lease/both-ends.ts'
import { endAll, Fleet, obstacle } from '../../../mesh/test/processes/fleet.ts'
import { until } from '../../../mesh/test/transport/transport-contract.ts'
import { type Issued, makeAuthority, makeCertificate } from '../../src/keys/authority.ts'

const DAY = 86_400_000
/** Threads get a turn on the busiest machine within such a lease. */
const LONG_LEASE = 5000
const SPAN = { from: new Date(Date.now() - DAY), until: new Date(Date.now() + DAY) }

let authority: Issued
let tls: Record<'a' | 'b' | 'c', Security>

async function keysOf(id: string, mesh: string, issuer = authority): Promise<TlsOptions> {
  return { ca: authority.cert, ...(await makeCertificate(issuer, mesh, id, SPAN)) }
}

async function securityOf(id: string, issuer = authority): Promise<Security> {
  return { secret: null, tls: await keysOf(id, 'test', issuer) }
}

beforeAll(async () => {
  authority = await makeAuthority('test', SPAN)
  tls = { a: await securityOf('a'), b: await securityOf('b'), c: await securityOf('c') }
})

afterEach(closeLines)

describe('on the connections of the lease thread', () => {
  test('heartbeats and acks go both ways over TLS', async () => {
    const a = await program(tls.a)
    const b = thread(a, tls.b)
    await exchange(a, b)
    expect(a.messages[0]).toEqual(BEAT)
    expect(b.heard[0]).toEqual(ACK)
  })

  const strangers: [
    who: string,
    ofA: () => Security,
    ofB: () => Security | Promise<Security>,
    why: string,
  ][] = [
    [
      'of another authority',
      () => tls.a,
      async () => securityOf('b', await makeAuthority('test', SPAN)),
      'it is signed by an unknown authority',
    ],
    ['with the certificate of c', () => tls.a, () => tls.c, 'the certificate is of turnwise://test/c'],
    ['that speaks no TLS', () => tls.a, () => SECRET, 'no TLS handshake'],
    [
      'with another secret',
      () => SECRET,
      () => ({ secret: 'not that of the other nodes', tls: null }),
      'have different secrets',
    ],
  ]
  for (const [who, ofA, ofB, why] of strangers) {
    test(`a thread ${who} is neither heard nor told anything`, async () => {
      const log: string[] = []
      const a = await program(ofA(), log)
      const b = thread(a, await ofB())
      await until(() => {
        for (const message of [BEAT, ACK]) b.lines.send('a', message)
        a.tcp.send('b', ACK)
        return log.some((line) => line.includes(why))
      }, `it is refused: ${why}`)
      expect(a.messages).toEqual([])
      expect(b.heard).toEqual([])
    })
  }

  test('who says hello and then speaks without a proof of the secret is not heard', async () => {
    const log: string[] = []
    const a = await program(SECRET, log)
    const socket = connect(a.tcp.address.port, '127.0.0.1')
    socket.on('error', () => {}).resume()
    const hello = writeHello({ mesh: 'test', from: 'b', to: 'a', life: 'x', channel: 'lease' })
    socket.write(joinFrames([hello, leaseCodec().encode(BEAT), leaseCodec().encode(ACK)]))
    await once(socket, 'close')
    expect(a.messages).toEqual([])
    expect(log.join('\n')).toMatch(/connection from .* (closed|refused)/)
  })
})

describe.skipIf(obstacle !== null)('real processes', () => {
  afterAll(endAll)

  for (const means of ['tls', 'secret'] as const) {
    test(`a voter with a blocked event loop still answers under ${means}: who needs it keeps its lock`, async () => {
      const secret = randomBytes(16).toString('hex')
      const fleet = await Fleet.of(['a', 'b'])
      const join = async (id: string) =>
        fleet.join(id, {
          mesh: 'test',
          lease: LONG_LEASE,
          firstStart: true,
          ...(means === 'secret' ? { secret } : { tls: await keysOf(id, 'test') }),
        })
      await Promise.all([join('a'), join('b')])
      await fleet.view(['a', 'b'])
      const [a, b] = [fleet.at('a'), fleet.at('b')]
      const { hold } = await a.tell({ do: 'acquire', name: 'L' })
      const other = await b.tell({ do: 'acquire', name: 'M' })
      // Of two voters both must acknowledge: without the lease thread of b the lease of a would end.
      await b.tell({ do: 'block', hold: other.hold, ms: 1.5 * LONG_LEASE })
      expect(await a.tell({ do: 'block', hold, ms: 0 })).toMatchObject({ isHeld: true, aborted: false })
      await a.tell({ do: 'release', hold })
      await fleet.view(['a', 'b'])
      await fleet.everyoneServed(['a', 'b'])
      expect(await fleet.end()).toEqual([])
    })
  }
})
