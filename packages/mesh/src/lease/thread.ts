/**
 * The entry of the lease thread. It has connections of its own, so that heartbeats come and go while the program's thread
 * is busy; what the protocol decides of them reaches it through shared memory.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { monotonic } from '../host/clock.ts'
import type { MessageOf } from '../protocol/messages.ts'
import type { Id } from '../protocol/record.ts'
import type { Security } from '../security/security.ts'
import type { Terms } from '../transport/handshake.ts'
import type { Address } from '../transport/sockets.ts'
import { wiringOf } from '../transport/tcp.ts'
import { Keeper, type Slots } from './keeper.ts'
import { LeaseLines } from './lease-lines.ts'
import { LeaseMemory } from './memory.ts'

export interface ThreadData {
  readonly id: Id
  readonly mesh: string
  /** The same as that of the program's own connections: it is one process. */
  readonly life: string
  readonly peers: ReadonlyMap<Id, Address>
  readonly security: Security
  readonly terms: Terms
  readonly lease: number
  readonly buffer: SharedArrayBuffer
  /** Whether the thread keeps the process alive. */
  readonly keepAlive: boolean
}

export type ToThread =
  /** What the program's thread has said of itself, and to whom. */
  | { readonly kind: 'said'; readonly heartbeat: MessageOf<'heartbeat'>; readonly to: readonly Id[] }
  | { readonly kind: 'slots'; readonly slots: Slots }
  | { readonly kind: 'peers'; readonly peers: ReadonlyMap<Id, Address> }
  | { readonly kind: 'reset'; readonly peer: Id }
  | { readonly kind: 'close' }

export type FromThread = { readonly kind: 'started'; readonly now: number }

const port = parentPort
if (port === null) throw new Error('the lease thread is started by join')
const { id, mesh, life, peers, security, terms, lease, buffer } = workerData as ThreadData

// It says nothing of what is out of reach or refused: the program's own connections to the same peers do.
const wiring = wiringOf({ id, mesh, life, security, terms }, 'lease')
const lines = new LeaseLines(wiring, (from, message) => keeper.receives(from, message, monotonic()))
const keeper = new Keeper(new LeaseMemory(buffer), lease, (to, message) => lines.send(to, message))
const ticker = setInterval(() => {
  keeper.tick(monotonic())
  lines.tick(monotonic(), lease)
}, lease / 20)

port.on('message', (message: ToThread) => {
  switch (message.kind) {
    case 'said': {
      const now = monotonic()
      for (const to of message.to) keeper.sends(to, message.heartbeat, now)
      return
    }
    case 'slots':
      return keeper.learn(message.slots)
    case 'peers':
      return lines.setPeers(message.peers)
    case 'reset':
      return lines.reset(message.peer)
    case 'close':
      clearInterval(ticker)
      void lines.close().then(() => process.exit())
  }
})

lines.setPeers(peers)
port.postMessage({ kind: 'started', now: monotonic() } satisfies FromThread)
