/** The connection on which a node hears one peer: the peer's hello, then its messages, until it ends or a frame is bad. */
import type { Socket } from 'node:net'
import type { Message } from '../protocol/messages.ts'
import type { Id } from '../protocol/record.ts'
import { BadFrame } from './bad-frame.ts'
import type { Codec } from './codec.ts'
import { FrameReader, joinFrames } from './framing.ts'
import {
  explain,
  type Hello,
  LONGEST_HANDSHAKE,
  readHello,
  refusalOf,
  VERSION,
  writeAnswer,
} from './handshake.ts'
import { textOf, type Wiring } from './outgoing.ts'

export interface IncomingEvents {
  readonly isPeer: (id: Id) => boolean
  /** Whether another process with this name is heard. */
  readonly hasTwin: (hello: Hello) => boolean
  readonly greeted: (from: Id, connection: Incoming) => void
  readonly received: (from: Id, message: Message) => void
  readonly closed: (connection: Incoming) => void
}

export class Incoming {
  readonly #socket: Socket
  readonly #wiring: Wiring
  readonly #codec: Codec
  readonly #events: IncomingEvents
  readonly #frames = new FrameReader(LONGEST_HANDSHAKE)
  readonly #longestFrame: number
  #cancelDeadline: () => void
  #cancelDoubt: (() => void) | null = null
  #hello: Hello | null = null
  #isRefused = false
  #isClosed = false

  constructor(socket: Socket, wiring: Wiring, codec: Codec, longestFrame: number, events: IncomingEvents) {
    this.#socket = socket
    this.#wiring = wiring
    this.#codec = codec
    this.#longestFrame = longestFrame
    this.#events = events
    this.#cancelDeadline = wiring.timers.after(wiring.patience.handshake, () => {
      this.close('it did not say who it is in time')
    })
    socket.on('data', (chunk) => this.#read(chunk))
    socket.on('error', (error) => this.close(textOf(error)))
    socket.on('close', () => this.close(null))
  }

  get from(): Id | null {
    return this.#hello?.from ?? null
  }

  get life(): string | null {
    return this.#hello?.life ?? null
  }

  /** Another process says that it is this peer. Of the two the one that speaks is believed: silence ends this connection. */
  doubt(): void {
    this.#cancelDoubt ??= this.#wiring.timers.after(this.#wiring.patience.doubt, () => {
      this.close('it is silent, and another process has its name')
    })
  }

  /** Null for an end in good order, which is no news. */
  close(reason: string | null): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#cancelDeadline()
    this.#cancelDoubt?.()
    this.#socket.destroy()
    if (reason !== null) this.#wiring.log(`connection from ${this.#whom()} closed: ${reason}`)
    this.#events.closed(this)
  }

  #read(chunk: Buffer): void {
    if (this.#isRefused) return
    this.#frames.add(chunk)
    for (;;) {
      if (this.#isClosed || this.#isRefused) return
      const message = this.#nextMessage()
      if (message === null) return
      // What a host throws is a fault of the host, so it is not caught here.
      if (this.from === null || message === 'hello') continue
      this.#cancelDoubt?.()
      this.#cancelDoubt = null
      this.#events.received(this.from, message)
    }
  }

  /** Null until more has been read, and after a bad frame, which closes the connection. */
  #nextMessage(): Message | 'hello' | null {
    try {
      const frame = this.#frames.next()
      if (frame === null) return null
      if (this.#hello !== null) return this.#codec.decode(frame)
      this.#greet(frame)
      return 'hello'
    } catch (error) {
      if (!(error instanceof BadFrame)) throw error
      this.close(`bad frame: ${error.message}`)
      return null
    }
  }

  #greet(frame: Buffer): void {
    this.#cancelDeadline()
    const hello = readHello(frame)
    if ('reason' in hello) {
      this.#socket.write(joinFrames([writeAnswer(hello)]))
      return this.#refuse(`it does not speak version ${VERSION} of the protocol`)
    }
    const { self: id, mesh } = this.#wiring
    const isPeer = this.#events.isPeer(hello.from)
    const refusal = refusalOf(hello, { id, mesh }, { isPeer, hasTwin: this.#events.hasTwin(hello) })
    this.#socket.write(joinFrames([writeAnswer(refusal)]))
    if (refusal !== null) return this.#refuse(explain(refusal, hello))
    this.#hello = hello
    this.#frames.limit = this.#longestFrame
    this.#events.greeted(hello.from, this)
  }

  /** The answer still has to leave, so the socket is ended and not destroyed; what comes on it is not looked at. */
  #refuse(reason: string): void {
    this.#isRefused = true
    this.#wiring.log(`connection from ${this.#whom()} refused: ${reason}`)
    this.#socket.end()
    const { timers, patience } = this.#wiring
    this.#cancelDeadline = timers.after(patience.handshake, () => this.close(null))
  }

  #whom(): string {
    const { remoteAddress, remotePort } = this.#socket
    return this.from ?? `${remoteAddress ?? 'nowhere'}:${remotePort ?? ''}`
  }
}
