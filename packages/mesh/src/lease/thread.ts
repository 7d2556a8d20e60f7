/**
 * The entry of the lease thread. It owns the sockets, so that heartbeats come and go while the program's thread is busy;
 * everything else passes through it to the program's thread and back.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { monotonic } from '../host/clock.ts'
import type { Message } from '../protocol/messages.ts'
import type { Id } from '../protocol/record.ts'
import type { Security } from '../security/security.ts'
import { createCodec } from '../transport/codec.ts'
import type { Address } from '../transport/sockets.ts'
import { TcpTransport } from '../transport/tcp.ts'
import { MessageTooLarge } from '../transport/transport.ts'
import { Keeper, type Slots } from './keeper.ts'
import { LeaseMemory } from './memory.ts'

export interface ThreadData {
  readonly id: Id
  readonly mesh: string
  readonly listen: Address
  readonly peers: ReadonlyMap<Id, Address>
  readonly security: Security
  readonly algorithm: string
  readonly nodes: number
  readonly lease: number
  readonly buffer: SharedArrayBuffer
}

export type ToThread =
  | { readonly kind: 'send'; readonly batch: readonly (readonly [Id, Message])[] }
  | { readonly kind: 'slots'; readonly slots: Slots }
  | { readonly kind: 'peers'; readonly peers: ReadonlyMap<Id, Address> }
  | { readonly kind: 'reset'; readonly peer: Id }
  | { readonly kind: 'close' }

export type FromThread =
  | { readonly kind: 'started'; readonly address: Address }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'received'; readonly batch: readonly (readonly [Id, Message])[] }
  | { readonly kind: 'connected'; readonly peer: Id }
  | { readonly kind: 'disconnected'; readonly peer: Id }
  | { readonly kind: 'backlog'; readonly peer: Id; readonly bytes: number }
  | { readonly kind: 'log'; readonly line: string }
  | { readonly kind: 'closed' }

const port = parentPort
if (port === null) throw new Error('the lease thread is started by join')
const data = workerData as ThreadData
const tell = (message: FromThread) => port.postMessage(message)

let { peers } = data
const transport = new TcpTransport({
  id: data.id,
  mesh: data.mesh,
  listen: data.listen,
  peers,
  security: data.security,
  codec: createCodec({ algorithm: data.algorithm, nodes: data.nodes }),
  patience: { doubt: data.lease / 2 },
  log: (line) => tell({ kind: 'log', line }),
})
const keeper = new Keeper(new LeaseMemory(data.buffer), data.lease, say)

function say(to: Id, message: Message): void {
  try {
    transport.send(to, message)
  } catch (error) {
    if (!(error instanceof MessageTooLarge)) throw error
    tell({ kind: 'log', line: error.message })
  }
}

let arrived: [Id, Message][] = []
/** What arrives in one turn of the event loop goes over in one message. */
function passOn(from: Id, message: Message): void {
  if (arrived.length === 0) setImmediate(flush)
  arrived.push([from, message])
}

function flush(): void {
  tell({ kind: 'received', batch: arrived })
  arrived = []
}

const backlogs = new Map<Id, number>()
function tellBacklogs(): void {
  for (const peer of peers.keys()) {
    const bytes = transport.backlog(peer)
    if (bytes === (backlogs.get(peer) ?? 0)) continue
    backlogs.set(peer, bytes)
    tell({ kind: 'backlog', peer, bytes })
  }
}

const ticker = setInterval(() => {
  keeper.tick(monotonic())
  tellBacklogs()
}, data.lease / 20)

port.on('message', (message: ToThread) => {
  switch (message.kind) {
    case 'send': {
      const now = monotonic()
      for (const [to, each] of message.batch) {
        keeper.sends(to, each, now)
        say(to, each)
      }
      return tellBacklogs()
    }
    case 'slots':
      return keeper.learn(message.slots)
    case 'peers':
      peers = message.peers
      return transport.setPeers(peers)
    case 'reset':
      return transport.reset(message.peer)
    case 'close':
      clearInterval(ticker)
      void transport.close().then(() => {
        tell({ kind: 'closed' })
        port.close()
      })
  }
})

transport
  .start({
    receive(from, message) {
      keeper.receives(from, message, monotonic())
      passOn(from, message)
    },
    connected: (peer) => tell({ kind: 'connected', peer }),
    disconnected: (peer) => tell({ kind: 'disconnected', peer }),
  })
  .then(
    () => tell({ kind: 'started', address: transport.address }),
    (error: unknown) =>
      tell({ kind: 'failed', message: error instanceof Error ? error.message : String(error) }),
  )
