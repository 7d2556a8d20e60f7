/** The connection to a daemon's control socket or door, at the client's side. */
import { lstatSync, statSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { resolve as resolvePath } from 'node:path'
import { codeOf } from '../disk/witness.ts'
import { monotonic } from '../lease/clock.ts'
import { NoDaemonError } from '../locks/errors.ts'
import type { Lined } from '../locks/survey.ts'
import { connected } from '../transport/sockets.ts'
import { type Answer, FAR_SILENCE, LONGEST_ANSWER, type Question, VERSION } from './control-messages.ts'
import { BadLine, Lines, readAnswer } from './read-control-messages.ts'
import { errorOf } from './refusals.ts'

type Asked = Exclude<Question, { kind: 'hello' }>['kind']
type AskOf<Kind extends Asked> = Omit<Extract<Question, { kind: Kind }>, 'kind' | 'ticket'>
export type Ticketed = Extract<Answer, { ticket: number }>
export type Unasked = Extract<Answer, { kind: 'lost' | 'upgraded' | 'not-upgraded' | 'end' }>
type Hello = Extract<Answer, { kind: 'hello' }>

/** Milliseconds for a daemon to say hello. */
export const HELLO_WITHIN = 5000

/** C9: how often a far client checks for an answer within FAR_SILENCE, and asks again. */
const FAR_LOOKS = 3

/** A daemon on another machine. */
export interface Far {
  /** Where it is, for people. */
  readonly where: string
  /** The name of the client, and its token unless a certificate proves it. */
  readonly client: string
  readonly token: string | null
  reach(): Promise<Socket>
}

/** A daemon answered, and does not serve this client. To try again would not help. */
export class Unwelcome extends NoDaemonError {}

export interface ClientOptions {
  /** A process beside this one works under the locks (C6). */
  readonly lingers?: boolean
}

export class Client {
  readonly #socket: Socket
  readonly #lines = new Lines(LONGEST_ANSWER)
  readonly #open = new Map<number, { answer: (answer: Ticketed) => void; fail: (error: Error) => void }>()
  /** When the latest questions were sent, in order. Questions before an answered one are removed. */
  readonly #sent = new Map<number, number>()
  #tickets = 0
  #hello: ((hello: Hello) => void) | null = null
  #failure: Error | null = null
  #isCorked = false
  #touch: NodeJS.Timeout | undefined
  /** The last beat that was answered. */
  #beat = 0
  /** Callbacks: answers to `put`, messages that the daemon sends unasked, and the end of the connection. */
  onAnswer: (answer: Ticketed) => void = () => {}
  onUnasked: (said: Unasked) => void = () => {}
  onBroken: (error: Error) => void = () => {}
  /** The lease of the daemon's node. */
  leaseMs = 0
  id = ''

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (bytes) => this.#read(bytes))
    const gone = (cause?: Error) =>
      this.#fail(new NoDaemonError('the daemon has closed the connection', { cause }))
    socket.on('error', gone)
    socket.on('close', () => gone())
  }

  /** `daemon`: the path of a control socket, or a daemon on another machine. */
  static async open(daemon: string | Far, { lingers = false }: ClientOptions = {}): Promise<Client> {
    const isFar = typeof daemon !== 'string'
    const path = isFar ? daemon.where : daemon
    const { client: name = null, token = null } = isFar ? daemon : {}
    const client = new Client(await (isFar ? daemon.reach() : reach(resolvePath(path))))
    const timer = setTimeout(
      () => client.#fail(new NoDaemonError(`no daemon answers at ${path}`)),
      HELLO_WITHIN,
    )
    try {
      const hello = await new Promise<Hello>((resolve, reject) => {
        client.#hello = resolve
        client.onBroken = reject
        client.#send({ kind: 'hello', version: VERSION, lingers, client: name, token })
      })
      if (hello.version !== VERSION) {
        throw new Unwelcome(
          `the daemon at ${path} speaks version ${hello.version}, but this program speaks ${VERSION}`,
        )
      }
      client.leaseMs = hello.lease
      client.id = hello.id
      client.onBroken = () => {}
      if (isFar) client.#keepInTouch(path)
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
    return new Promise((answer, fail) => this.#open.set(this.put(kind, question), { answer, fail }))
  }

  /** Returns the ticket, the last of so many. The answer comes to `onAnswer`. */
  put<Kind extends Asked>(kind: Kind, question: AskOf<Kind>, tickets = 1): number {
    this.#tickets += tickets
    const ticket = this.#tickets
    this.#sent.set(ticket, monotonic())
    this.#send({ ...question, kind, ticket } as unknown as Question)
    return ticket
  }

  /** Who holds and who waits, for one key or for all, and the place of the request with the ticket `hold`. */
  async survey(key: string | null, hold: number | null = null): Promise<Lined> {
    const answer = await this.ask('survey', { key, hold })
    if (answer.kind === 'survey') return answer
    if (answer.kind === 'refused' && answer.why !== 'taken') throw errorOf(answer.why, answer.message)
    throw new Error('the daemon sent an unexpected answer')
  }

  /** C10: the echo that this answers, if any. */
  beat(echo: number | null = null): number {
    return this.put('beat', { echo })
  }

  /** When this question was sent; minus infinity if it was removed. */
  sentAt(ticket: number): number {
    return this.#sent.get(ticket) ?? Number.NEGATIVE_INFINITY
  }

  /** Whether this connection keeps the process alive. */
  keepAlive(isAlive: boolean): void {
    if (isAlive) this.#socket.ref()
    else this.#socket.unref()
  }

  /** C9. The system would take minutes to notice that a machine is gone. */
  #keepInTouch(path: string): void {
    let asked = 0
    let looks = 0
    this.#touch = setInterval(() => {
      // Input that came while this process was stopped is read first.
      setImmediate(() => {
        looks += 1
        if (asked <= this.#beat) {
          asked = this.beat()
          looks = 0
        } else if (looks >= FAR_LOOKS) {
          this.#fail(new NoDaemonError(`the daemon at ${path} has not answered for ${FAR_SILENCE} ms`))
        }
      })
    }, FAR_SILENCE / FAR_LOOKS)
    this.#touch.unref()
  }

  /** Closes at once. The last messages may not arrive. */
  close(): void {
    this.onBroken = () => {}
    this.#fail(new NoDaemonError('the connection is closed'))
    this.#socket.destroy()
  }

  /** Resolves when the daemon has read everything, or is gone. */
  hangUp(): Promise<void> {
    clearInterval(this.#touch)
    this.#failure ??= new NoDaemonError('the connection is closed')
    if (this.#socket.closed) return Promise.resolve()
    this.#socket.ref()
    return new Promise((resolve) => {
      this.#socket.once('close', () => resolve())
      this.#uncork()
      this.#socket.end()
    })
  }

  /** Questions of one turn of the event loop leave in one write. */
  #send(question: Question): void {
    if (this.#failure !== null) return
    if (!this.#isCorked) {
      this.#isCorked = true
      this.#socket.cork()
      process.nextTick(() => this.#uncork())
    }
    this.#socket.write(`${JSON.stringify(question)}\n`)
  }

  #uncork(): void {
    if (!this.#isCorked) return
    this.#isCorked = false
    this.#socket.uncork()
  }

  #read(bytes: Uint8Array): void {
    try {
      for (const line of this.#lines.push(bytes)) if (this.#failure === null) this.#hear(readAnswer(line))
    } catch (error) {
      if (!(error instanceof BadLine)) throw error
      this.#fail(
        new NoDaemonError(`the daemon sent an unreadable answer: ${error.message}`, { cause: error }),
      )
    }
  }

  #hear(answer: Answer): void {
    if (answer.kind === 'hello') this.#hello?.(answer)
    else if (answer.kind === 'error') this.#fail(new Unwelcome(`the daemon says: ${answer.message}`))
    else if (answer.kind === 'echo') this.beat(answer.number)
    else if ('ticket' in answer) this.#answered(answer)
    else this.onUnasked(answer)
  }

  #answered(answer: Ticketed): void {
    const asked = this.#open.get(answer.ticket)
    this.#open.delete(answer.ticket)
    if (answer.kind === 'beat') this.#beat = answer.ticket
    if (asked === undefined) this.onAnswer(answer)
    else asked.answer(answer)
    // The daemon reads in order, so no later answer names an earlier question as `heard`.
    for (const ticket of this.#sent.keys()) {
      if (ticket >= answer.ticket) break
      this.#sent.delete(ticket)
    }
  }

  #fail(error: Error): void {
    if (this.#failure !== null) return
    this.#failure = error
    clearInterval(this.#touch)
    this.#socket.destroy()
    for (const { fail } of this.#open.values()) fail(error)
    this.#open.clear()
    this.onBroken(error)
  }
}

async function reach(path: string): Promise<Socket> {
  const unreached = (reason: string, cause?: unknown) =>
    new NoDaemonError(`no daemon can be reached at ${path}: ${reason}`, { cause })
  const socket = await connected(connect(path), AbortSignal.timeout(HELLO_WITHIN)).catch((error) => {
    throw unreached(['EACCES', 'EPERM'].includes(codeOf(error) ?? '') ? FOREIGN : NOBODY, error)
  })
  const fault = faultOf(path)
  if (fault === null) return socket
  socket.destroy()
  throw unreached(fault)
}

const NOBODY = 'no process listens there'
const FOREIGN = 'it belongs to another user'

/**
 * Why the socket is not to be trusted; null if it is. While a daemon is down, another user may listen in its place, below /tmp for
 * example, and let two in. Root may use the daemon of any user.
 */
function faultOf(path: string): string | null {
  const user = process.getuid?.() ?? 0
  if (user === 0) return null
  // He could also put a link there, to a socket that is ours.
  for (const look of [lstatSync, statSync]) {
    const found = look(path, { throwIfNoEntry: false })
    if (found === undefined) return NOBODY
    if (found.uid !== user && found.uid !== 0) return FOREIGN
  }
  return null
}
