/** One connection to the control socket or through the door, at the daemon's side. */
import type { Socket } from 'node:net'
import { denied, quotaExceeded } from '../locks/errors.ts'
import type { Lined } from '../locks/survey.ts'
import { permittedName } from '../protocol/names.ts'
import {
  type Answer,
  LONGEST_QUESTION,
  MOST_INFO,
  MOST_SURVEYED,
  type NodeStatus,
  type Question,
  VERSION,
} from './control-messages.ts'
import { AT_HOME, type Gate, type Permission, refusalAtDoor } from './gate.ts'
import { Holdings, type Keeping } from './holdings.ts'
import { BadLine, Lines, readQuestion } from './read-control-messages.ts'

/** What connections need of a daemon. */
export interface Daemon extends Keeping {
  status(): NodeStatus
  /** Who holds and who waits, for people, of names that the client may use. `more` is the number of names left out. */
  locks(may: Permission): Promise<Omit<Extract<Answer, { kind: 'locks' }>, 'kind' | 'ticket'>>
  /** In the text format of Prometheus. */
  metricsText(): Promise<string>
}

/** Milliseconds within which a client must say hello. */
const HELLO_WITHIN = 5000
/** Milliseconds for a client to read the last answers. One that was stopped never does, and a daemon that leaves waits for the end. */
const FAREWELL = 1000
/** How many characters may wait for a client that does not read, before its connection is closed. */
const MOST_UNREAD = 80 * 1024 * 1024

/** How many may wait for a client before its gate looks at how many wait for all. */
const MANY_UNREAD = 64 * 1024

/** Errors that mean that the client has closed the connection. After any other error it may live (C5). */
const CLOSED_THERE = ['EPIPE', 'ECONNRESET']

export class Connection {
  readonly #socket: Socket
  readonly #daemon: Daemon
  readonly #lines = new Lines(LONGEST_QUESTION)
  readonly #hello: NodeJS.Timeout
  readonly #holdings: Holdings
  readonly #gate: Gate
  /** Null until the client was admitted. */
  #may: Permission | null = null
  #silence: NodeJS.Timeout | undefined
  #hasSpoken = false
  #isGone = false
  #isCorked = false

  constructor(socket: Socket, daemon: Daemon, whenGone: () => void, gate = AT_HOME) {
    this.#socket = socket
    this.#daemon = daemon
    this.#gate = gate
    this.#holdings = new Holdings(daemon, (answer) => this.#say(answer), gate.isFar)
    this.#hello = setTimeout(() => this.#refuseAll('expected a hello, got none'), HELLO_WITHIN)
    socket.on('data', (bytes) => this.#read(bytes))
    socket.on('error', (error: NodeJS.ErrnoException) => {
      this.#gone(CLOSED_THERE.includes(error.code ?? ''))
      socket.destroy()
    })
    socket.on('end', () => this.#gone(true))
    socket.on('close', () => {
      this.#gone(true)
      whenGone()
    })
  }

  #read(bytes: Uint8Array): void {
    if (this.#isGone) return
    try {
      for (const line of this.#lines.push(bytes)) {
        if (!this.#isGone) this.#hear(readQuestion(line))
      }
    } catch (error) {
      // Whatever one client does, the other clients keep their locks.
      const reason = error instanceof Error ? error.message : String(error)
      const event =
        error instanceof BadLine ? 'a client sent an unreadable line' : 'a client cannot be answered'
      this.#daemon.log.warn(event, { reason })
      this.#refuseAll(reason)
    }
  }

  #hear(question: Question): void {
    if (question.kind === 'hello') return this.#greet(question)
    if (this.#may === null) return this.#refuseAll('expected a hello first')
    const { ticket } = question
    this.#holdings.heard(ticket)
    this.#silence?.refresh()
    this.#hasSpoken = true
    const denial = this.#denial(question, this.#may)
    if (denial !== null)
      return this.#say({ kind: 'refused', ticket, ...this.#holdings.refusal(denied(denial)) })
    switch (question.kind) {
      case 'status':
        return this.#say({ kind: 'status', ticket, status: this.#status() })
      case 'locks':
        return this.#answer(ticket, this.#daemon.locks(this.#may), (locks) => ({
          kind: 'locks',
          ticket,
          ...locks,
        }))
      case 'metrics':
        return this.#answer(ticket, this.#daemon.metricsText(), (text) => ({ kind: 'metrics', ticket, text }))
      case 'survey':
        return this.#answer(ticket, this.#survey(question, this.#may), (lined) => ({
          kind: 'survey',
          ticket,
          ...lined,
        }))
      case 'acquire':
      case 'acquire-all':
      case 'acquire-job':
        return this.#holdings.acquire(question)
      case 'look-up':
        return this.#answer(ticket, this.#holdings.lookUp(question), (finding) => ({
          kind: 'found',
          ticket,
          finding,
        }))
      case 'note':
      case 'confirm':
        return this.#answer(ticket, this.#holdings.note(question), () => ({ kind: 'noted', ticket }))
      case 'beat':
        return this.#say({ kind: 'beat', ticket, left: this.#holdings.beat(question.echo) })
      case 'downgrade':
      case 'upgrade':
      case 'desist':
        return this.#say({ kind: 'changed', ticket, wasHeld: this.#holdings.change(question) })
      case 'release':
        return this.#say({ kind: 'released', ticket, wasHeld: this.#holdings.release(question.hold) })
    }
  }

  /** Why a client at a door may not ask this. */
  #denial(question: Exclude<Question, { kind: 'hello' }>, may: Permission): string | null {
    if ((question.kind === 'acquire' || question.kind === 'acquire-job') && !may(question.name))
      return notYours(question.name)
    if (question.kind === 'acquire-all') {
      const stranger = question.parts.find(({ name }) => !may(name))
      if (stranger !== undefined) return notYours(stranger.name)
    }
    if (question.kind === 'survey' && question.key !== null && !may(permittedName(question.key)))
      return notYours(permittedName(question.key))
    return question.kind === 'metrics' && this.#gate.isFar ? 'metrics is not available through a door' : null
  }

  /** A client at a door counts its own holds alone, and reads nothing that may tell addresses. */
  #status(): NodeStatus {
    const status = this.#daemon.status()
    if (!this.#gate.isFar) return status
    const { place } = status
    const { holding } = this.#holdings
    return {
      ...status,
      place: place && { ...place, name: 'a meeting place', why: place.why === null ? null : 'no answer' },
      trouble: [],
      names: holding,
      clients: 1,
      holding,
    }
  }

  #greet(hello: Extract<Question, { kind: 'hello' }>): void {
    const { version, lingers } = hello
    clearTimeout(this.#hello)
    if (this.#may !== null) return this.#refuseAll('expected one hello, got another')
    if (version !== VERSION) {
      return this.#refuseAll(`expected version ${VERSION} of the protocol, got ${version}`)
    }
    const may = this.#gate.admit(hello)
    if (typeof may === 'string') return this.#refuseAll(may)
    this.#may = may
    if (this.#gate.isFar) this.#holdings.refusal = (error) => refusalAtDoor(error, may)
    const { silence } = this.#gate
    if (silence !== null) this.#silence = setTimeout(() => this.#silent(silence), silence)
    this.#holdings.lingers = lingers
    this.#say({ kind: 'hello', version: VERSION, id: this.#daemon.id, lease: this.#daemon.leaseMs })
  }

  #silent(after: number): void {
    this.#hasSpoken = false
    // Input that came while this daemon was stopped is read first.
    setImmediate(() => {
      if (!this.#hasSpoken) this.#refuseAll(`nothing was heard for ${after} ms`)
    })
  }

  async #survey({ key, hold }: Extract<Question, { kind: 'survey' }>, may: Permission): Promise<Lined> {
    const mesh = this.#daemon.mesh ?? (await this.#daemon.joined)
    const { nodes: all, ahead } =
      key === null || hold === null
        ? { nodes: await mesh.survey(key), ahead: null }
        : await mesh.lineFor(key, (wish) => this.#holdings.isOf(hold, wish))
    const nodes = all.map(({ id, names }) => ({
      id,
      names: names.filter(({ name }) => may(permittedName(name))),
    }))
    const names = nodes.reduce((count, node) => count + node.names.length, 0)
    if (names > MOST_SURVEYED)
      throw quotaExceeded(`${names} names are in use, but a daemon lists at most ${MOST_SURVEYED}`)
    const callers = nodes.flatMap((node) => node.names.flatMap(({ held, pending }) => [...held, ...pending]))
    const info = callers.reduce((sum, { about }) => sum + (about?.info?.length ?? 0), 0)
    if (info <= MOST_INFO) return { nodes, ahead }
    throw quotaExceeded(
      `the info of all callers has ${info} characters, but a daemon sends at most ${MOST_INFO}`,
    )
  }

  #answer<Value>(ticket: number, asked: Promise<Value>, answer: (value: Value) => Answer): void {
    asked.then(
      (value) => this.#say(answer(value)),
      (error: unknown) => this.#say({ kind: 'refused', ticket, ...this.#holdings.refusal(error) }),
    )
  }

  /** `died`: the client has closed the connection, or has ended. For a far client this is unknown. */
  #gone(died: boolean): void {
    if (this.#isGone) return
    this.#isGone = true
    clearTimeout(this.#hello)
    clearTimeout(this.#silence)
    this.#holdings.gone(died && !this.#gate.isFar)
  }

  /** The daemon leaves. */
  end(): void {
    this.#holdings.end()
  }

  close(): void {
    this.#uncork()
    this.#gone(false)
    this.#socket.end()
    // Does not wait for the client to close its half.
    this.#socket.destroySoon()
    const late = setTimeout(() => this.#socket.destroy(), FAREWELL).unref()
    this.#socket.once('close', () => clearTimeout(late))
  }

  /** Later input is ignored. */
  #refuseAll(message: string): void {
    this.#say({ kind: 'error', message })
    this.close()
  }

  /** Answers of one turn of the event loop leave in one write. */
  #say(answer: Answer): void {
    if (this.#isGone || this.#socket.destroyed) return
    if (!this.#isCorked) {
      this.#isCorked = true
      this.#socket.cork()
      setImmediate(() => this.#uncork())
    }
    this.#socket.write(`${JSON.stringify(answer)}\n`)
    if (this.unread > MOST_UNREAD) this.drop()
    else if (this.unread > MANY_UNREAD) this.#gate.crowded?.()
  }

  /** How many characters wait for the client. */
  get unread(): number {
    return this.#socket.destroyed ? 0 : this.#socket.writableLength
  }

  /** Closes the connection of a client that does not read. */
  drop(): void {
    this.#gone(false)
    this.#socket.destroy()
  }

  #uncork(): void {
    if (!this.#isCorked) return
    this.#isCorked = false
    this.#socket.uncork()
  }
}

function notYours(name: string): string {
  return `this client may not use "${name.slice(0, 40)}"`
}
