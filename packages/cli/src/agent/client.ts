/** The control socket of a daemon, as a program sees it that asks. */
import { connect, type Socket } from 'node:net'
import { resolve as resolvePath } from 'node:path'
import {
  type Answer,
  BadLine,
  Lines,
  LONGEST_ANSWER,
  type Question,
  readAnswer,
  VERSION,
} from './protocol.ts'

/** Nobody answers at the control socket, or not in a way that can be understood. */
export class NoDaemon extends Error {
  override readonly name = 'NoDaemon'
}

type Asked = Exclude<Question, { kind: 'hello' }>['kind']
type AskOf<Kind extends Asked> = Omit<Extract<Question, { kind: Kind }>, 'kind' | 'ticket'>
type Ticketed = Extract<Answer, { ticket: number }>
type Unasked = Extract<Answer, { kind: 'lost' | 'end' }>

/** Milliseconds for a daemon on the same machine to say hello. */
const HELLO_WITHIN = 5000

export class Client {
  readonly #socket: Socket
  readonly #lines = new Lines(LONGEST_ANSWER)
  readonly #open = new Map<number, { answer: (answer: Ticketed) => void; fail: (error: Error) => void }>()
  #tickets = 0
  #hello: ((hello: Extract<Answer, { kind: 'hello' }>) => void) | null = null
  #failure: Error | null = null
  /** What the daemon says unasked, and that it can no longer be spoken with. */
  onUnasked: (said: Unasked) => void = () => {}
  onBroken: (error: Error) => void = () => {}
  /** Of the daemon's node. */
  lease = 0

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (bytes) => this.#read(bytes))
    socket.on('error', (error) => this.#fail(new NoDaemon(error.message, { cause: error })))
    socket.on('close', () => this.#fail(new NoDaemon('the daemon has closed the connection')))
  }

  static async open(path: string): Promise<Client> {
    const client = new Client(await reach(resolvePath(path)))
    const timer = setTimeout(() => client.#fail(new NoDaemon(`no daemon answers at ${path}`)), HELLO_WITHIN)
    try {
      const hello = await new Promise<Extract<Answer, { kind: 'hello' }>>((resolve, reject) => {
        client.#hello = resolve
        client.onBroken = reject
        client.#send({ kind: 'hello', version: VERSION })
      })
      if (hello.version !== VERSION) {
        throw new NoDaemon(
          `the daemon at ${path} speaks version ${hello.version}, but this program speaks ${VERSION}`,
        )
      }
      client.lease = hello.lease
      client.onBroken = () => {}
      return client
    } catch (error) {
      client.close()
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  ask<Kind extends Asked>(kind: Kind, question: AskOf<Kind>): Promise<Ticketed> {
    if (this.#failure !== null) return Promise.reject(this.#failure)
    this.#tickets += 1
    const ticket = this.#tickets
    return new Promise((answer, fail) => {
      this.#open.set(ticket, { answer, fail })
      this.#send({ ...question, kind, ticket } as unknown as Question)
    })
  }

  close(): void {
    this.#failure ??= new NoDaemon('the connection is closed')
    this.#socket.destroy()
  }

  #send(question: Question): void {
    this.#socket.write(`${JSON.stringify(question)}\n`)
  }

  #read(bytes: Uint8Array): void {
    try {
      for (const line of this.#lines.push(bytes)) this.#hear(readAnswer(line))
    } catch (error) {
      if (!(error instanceof BadLine)) throw error
      this.#fail(new NoDaemon(`the daemon sent an unreadable answer: ${error.message}`, { cause: error }))
    }
  }

  #hear(answer: Answer): void {
    if (answer.kind === 'hello') this.#hello?.(answer)
    else if (answer.kind === 'error') this.#fail(new NoDaemon(`the daemon says: ${answer.message}`))
    else if ('ticket' in answer) {
      this.#open.get(answer.ticket)?.answer(answer)
      this.#open.delete(answer.ticket)
    } else this.onUnasked(answer)
  }

  #fail(error: Error): void {
    if (this.#failure !== null) return
    this.#failure = error
    this.#socket.destroy()
    for (const { fail } of this.#open.values()) fail(error)
    this.#open.clear()
    this.onBroken(error)
  }
}

function reach(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path)
    const fail = (error: NodeJS.ErrnoException) => {
      const reason =
        error.code === 'EACCES' || error.code === 'EPERM'
          ? 'it belongs to another user'
          : 'no process listens there'
      reject(new NoDaemon(`no daemon can be reached at ${path}: ${reason}`, { cause: error }))
    }
    socket.once('error', fail)
    socket.once('connect', () => {
      socket.off('error', fail)
      resolve(socket)
    })
  })
}
