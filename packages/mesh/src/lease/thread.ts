/**
 * The entry of the lease thread. It has its own connections, so that heartbeats come and go while the program's thread is busy.
 * Decisions of the protocol reach it through shared memory.
 */
import { parentPort, workerData } from 'node:worker_threads'
import type { Message } from '../protocol/messages.ts'
import type { Id } from '../protocol/record.ts'
import type { Security } from '../security/security.ts'
import type { Place, Terms } from '../transport/handshake.ts'
import { type Address, type Sockets, tcpSockets } from '../transport/sockets.ts'
import { wiringOf } from '../transport/wiring.ts'
import { monotonic } from './clock.ts'
import { type Beat, Keeper, type Slots } from './keeper.ts'
import { LeaseLines } from './lease-lines.ts'
import { LeaseMemory } from './memory.ts'
import { type Heard, News } from './news.ts'
import { recordOfThread, type StampRecord } from './stamp-file.ts'

export interface ThreadData {
  readonly id: Id
  readonly mesh: string
  /** The same as for the program's own connections, because it is one process. */
  readonly life: string
  /** Where the program listens. */
  readonly listen: Address
  readonly peers: ReadonlyMap<Id, Address>
  readonly security: Security
  readonly terms: Terms
  readonly leaseMs: number
  readonly buffer: SharedArrayBuffer
  /** Whether the thread keeps the process alive. */
  readonly keepAlive: boolean
}

export type ToThread =
  | ({ readonly kind: 'beat' } & Beat)
  /** The answer of the program's thread to one peer. */
  | { readonly kind: 'answer'; readonly to: Id; readonly message: Message }
  | { readonly kind: 'slots'; readonly slots: Slots }
  /** Where the thread of a peer listens. */
  | { readonly kind: 'thread'; readonly peer: Id; readonly place: Place | null }
  | { readonly kind: 'peers'; readonly peers: ReadonlyMap<Id, Address> }
  | { readonly kind: 'reset'; readonly peer: Id }
  | { readonly kind: 'close' }

export type FromThread =
  | { readonly kind: 'started'; readonly now: number; readonly port: number }
  /** Messages of peers, in order, and whether this thread has answered them. */
  | { readonly kind: 'heard'; readonly messages: readonly Heard[] }
  /** Whether there is a connection to the peer. */
  | { readonly kind: 'turned'; readonly peer: Id; readonly isOpen: boolean }

const port = parentPort
if (port === null) throw new Error('the lease thread is started by join')
const { id, mesh, life, listen, peers, security, terms, leaseMs, buffer } = workerData as ThreadData

function tell(message: FromThread): void {
  port?.postMessage(message)
}

function run(sockets: Sockets): Promise<number> {
  // It logs no unreachable or refused peers: the program's own connections to the same peers do.
  const wiring = wiringOf({ id, mesh, life, security, terms, sockets }, 'lease')
  const news = new News(leaseMs, (messages) => tell({ kind: 'heard', messages }))
  const lines = new LeaseLines(wiring, leaseMs, {
    heard: (from, message, isThread) => {
      const now = monotonic()
      const isAnswered = keeper.receives(from, message, now)
      // Programs speak to each other on their own connections. If those are cut, this thread must not hide it (R8).
      if (isThread && message.type !== 'renew') {
        news.add({ from, message, isAnswered, isTold: isAnswered && keeper.hasTold(from, now) }, now)
      }
    },
    turned: (peer, isOpen) => {
      tell({ kind: 'turned', peer, isOpen })
      if (isOpen) keeper.meets(peer, monotonic())
      else setImmediate(pace)
    },
  })
  let stamp: StampRecord | null = null
  const keeper = new Keeper(
    new LeaseMemory(buffer),
    leaseMs,
    (to, message) => lines.send(to, message),
    () => stamp?.cover() ?? true,
  )
  let timer: NodeJS.Timeout | undefined
  /** Wakes when the program would be late, or sooner while a connection must be made. */
  const pace = () => {
    clearTimeout(timer)
    const now = monotonic()
    const isSoon = lines.tick(now)
    const left = keeper.dueIn(now)
    timer = setTimeout(due, isSoon ? Math.min(left, leaseMs / 20) : left)
  }
  const due = () => {
    keeper.tick(monotonic())
    pace()
  }

  port?.on('message', (message: ToThread) => {
    if (message.kind === 'close') {
      clearTimeout(timer)
      return void lines.close().then(() => process.exit())
    }
    if (message.kind === 'beat') news.soon()
    if (message.kind === 'slots') {
      news.forget()
      // One record for the whole life: what it says never goes back.
      if (message.slots.stamp !== null) stamp ??= recordOfThread(message.slots.stamp)
    }
    obey(message, keeper, lines)
    pace()
  })
  lines.setPeers(peers)
  pace()
  return lines.listen(listen.host)
}

function obey(message: Exclude<ToThread, { kind: 'close' }>, keeper: Keeper, lines: LeaseLines): void {
  switch (message.kind) {
    case 'beat':
      return keeper.says(message, monotonic())
    case 'answer':
      return lines.send(message.to, message.message)
    case 'thread':
      return lines.learn(message.peer, message.place)
    case 'slots':
      return keeper.learn(message.slots)
    case 'peers':
      return lines.setPeers(message.peers)
    case 'reset':
      return lines.reset(message.peer, monotonic())
  }
}

/** A thread loads its own copy of each module, so TLS is loaded only where it is used. */
async function start(): Promise<void> {
  const { tls } = security
  const sockets = tls === null ? tcpSockets : (await import('../transport/tls.ts')).tlsSockets(tls, mesh)
  tell({ kind: 'started', port: await run(sockets), now: monotonic() })
}

// No top-level await: a bundle that is not an ES module cannot have one. A failure ends the thread, and the program hears of it.
void start()
