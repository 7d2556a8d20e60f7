/** The transport of a node whose lease is kept by a thread of its own: the sockets are there, this is the way to them. */
import { Worker } from 'node:worker_threads'
import type { Message } from '../protocol/messages.ts'
import type { Id } from '../protocol/record.ts'
import type { Address } from '../transport/sockets.ts'
import type { Receiver, Transport } from '../transport/transport.ts'
import type { Slots } from './keeper.ts'
import type { FromThread, ThreadData, ToThread } from './thread.ts'

export class ThreadedTransport implements Transport {
  readonly #data: ThreadData
  readonly #log: (line: string) => void
  #worker: Worker | null = null
  #exited: Promise<void> = Promise.resolve()
  #receiver: Receiver | null = null
  #leaving: [Id, Message][] = []
  #backlogs = new Map<Id, number>()
  #closed: Promise<void> | null = null

  constructor(data: ThreadData, log: (line: string) => void) {
    this.#data = data
    this.#log = log
  }

  start(receiver: Receiver): Promise<void> {
    this.#receiver = receiver
    const worker = new Worker(entry(), { workerData: this.#data, execArgv: execArgv() })
    this.#worker = worker
    this.#exited = new Promise((resolve) => worker.once('exit', () => resolve()))
    return new Promise((resolve, reject) => {
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
      worker.on('message', (message: FromThread) => {
        if (message.kind === 'started') resolve()
        else if (message.kind === 'failed') reject(new Error(message.message))
        else this.#hear(message)
      })
    })
  }

  #hear(message: FromThread): void {
    switch (message.kind) {
      case 'received':
        for (const [from, each] of message.batch) this.#receiver?.receive(from, each)
        return
      case 'connected':
        return this.#receiver?.connected(message.peer)
      case 'disconnected':
        return this.#receiver?.disconnected(message.peer)
      case 'backlog':
        this.#backlogs.set(message.peer, message.bytes)
        return
      case 'log':
        this.#log(message.line)
    }
  }

  /** All that is sent in one turn of the event loop goes over in one message. */
  send(to: Id, message: Message): void {
    if (this.#leaving.length === 0) queueMicrotask(() => this.#flush())
    this.#leaving.push([to, message])
  }

  #flush(): void {
    const batch = this.#leaving
    this.#leaving = []
    this.#post({ kind: 'send', batch })
  }

  publish(slots: Slots): void {
    this.#post({ kind: 'slots', slots })
  }

  #post(message: ToThread): void {
    this.#worker?.postMessage(message)
  }

  readonly backlog = (to: Id): number => this.#backlogs.get(to) ?? 0

  reset(peer: Id): void {
    this.#post({ kind: 'reset', peer })
  }

  setPeers(peers: ReadonlyMap<Id, Address>): void {
    this.#post({ kind: 'peers', peers })
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  #close(): Promise<void> {
    this.#receiver = null
    this.#flush()
    this.#post({ kind: 'close' })
    return this.#exited
  }
}

/** From source, under a loader that the program was started with, the entry is TypeScript. */
function entry(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? './thread.boot.mjs' : './thread.js', import.meta.url)
}

function execArgv(): string[] {
  return import.meta.url.endsWith('.ts') ? ['--conditions=turnwise-source'] : []
}
