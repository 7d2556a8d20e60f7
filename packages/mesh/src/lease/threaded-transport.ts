/**
 * The transport of a node whose lease is kept by a thread. The program has connections for all messages except heartbeats and
 * acks. A speaker has its own connections for these: in the program's thread, and from the time when the node relies on it in a
 * lease thread. This class tells it which peers to speak with and what this node's heartbeat says, and receives the messages that
 * it passes on.
 */
import { existsSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { InvalidInput } from '@turnwise/core/invalid-input'
import type { Message, MessageOf } from '../protocol/messages.ts'
import type { Id } from '../protocol/record.ts'
import { type Address, tcpSockets } from '../transport/sockets.ts'
import type { TcpTransport } from '../transport/tcp.ts'
import { tlsSockets } from '../transport/tls.ts'
import type { Receiver, Transport } from '../transport/transport.ts'
import { monotonic } from './clock.ts'
import { type Beat, type By, type Slots, saysTheSame } from './keeper.ts'
import { type FromSpeaker, passedAtOnce, Speaker, type SpeakerData, type ToSpeaker } from './speaker.ts'
import type { FromThread, ToThread } from './thread.ts'

/** How far the readings of the common clock may differ between two threads. */
const READING_MS = 10

export class ThreadedTransport implements Transport {
  readonly #work: TcpTransport
  readonly #data: SpeakerData
  readonly #log: (line: string) => void
  /** In the program's thread; null when the lease thread has taken its place. */
  #speaker: Speaker | null = null
  /** Where that one listened. */
  #port = 0
  #worker: Worker | null = null
  #receiver: Receiver | null = null
  #started: Promise<void> | null = null
  /** The node has joined. */
  #isSettled = false
  #isVoter = false
  #isRelied = false
  /** The thread speaks. */
  #isUp = false
  #exited: Promise<void> = Promise.resolve()
  /** What the thread must know when it begins: the last message of each kind, in the order in which it needs them. */
  readonly #untold = new Map<string, ToSpeaker>()
  /** The peers that the speaker is connected with. */
  readonly #met = new Set<Id>()
  /** For each peer the time of the heartbeat that the thread last acknowledged. */
  readonly #answered = new Map<Id, number>()
  /** The peers that work was sent to lately, in two alternating spans, and when the later span began. */
  #hasWork = new Set<Id>()
  #hasNewWork = new Set<Id>()
  #workSince = Number.NEGATIVE_INFINITY
  /** The heartbeat that the thread was told last. */
  #word: MessageOf<'heartbeat'> | null = null
  /** The peer whose heartbeat is being handled, if the thread has answered it with this node's own. */
  #told: Id | null = null
  /** How the heartbeat last went to each peer, as far as the thread knows. */
  readonly #ways = new Map<Id, By>()
  /** Peers that say they do not hear this node. */
  readonly #deaf = new Set<Id>()
  /** The heartbeat of this turn of the event loop, and the peers it went to. */
  #unposted: { readonly heartbeat: MessageOf<'heartbeat'>; readonly to: Beat['to'][number][] } | null = null
  #closed: Promise<void> | null = null

  constructor(work: TcpTransport, data: SpeakerData, log: (line: string) => void) {
    this.#work = work
    this.#data = data
    this.#log = log
  }

  /**
   * The speaker begins in the program's thread. A lease thread takes as much processor time as loading the program, and others may
   * need the vote of a node that comes back. A vote needs no thread.
   */
  async start(receiver: Receiver): Promise<void> {
    if (this.#closed !== null) return
    // Fails before the node has said a word.
    entry()
    this.#receiver = receiver
    await this.#work.start({
      receive: (from, message) => {
        if (message.type === 'heartbeat') this.#listen(from, message)
        receiver.receive(from, message)
      },
      connected: (peer) => receiver.connected(peer),
      disconnected: (peer) => receiver.disconnected(peer),
      threadAt: (peer, place) => this.#post({ kind: 'thread', peer, place }),
    })
    if (this.#closed === null) await this.#speak(receiver)
  }

  async #speak(receiver: Receiver): Promise<void> {
    const { tls } = this.#data.security
    const sockets = tls === null ? tcpSockets : tlsSockets(tls, this.#data.mesh)
    const tell = (message: FromSpeaker) => {
      if (this.#speaker === speaker) this.#hear(message, receiver)
    }
    const news = passedAtOnce((messages) => tell({ kind: 'heard', messages }))
    const speaker = new Speaker(this.#data, sockets, tell, news)
    this.#speaker = speaker
    for (const message of this.#untold.values()) speaker.told(message)
    this.#port = await speaker.listen(0)
    if (this.#closed !== null) return speaker.close()
    this.#announce(this.#port)
  }

  /** Peers hear of it when this node dials them. */
  #announce(port: number): void {
    this.#work.announce({ port, beside: this.#data.listen.port })
  }

  /** A voter relies on its thread from now on: others need its acks while its program is busy. */
  settled(): Promise<void> {
    this.#isSettled = true
    return this.#isVoter ? this.#begin() : Promise.resolve()
  }

  /** A caller may hold something from now on. Its request leaves before the thread starts. */
  relied(): void {
    if (this.#isRelied) return
    this.#isRelied = true
    setImmediate(() => {
      this.#begin().catch((cause: Error) => {
        const error = new Error(`its lease thread did not start: ${cause.message}`, { cause })
        if (this.#closed === null) this.#receiver?.failed?.(error)
      })
    })
  }

  #begin(): Promise<void> {
    const receiver = this.#receiver
    if (this.#closed !== null || receiver === null) return Promise.resolve()
    this.#started ??= this.#startThread(receiver).then((port) => this.#hasStarted(port))
    return this.#started
  }

  #hasStarted(port: number): void {
    if (this.#closed !== null) return
    this.#isUp = true
    for (const message of this.#untold.values()) this.#post(message)
    this.#untold.clear()
    if (port !== this.#port) this.#announce(port)
  }

  /** Resolves with its port when it speaks instead of the program's own speaker. */
  #startThread(receiver: Receiver): Promise<number> {
    const execArgv = isSource ? ['--conditions=turnwise-source'] : []
    const worker = new Worker(entry(), { workerData: this.#data, execArgv })
    this.#worker = worker
    this.#exited = new Promise((resolve) => worker.once('exit', () => resolve()))
    return new Promise((resolve, reject) => {
      const before = monotonic()
      worker.on('message', (message: FromThread) => {
        if (message.kind === 'listens') resolve(message.port)
        else if (message.kind !== 'ready') this.#hear(message, receiver)
        else if (message.now > before - READING_MS && message.now < monotonic() + READING_MS) this.#handOver()
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
        const death = new Error(
          `its lease thread has died${cause === undefined ? '' : `: ${cause.message}`}`,
          { cause },
        )
        // Also if it was told to close while it started: somebody waits until it runs.
        reject(death)
        if (this.#closed === null) receiver.failed?.(death)
      })
    })
  }

  /** The thread listens at the same port, so peers need not hear of it. Until it does, the program sends heartbeats with its work. */
  #handOver(): void {
    const speaker = this.#speaker
    if (this.#closed !== null) return
    if (!this.#data.keepAlive) this.#worker?.unref()
    this.#speaker = null
    this.#met.clear()
    void speaker?.close()
    this.#worker?.postMessage({ kind: 'listen', port: this.#port } satisfies ToThread)
  }

  #hear(message: FromSpeaker, receiver: Receiver): void {
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
    } else {
      if (message.type === 'promise' || message.type === 'accepted') this.#beatBeside(to)
      this.#hasNewWork.add(to)
    }
    this.#work.send(to, message)
  }

  /** R20: a vote follows the heartbeat before it. That of the thread may come later, or never if this process is killed. */
  #beatBeside(to: Id): void {
    if (this.#word !== null && this.#ways.get(to) === 'thread' && this.#met.has(to))
      this.#work.send(to, this.#word)
  }

  /**
   * Sends the heartbeat once to each peer: by the thread, or if that has no connection, by the program. While the program sends work
   * to the peer, the heartbeat goes with the work, and the thread only renews the lease. So if the work does not get through, the peer
   * takes this node for silent (R8). Links repeat unacknowledged messages, so lost work counts as work too. A peer that does not hear
   * this node gets the heartbeat only with the work, until it hears it. Otherwise it would take in a node whose work does not reach it.
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
    if (now - this.#workSince >= this.#data.leaseMs / 2) {
      this.#hasWork = this.#hasNewWork
      this.#hasNewWork = new Set()
      this.#workSince = now
    }
    if (this.#deaf.has(to)) return 'work alone'
    return this.#hasWork.has(to) || this.#hasNewWork.has(to) ? 'work' : 'thread'
  }

  /** Whether the thread has already sent this answer with its ack: it says the same, and this peer gets heartbeats from the thread. */
  #isTold(to: Id, heartbeat: MessageOf<'heartbeat'>): boolean {
    const isKnown = this.#word !== null && saysTheSame(this.#word, heartbeat)
    return this.#told === to && isKnown && (this.#ways.get(to) ?? 'thread') === 'thread'
  }

  #flush(): void {
    if (this.#unposted !== null) this.#post({ kind: 'beat', ...this.#unposted })
    this.#unposted = null
  }

  publish(slots: Slots): void {
    this.#isVoter = slots.voters.has(slots.voterId)
    this.#post({ kind: 'slots', slots })
    // It votes from now on.
    if (this.#isVoter && this.#isSettled) this.relied()
  }

  #post(message: ToSpeaker): void {
    if (this.#isUp) return this.#worker?.postMessage(message)
    this.#keep(message)
    this.#speaker?.told(message)
  }

  /** The program may speak for itself for long, so what is kept for the thread does not grow. */
  #keep(message: ToSpeaker): void {
    const { kind } = message
    // The thread has no connections yet.
    if (kind === 'answer' || kind === 'reset') return
    if (kind === 'thread') return void this.#untold.set(`thread of ${message.peer}`, message)
    const beat = this.#untold.get('beat')
    // The thread forgets its heartbeat when it gets other slots, so a heartbeat comes after them.
    if (kind === 'beat' || kind === 'slots') this.#untold.delete('beat')
    if (kind !== 'beat' || beat?.kind !== 'beat') return void this.#untold.set(kind, message)
    const again = new Set(message.to.map(({ peer }) => peer))
    const to = [...beat.to.filter(({ peer }) => !again.has(peer)), ...message.to]
    this.#untold.set('beat', { ...message, to })
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
    // leave() waits for the thread to end.
    this.#worker?.ref()
    this.#worker?.postMessage({ kind: 'close' } satisfies ToThread)
    await Promise.all([this.#work.close(), this.#speaker?.close(), this.#exited])
  }
}

/** When the package runs from source, under the loader of the program, the entry is TypeScript. */
const isSource = here()?.endsWith('.ts') === true

function entry(): URL {
  const home = here()
  const file = home === undefined ? null : new URL(isSource ? './thread.boot.mjs' : './thread.js', home)
  if (file !== null && existsSync(file)) return file
  const name = file === null ? '' : `${fileURLToPath(file)} `
  throw new InvalidInput(
    `the lease thread ${name}is missing: a bundler left it out. Keep turnwise out of the bundle, bundle ` +
      'turnwise/thread as thread.js beside it, or join with thread: false',
  )
}

/** A bundle that is not an ES module has no `import.meta.url`, but it has `__filename`. */
function here(): string | undefined {
  const url = import.meta.url as string | undefined
  return url ?? (typeof __filename === 'string' ? pathToFileURL(__filename).href : undefined)
}
