/**
 * The transport of a node whose lease is kept by a thread of its own. Messages go over connections of the program's
 * thread, but heartbeats and acks: the other thread has connections of its own for these. It is told here whom to speak with and what
 * this node says of itself, and hands on what it hears.
 */
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { monotonic } from '../host/clock.ts'
import type { Message, MessageOf } from '../protocol/messages.ts'
import type { Id } from '../protocol/record.ts'
import type { Address } from '../transport/sockets.ts'
import type { TcpTransport } from '../transport/tcp.ts'
import type { Receiver, Transport } from '../transport/transport.ts'
import { type Beat, type By, type Slots, saysTheSame } from './keeper.ts'
import type { FromThread, ThreadData, ToThread } from './thread.ts'

/** By how much two threads may read their common clock differently. */
const READING_MS = 10

/** Of a lease: so long the node waits for its thread before it speaks without it. */
const HEAD_START = 0.25

export class ThreadedTransport implements Transport {
  readonly #work: TcpTransport
  readonly #data: ThreadData
  readonly #log: (line: string) => void
  #worker: Worker | null = null
  #started: Promise<void> = Promise.resolve()
  /** It runs, and its clock is the program's. */
  #isUp = false
  #exited: Promise<void> = Promise.resolve()
  /** What it is told before it is there. */
  #untold: ToThread[] = []
  /** To whom the thread has a way. */
  readonly #met = new Set<Id>()
  /** Of each peer the heartbeat that the thread has acknowledged last, by its time. */
  readonly #answered = new Map<Id, number>()
  /** To whom work has gone of late: two spans of time in turn, and when the later one began. */
  #hasWork = new Set<Id>()
  #hasNewWork = new Set<Id>()
  #workSince = Number.NEGATIVE_INFINITY
  /** What the thread was told last to say. */
  #word: MessageOf<'heartbeat'> | null = null
  /** Whose heartbeat is handled, if the thread has answered it with this node's own. */
  #told: Id | null = null
  /** How the heartbeat went to each peer last, as far as the thread knows. */
  readonly #ways = new Map<Id, By>()
  /** Who says that it does not hear this node. */
  readonly #deaf = new Set<Id>()
  /** The heartbeat of this turn of the event loop, and to whom it has gone. */
  #unposted: { readonly heartbeat: MessageOf<'heartbeat'>; readonly to: Beat['to'][number][] } | null = null
  #closed: Promise<void> | null = null

  constructor(work: TcpTransport, data: ThreadData, log: (line: string) => void) {
    this.#work = work
    this.#data = data
    this.#log = log
  }

  async start(receiver: Receiver): Promise<void> {
    if (this.#closed !== null) return
    this.#started = this.#startThread(receiver).then((port) => this.#hasStarted(port))
    // Whoever waits for it hears of a failure, and so does the receiver.
    this.#started.catch(() => {})
    // On a busy machine a thread takes longer to start than a lease. Others need this node's votes, and those need no thread.
    await Promise.race([this.#started, sleep(HEAD_START * this.#data.lease, undefined, { ref: false })])
    if (this.#closed !== null) return
    await this.#work.start({
      receive: (from, message) => {
        if (message.type === 'heartbeat') this.#listen(from, message)
        receiver.receive(from, message)
      },
      connected: (peer) => receiver.connected(peer),
      disconnected: (peer) => receiver.disconnected(peer),
      threadAt: (peer, place) => this.#post({ kind: 'thread', peer, place }),
    })
  }

  /** Until it runs and its clock is the program's the thread says nothing for this node, and nobody is told of it. */
  #hasStarted(port: number): void {
    if (this.#closed !== null) return
    this.#isUp = true
    for (const message of this.#untold.splice(0)) this.#post(message)
    // Peers hear of it when this node dials them.
    this.#work.announce({ port, beside: this.#data.listen.port })
  }

  /** A program that joins relies on its thread. */
  settled(): Promise<void> {
    return this.#started
  }

  #startThread(receiver: Receiver): Promise<number> {
    const execArgv = isSource ? ['--conditions=turnwise-source'] : []
    const worker = new Worker(entry(), { workerData: this.#data, execArgv })
    this.#worker = worker
    this.#exited = new Promise((resolve) => worker.once('exit', () => resolve()))
    return new Promise((resolve, reject) => {
      const before = monotonic()
      worker.on('message', (message: FromThread) => {
        if (message.kind !== 'started') return this.#hear(message, receiver)
        const { now, port } = message
        if (!this.#data.keepAlive) worker.unref()
        if (now > before - READING_MS && now < monotonic() + READING_MS) resolve(port)
        else
          reject(
            new InvalidInput('the threads of this runtime do not share a clock: join with thread: false'),
          )
      })
      let cause: Error | undefined
      worker.on('error', (error) => {
        cause = error
        this.#log(`the lease thread failed: ${error.message}`)
        reject(error)
      })
      worker.once('exit', () => {
        if (this.#closed !== null) return
        const death = new Error(
          `its lease thread has died${cause === undefined ? '' : `: ${cause.message}`}`,
          { cause },
        )
        reject(death)
        receiver.failed?.(death)
      })
    })
  }

  #hear(message: Exclude<FromThread, { kind: 'started' }>, receiver: Receiver): void {
    if (this.#closed !== null) return
    if (message.kind === 'turned') {
      if (message.isOpen) this.#met.add(message.peer)
      else this.#met.delete(message.peer)
      return
    }
    for (const { from, message: said, isAnswered, isTold } of message.messages) {
      if (said.type === 'heartbeat') {
        if (isAnswered) this.#answered.set(from, said.at)
        this.#listen(from, said)
        this.#told = isTold ? from : null
      }
      receiver.receive(from, said)
      this.#told = null
    }
  }

  #listen(from: Id, { suspects }: MessageOf<'heartbeat'>): void {
    if (suspects.includes(this.#data.id)) this.#deaf.add(from)
    else this.#deaf.delete(from)
  }

  send(to: Id, message: Message): void {
    if (message.type === 'heartbeat') return this.#beat(to, message)
    if (message.type === 'ack') {
      if (this.#answered.get(to) === message.at) return
      if (this.#met.has(to)) return this.#post({ kind: 'answer', to, message })
    } else this.#hasNewWork.add(to)
    this.#work.send(to, message)
  }

  /**
   * Once to each peer: by the thread, or where that has no way to it by the program's own connection. While work goes to the peer
   * it goes with that, and the thread renews the lease alone. For if the work does not get through the peer must take this node for silent
   * (R8). Links repeat what is not acknowledged, so work that is lost is work that goes on. A peer that does not hear this node is told by
   * the way of the work until it does: else it would take back one whom its work does not reach.
   */
  #beat(to: Id, heartbeat: MessageOf<'heartbeat'>): void {
    const by = this.#wayTo(to, heartbeat.at)
    if (by === 'thread' && this.#isTold(to, heartbeat)) return
    if (this.#unposted?.heartbeat !== heartbeat) {
      this.#flush()
      this.#unposted = { heartbeat, to: [] }
      this.#word = heartbeat
      queueMicrotask(() => this.#flush())
    }
    this.#ways.set(to, by)
    if (by !== 'thread' || !this.#met.has(to)) this.#work.send(to, heartbeat)
    this.#unposted.to.push({ peer: to, by })
  }

  #wayTo(to: Id, now: number): By {
    if (now - this.#workSince >= this.#data.lease / 2) {
      this.#hasWork = this.#hasNewWork
      this.#hasNewWork = new Set()
      this.#workSince = now
    }
    if (this.#deaf.has(to)) return 'work alone'
    return this.#hasWork.has(to) || this.#hasNewWork.has(to) ? 'work' : 'thread'
  }

  /** Whether this answer to the heartbeat that is handled went with the thread's ack: it has the same words, and the way is its own. */
  #isTold(to: Id, heartbeat: MessageOf<'heartbeat'>): boolean {
    const isKnown = this.#word !== null && saysTheSame(this.#word, heartbeat)
    return this.#told === to && isKnown && (this.#ways.get(to) ?? 'thread') === 'thread'
  }

  #flush(): void {
    if (this.#unposted !== null) this.#post({ kind: 'beat', ...this.#unposted })
    this.#unposted = null
  }

  publish(slots: Slots): void {
    this.#post({ kind: 'slots', slots })
  }

  #post(message: ToThread): void {
    if (this.#isUp) this.#worker?.postMessage(message)
    else this.#untold.push(message)
  }

  beforeWriting(action: () => void): boolean {
    return this.#work.beforeWriting(action)
  }

  readonly backlog = (to: Id): number => this.#work.backlog(to)

  reset(peer: Id): void {
    this.#work.reset(peer)
    this.#post({ kind: 'reset', peer })
  }

  setPeers(peers: ReadonlyMap<Id, Address>): void {
    this.#work.setPeers(peers)
    this.#post({ kind: 'peers', peers })
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    // Whoever leaves waits for it.
    this.#worker?.ref()
    this.#worker?.postMessage({ kind: 'close' } satisfies ToThread)
    await Promise.all([this.#work.close(), this.#exited])
  }
}

/** From source, under a loader that the program was started with, the entry is TypeScript. */
const isSource = here()?.endsWith('.ts') === true

function entry(): URL {
  const home = here()
  const file = home === undefined ? null : new URL(isSource ? './thread.boot.mjs' : './thread.js', home)
  if (file !== null && existsSync(file)) return file
  const name = file === null ? '' : `${fileURLToPath(file)} `
  throw new InvalidInput(
    `the lease thread ${name}is missing: a bundler left it out. Keep turnwise out of the bundle, bundle ` +
      '@turnwise/mesh/lease/thread as thread.js beside it, or join with thread: false',
  )
}

/** In a bundle that is no ES module there is no `import.meta.url`, but the name of its file. */
function here(): string | undefined {
  const url = import.meta.url as string | undefined
  return url ?? (typeof __filename === 'string' ? pathToFileURL(__filename).href : undefined)
}
