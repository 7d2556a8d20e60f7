/**
 * `npm run bench:transport`: what it costs that nodes prove who they are, beside doing without in the same run. Two nodes in
 * one process, so that the work of both sides counts: one message to and fro, and many at once in one direction.
 */

import { makeAuthority, makeCertificate } from '../packages/cli/src/keys/authority.ts'
import type { Message } from '../packages/mesh/src/protocol/messages.ts'
import { OPEN, type Security } from '../packages/mesh/src/security/security.ts'
import { createCodec } from '../packages/mesh/src/transport/codec.ts'
import { present } from '../test/present.ts'
import '../packages/mesh/check/texts.ts'
import type { Address } from '../packages/mesh/src/transport/sockets.ts'
import { TcpTransport } from '../packages/mesh/src/transport/tcp.ts'

const ROUNDS = 5
const TURNS = 5000
const BATCHES = 200
const BATCH = 250
const HOST = '127.0.0.1'

const codec = createCodec({ algorithm: 'carvalho-roucairol', nodes: 2 })
const message: Message = { type: 'begin', epoch: 1 }

class Pair {
  readonly a: TcpTransport
  readonly b: TcpTransport
  /** What b does with a message, and a. */
  heard = { a: () => {}, b: () => {} }

  constructor(securities: { a: Security; b: Security }, peers: Map<string, Address>) {
    const make = (id: 'a' | 'b') =>
      new TcpTransport({
        id,
        mesh: 'bench',
        listen: { host: HOST, port: 0 },
        peers,
        codec,
        security: securities[id],
      })
    this.a = make('a')
    this.b = make('b')
  }
}

async function connected(securities: { a: Security; b: Security }): Promise<Pair> {
  const peers = new Map<string, Address>()
  const pair = new Pair(securities, peers)
  let open = 0
  await new Promise<void>((resolve, reject) => {
    const start = (id: 'a' | 'b') =>
      pair[id].start({
        receive: () => pair.heard[id](),
        connected: () => {
          open += 1
          if (open === 2) resolve()
        },
        disconnected: () => reject(new Error('the connection broke')),
      })
    void Promise.all([start('a'), start('b')]).then(() => {
      for (const id of ['a', 'b'] as const) peers.set(id, pair[id].address)
      pair.a.send('b', message)
      pair.b.send('a', message)
    }, reject)
  })
  return pair
}

/** Microseconds of processor time: a busy machine makes a run longer, but not dearer. */
function cpu(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

/** For a message and its answer. */
async function toAndFro(pair: Pair): Promise<number> {
  const started = cpu()
  await new Promise<void>((resolve) => {
    let turns = 0
    pair.heard = {
      b: () => pair.b.send('a', message),
      a: () => {
        turns += 1
        if (turns === TURNS) resolve()
        else pair.a.send('b', message)
      },
    }
    pair.a.send('b', message)
  })
  return (cpu() - started) / TURNS
}

/** For each message where many share a write. */
async function together(pair: Pair): Promise<number> {
  const started = cpu()
  await new Promise<void>((resolve) => {
    let count = 0
    const batch = () => {
      for (let i = 0; i < BATCH; i += 1) pair.a.send('b', message)
    }
    pair.heard = {
      a: () => {},
      b: () => {
        count += 1
        if (count === BATCH * BATCHES) resolve()
        else if (count % BATCH === 0) batch()
      },
    }
    batch()
  })
  return (cpu() - started) / (BATCH * BATCHES)
}

async function securities(): Promise<Record<string, { a: Security; b: Security }>> {
  const span = { from: new Date(Date.now() - 60_000), until: new Date(Date.now() + 3_600_000) }
  const authority = await makeAuthority('bench', span)
  const tls = async (id: string): Promise<Security> => ({
    secret: null,
    tls: { ca: authority.cert, ...(await makeCertificate(authority, 'bench', id, span)) },
  })
  const secret: Security = { secret: 'a secret of sixteen or more', tls: null }
  return {
    nothing: { a: OPEN, b: OPEN },
    'a secret': { a: secret, b: secret },
    TLS: { a: await tls('a'), b: await tls('b') },
  }
}

const best: Record<string, { turn: number; each: number }> = {}
const all = await securities()
// Round by round through all of them, so that what else the machine does falls on each alike; the fastest round counts.
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [name, ends] of Object.entries(all)) {
    const pair = await connected(ends)
    const before = best[name] ?? { turn: Infinity, each: Infinity }
    best[name] = {
      turn: Math.min(before.turn, await toAndFro(pair)),
      each: Math.min(before.each, await together(pair)),
    }
    await Promise.all([pair.a.close(), pair.b.close()])
  }
}
const bare = present(best['nothing'])
for (const [name, { turn, each }] of Object.entries(best)) {
  const times = (value: number, base: number) => `${value.toFixed(1)} us (${(value / base).toFixed(2)}x)`
  console.log(
    `${name.padEnd(9)} to and fro ${times(turn, bare.turn).padEnd(18)} one of ${BATCH} in a write ${times(each, bare.each)}`,
  )
}
