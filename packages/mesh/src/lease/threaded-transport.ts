/**
 * The transport of a node whose lease is kept by a thread of its own. Messages go over connections of the program's
 * thread; the other one has its own, and is told here whom to speak with and what this node says of itself.
 */
import { existsSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { monotonic } from '../host/clock.ts'
import type { Message, MessageOf } from '../protocol/messages.ts'
import type { Id } from '../protocol/record.ts'
import type { Address } from '../transport/sockets.ts'
import type { TcpTransport } from '../transport/tcp.ts'
import type { Receiver, Transport } from '../transport/transport.ts'
import type { Slots } from './keeper.ts'
import type { FromThread, ThreadData, ToThread } from './thread.ts'

/** By how much two threads may read their common clock differently. */
const READING_MS = 10

export class ThreadedTransport implements Transport {
  readonly #work: TcpTransport
  readonly #data: ThreadData
  readonly #log: (line: string) => void
  #worker: Worker | null = null
  #exited: Promise<void> = Promise.resolve()
  /** What it is told before it is there. */
  #untold: ToThread[] = []
  /** The heartbeat of this turn of the event loop, and to whom it has gone. */
  #said: { readonly heartbeat: MessageOf<'heartbeat'>; readonly to: Id[] } | null = null
  #closed: Promise<void> | null = null

  constructor(work: TcpTransport, data: ThreadData, log: (line: string) => void) {
    this.#work = work
    this.#data = data
    this.#log = log
  }

  async start(receiver: Receiver): Promise<void> {
    await this.#work.start(receiver)
    if (this.#closed === null) await this.#startThread(receiver)
  }

  #startThread(receiver: Receiver): Promise<void> {
    const execArgv = isSource ? ['--conditions=turnwise-source'] : []
    const worker = new Worker(entry(), { workerData: this.#data, execArgv })
    this.#worker = worker
    this.#exited = new Promise((resolve) => worker.once('exit', () => resolve()))
    for (const message of this.#untold.splice(0)) worker.postMessage(message)
    return new Promise((resolve, reject) => {
      const before = monotonic()
      worker.once('message', ({ now }: FromThread) => {
        if (!this.#data.keepAlive) worker.unref()
        if (now > before - READING_MS && now < monotonic() + READING_MS) resolve()
        else
          reject(
            new InvalidInput('the threads of this runtime have no clock in common: join with thread: false'),
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

  send(to: Id, message: Message): void {
    this.#work.send(to, message)
    if (message.type === 'heartbeat') this.#tell(to, message)
  }

  #tell(to: Id, heartbeat: MessageOf<'heartbeat'>): void {
    if (this.#said?.heartbeat === heartbeat) {
      this.#said.to.push(to)
      return
    }
    this.#flush()
    this.#said = { heartbeat, to: [to] }
    queueMicrotask(() => this.#flush())
  }

  #flush(): void {
    if (this.#said !== null) this.#post({ kind: 'said', ...this.#said })
    this.#said = null
  }

  publish(slots: Slots): void {
    this.#post({ kind: 'slots', slots })
  }

  #post(message: ToThread): void {
    if (this.#worker === null) this.#untold.push(message)
    else this.#worker.postMessage(message)
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
    this.#worker?.ref()
    // Whoever leaves waits for it.
    this.#worker?.ref()
    this.#post({ kind: 'close' })
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
