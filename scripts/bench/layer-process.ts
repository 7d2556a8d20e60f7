/** One of the processes round which a token is passed through a part of the mesh's code: what that part adds to a bare token. */

import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { load } from '@turnwise/algorithms/texts'
import { get } from '@turnwise/core/bounds'
import { answerBy } from '@turnwise/fleet/program-answers'
import { memoryDisk } from '../../packages/mesh/dist/disk/disk.js'
import { Runner } from '../../packages/mesh/dist/host/runner.js'
import { systemClock } from '../../packages/mesh/dist/lease/clock.js'
import type { Message } from '../../packages/mesh/dist/protocol/messages.js'
import { DEFAULT_ALGORITHM, SERVE_OTHERS } from '../../packages/mesh/dist/protocol/serving.js'
import { createCodec } from '../../packages/mesh/dist/transport/codec.js'
import { FrameReader, joinFrames } from '../../packages/mesh/dist/transport/framing.js'
import { type Address, readAddress } from '../../packages/mesh/dist/transport/sockets.js'
import { TcpTransport } from '../../packages/mesh/dist/transport/tcp.js'
import { spentWithin } from './processor.ts'
import { type Command, type Layer, now, PATIENT, type Passed, type Span } from './talk.ts'

/** Counts a turn if the token came from another process, and says whether the token goes on: not when the time is over. */
type Turn = (isHandOff: boolean) => boolean

/** One round of a layer. It calls `turn` whenever the token is here; the first process sets the token going. */
interface Ring {
  begin(turn: Turn, isFirst: boolean): void
}

const LONGEST_FRAME = 1024
const NAME = '=invoices'

function tokenOf(count: number, fence: number): Message {
  const places = Array.from({ length: count - 1 }, (_, node) => ({ node, mode: 'exclusive' }))
  const message = { type: 'token', fence, places, missing: 0 }
  return { type: 'link', epoch: 1, seq: 1, payload: { kind: 'lock', name: NAME, from: 0, to: 0, message } }
}

/** Frames over bare sockets; `encode` and `decode` are what is done with each. */
async function framed(
  own: Address,
  next: Address,
  encode: () => Uint8Array,
  decode: (reader: FrameReader) => void,
): Promise<Ring> {
  const server = createServer({ noDelay: true })
  server.listen(own.port, own.host)
  await once(server, 'listening')
  const accepted = once(server, 'connection') as Promise<[Socket]>
  const socket = await reach(next)
  const [before] = await accepted
  const reader = new FrameReader(LONGEST_FRAME)
  const send = () => void socket.write(joinFrames([encode()]))
  return {
    begin(turn, isFirst) {
      before.removeAllListeners('data').on('data', (chunk: Buffer) => {
        reader.add(chunk)
        while (reader.advance()) {
          decode(reader)
          if (turn(true)) send()
        }
      })
      if (isFirst) send()
    },
  }
}

/** The next process may not listen yet. */
async function reach({ host, port }: Address): Promise<Socket> {
  for (;;) {
    const socket = connect({ host, port, noDelay: true })
    const isThere = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    })
    if (isThere) return socket
    await new Promise(setImmediate)
  }
}

function transportOf(self: number, ids: readonly string[], addresses: readonly Address[]): TcpTransport {
  const peers = new Map(ids.flatMap((id, i) => (i === self ? [] : [[id, get(addresses, i)] as const])))
  const codec = createCodec({ algorithm: DEFAULT_ALGORITHM, nodes: ids.length })
  return new TcpTransport({ id: get(ids, self), mesh: 'bench', listen: get(addresses, self), peers, codec })
}

async function overTransport(
  self: number,
  ids: readonly string[],
  addresses: readonly Address[],
): Promise<Ring> {
  const transport = transportOf(self, ids, addresses)
  const next = get(ids, (self + 1) % ids.length)
  let turn: Turn = () => false
  let fence = 0
  const send = () => {
    fence += 2
    transport.send(next, tokenOf(ids.length, fence))
  }
  await new Promise<void>((resolve, reject) => {
    const receiver = {
      receive: () => void (turn(true) && send()),
      connected: (peer: string) => void (peer === next && resolve()),
      disconnected: () => {},
    }
    transport.start(receiver).catch(reject)
  })
  return {
    begin(given, isFirst) {
      turn = given
      if (isFirst) send()
    },
  }
}

/** The protocol with its links and its default algorithm, without the surface that programs see. */
async function overProtocol(
  self: number,
  ids: readonly string[],
  addresses: readonly Address[],
): Promise<Ring> {
  let turn: Turn = () => false
  let caller = 0
  let isLeaving = false
  const settings = { algorithm: DEFAULT_ALGORITHM, lease: PATIENT, drift: 0.002 }
  const config = { peers: ids, voters: ids, settings, firstStart: ids, roundTrip: 5 }
  const watcher = {
    told({ kind }: { readonly kind: string }) {
      if (kind !== 'grant') return
      // Without a message: it is no hand-off, and the event loop must turn before others are heard.
      if (isLeaving) setImmediate(() => passOn(turn(false)))
      else queueMicrotask(() => passOn(turn(true)))
    },
    ticked() {},
    failed(error: Error) {
      throw error
    },
  }
  const transport = transportOf(self, ids, addresses)
  const runner: Runner = new Runner(
    get(ids, self),
    config,
    memoryDisk(),
    transport,
    systemClock(PATIENT / 10),
    watcher,
  )
  const request = () => {
    caller += 1
    runner.dispatch({ kind: 'request', name: NAME, caller, mode: 'exclusive', priority: 0, steals: false })
  }
  const passOn = (isAskedAgain: boolean) => {
    const granted = caller
    if (isAskedAgain) request()
    isLeaving = true
    runner.dispatch({ kind: 'release', name: NAME, caller: granted })
    isLeaving = false
  }
  await runner.run()
  while (!runner.hasLease() || runner.node.begun?.members.length !== ids.length) {
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return {
    begin(given) {
      turn = given
      request()
    },
  }
}

async function open(layer: Layer, self: number, texts: readonly string[]): Promise<Ring> {
  await load([DEFAULT_ALGORITHM, ...SERVE_OTHERS])
  const addresses = texts.map(readAddress)
  const ids = texts.map((_, i) => `n${i}`)
  if (layer === 'transport') return overTransport(self, ids, addresses)
  if (layer === 'protocol') return overProtocol(self, ids, addresses)
  const codec = createCodec({ algorithm: DEFAULT_ALGORITHM, nodes: ids.length })
  const body = codec.encode(tokenOf(ids.length, 0))
  const next = get(addresses, (self + 1) % ids.length)
  if (layer === 'frames') {
    return framed(
      get(addresses, self),
      next,
      () => body,
      () => {},
    )
  }
  let fence = 0
  const encode = () => {
    fence += 2
    return codec.encode(tokenOf(ids.length, fence))
  }
  return framed(
    get(addresses, self),
    next,
    encode,
    ({ bytes, start, end }) => void codec.decode(bytes, start, end),
  )
}

let ring: Ring | null = null

async function pass(span: Span, isFirst: boolean): Promise<Passed> {
  const spent = spentWithin(span)
  let turns = 0
  ring?.begin((isHandOff) => {
    const at = now()
    if (at >= span.until) return false
    if (isHandOff && at >= span.from) turns += 1
    return true
  }, isFirst)
  await pause(span.until - now() + 50)
  return { turns, ...(await spent) }
}

answerBy(async (command: Command) => {
  switch (command.do) {
    case 'layer':
      ring = await open(command.layer, command.self, command.addresses)
      return
    case 'pass':
      return pass(command.span, command.isFirst)
  }
})
