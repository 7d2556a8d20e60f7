/** The connection on which a node hears one peer: the peer's hello, then its messages, until it ends or a frame is bad. */
import type { Socket } from 'node:net'
import { byteAt } from '@turnwise/core/bounds'
import type { Message } from '../protocol/messages.ts'
import type { Id } from '../protocol/record.ts'
import { BadFrame } from './bad-frame.ts'
import { FrameStream } from './frame-stream.ts'
import { joinFrames } from './framing.ts'
import { Reception } from './greeting.ts'
import { type Channel, type Hello, type Place, writeAnswer } from './handshake.ts'
import type { Codec } from './lease-codec.ts'
import { isPart, Joiner, longestMessage } from './message-parts.ts'
import { textOf, type Wiring } from './outgoing.ts'
import type { Seal } from './seal.ts'
import { whereFrom } from './sockets.ts'

export interface IncomingEvents {
  readonly isPeer: (id: Id) => boolean
  /** Whether another process with this name is connected. */
  readonly hasTwin: (hello: Hello) => boolean
  readonly greeted: (from: Id, connection: Incoming) => void
  readonly received: (from: Id, message: Message) => void
  readonly closed: (connection: Incoming) => void
}

export class Incoming {
  readonly #socket: Socket
  readonly #wiring: Wiring
  readonly #codecs: Readonly<Record<Channel, Codec>>
  readonly #events: IncomingEvents
  /** Read now, because a closed socket no longer knows it. */
  readonly #where: string
  readonly #reception: Reception
  readonly #frames: FrameStream
  #joiner: Joiner | null = null
  #unsent: Uint8Array[] = []
  /** The seal for messages to the peer on this connection. */
  #seal: Seal | null = null
  #cancelDeadline: () => void
  #cancelDoubt: (() => void) | null = null
  #hello: Hello | null = null
  /** The codec of the channel that the peer named. */
  #codec: Codec | null = null
  #isFirst = true
  #isRefused = false
  #isClosed = false
  /** More frames may wait than were taken in this turn of the event loop. */
  #isPaused = false
  #hasEnded = false

  constructor(
    socket: Socket,
    wiring: Wiring,
    codecs: Readonly<Record<Channel, Codec>>,
    events: IncomingEvents,
  ) {
    this.#socket = socket
    this.#where = whereFrom(socket)
    this.#wiring = wiring
    this.#codecs = codecs
    this.#events = events
    this.#frames = new FrameStream(wiring.longestFrame)
    const { self: id, mesh, terms, trust, sockets } = wiring
    const complaint = (from: Id | null) => sockets.complaint(socket, from)
    this.#reception = new Reception({ id, mesh, terms }, trust, { ...events, complaint })
    this.#cancelDeadline = wiring.timers.after(wiring.patience.handshakeMs, () => {
      this.close('it sent no hello in time')
    })
    socket.on('error', (error) => this.close(textOf(error)))
    socket.on('close', () => this.#end())
    const stranger = complaint(null)
    if (stranger === null) socket.on('data', (chunk) => this.#read(chunk))
    // The peer is told why, but nothing that it sends is read.
    else this.#turnAway(stranger)
  }

  get from(): Id | null {
    return this.#hello?.from ?? null
  }

  get life(): string | null {
    return this.#hello?.life ?? null
  }

  get channel(): Channel | null {
    return this.#hello?.channel ?? null
  }

  /** Where the peer says that its lease thread listens. */
  get thread(): Place | null {
    return this.#hello?.thread ?? null
  }

  /** Sends to the thread at the other end, on the lease channel. Under congestion messages are dropped: leases tolerate loss. */
  send(body: Uint8Array): void {
    if (this.#isClosed || this.#socket.writableLength > MOST_UNSENT) return
    this.#unsent.push(body)
    if (this.#unsent.length === 1) this.#wiring.flushes.add(this.#flush)
  }

  readonly #flush = (): void => {
    const bodies = this.#unsent
    this.#unsent = []
    if (!this.#isClosed)
      this.#socket.write(this.#seal === null ? joinFrames(bodies) : this.#seal.close(bodies))
  }

  /** Another process claims to be this peer. The one that speaks is believed: if this connection stays silent, it is closed. */
  doubt(): void {
    this.#cancelDoubt ??= this.#wiring.timers.after(this.#wiring.patience.doubtMs, () => {
      this.close('it is silent, and another process uses its name')
    })
  }

  /** `reason` is null for a normal end, which is not logged. */
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
    if (this.#isFirst && isTlsHello(chunk))
      return this.close('bad frame: it speaks TLS, but this node does not')
    this.#isFirst = false
    this.#frames.add(chunk)
    if (!this.#isPaused) this.#wiring.flushes.whileReading(this.#takeFrames)
  }

  readonly #takeFrames = (): void => {
    const end = performance.now() + MOST_MS
    for (let left = SLICE; ; left -= 1) {
      if (this.#isClosed || this.#isRefused) return
      if (left <= 0 || (left % LOOKS === 0 && performance.now() >= end)) return this.#pause()
      const message = this.#nextMessage()
      if (message === null) return
      if (message === 'a part') left -= SLICE / PARTS
      // An error of the host is not caught here.
      if (this.#hello === null || typeof message === 'string') continue
      if (this.#cancelDoubt !== null) this.#cancelDoubt()
      this.#cancelDoubt = null
      this.#events.received(this.#hello.from, message)
    }
  }

  /**
   * A peer with many messages does not block the event loop. Other peers and timers come before the rest. Meanwhile nothing
   * more is read from the socket.
   */
  #pause(): void {
    this.#isPaused = true
    this.#socket.pause()
    setImmediate(() => {
      this.#isPaused = false
      this.#wiring.flushes.whileReading(this.#takeFrames)
      if (this.#isPaused || this.#isClosed) return
      if (this.#hasEnded) this.close(null)
      else this.#socket.resume()
    })
  }

  /** Frames that were read before the peer closed are still handled. */
  #end(): void {
    this.#hasEnded = true
    if (!this.#isPaused) this.close(null)
  }

  /** Null until more has been read, and after a bad frame, which closes the connection. */
  #nextMessage(): Message | 'greeting' | 'a part' | null {
    try {
      const frame = this.#frames.advance()
      if (frame === null) return null
      if (this.#codec === null) {
        this.#greet(frame.frame())
        return 'greeting'
      }
      if (this.#joiner === null || !isPart(byteAt(frame.bytes, frame.start)))
        return this.#codec.decode(frame.bytes, frame.start, frame.end)
      return this.#joiner.add(frame.bytes, frame.start, frame.end) ?? 'a part'
    } catch (error) {
      if (!(error instanceof BadFrame)) throw error
      this.close(`bad frame: ${error.message}`)
      return null
    }
  }

  #greet(frame: Buffer): void {
    const { say, end } = this.#reception.hear(frame)
    if (say !== null) this.#socket.write(joinFrames([say]))
    if (end === null) return
    if ('refused' in end) return this.#refuse(end.refused)
    const { hello } = this.#reception
    if (hello === null) return
    this.#cancelDeadline()
    this.#hello = hello
    const codec = this.#codecs[hello.channel]
    this.#codec = codec
    if (hello.channel === 'work') this.#joiner = new Joiner(longestMessage(this.#wiring.longestFrame), codec)
    this.#seal = end.seals?.listener ?? null
    this.#frames.begin(end.seals?.dialler ?? null)
    if (hello.terms !== null) this.#wiring.encounters?.met(hello.from, hello.terms)
    this.#events.greeted(hello.from, this)
  }

  #turnAway(complaint: string): void {
    const refusal = { reason: 'certificate', instead: complaint.slice(0, 255) } as const
    this.#socket.write(joinFrames([writeAnswer({ refusal })]))
    this.#socket.resume()
    this.#refuse(`its certificate is not valid: ${complaint}`)
  }

  /** The answer must still leave, so the socket is ended and not destroyed. Further input is ignored. */
  #refuse(reason: string): void {
    this.#isRefused = true
    this.#cancelDeadline()
    this.#wiring.refused()
    this.#wiring.log(`connection from ${this.#whom()} refused: ${reason}`)
    this.#socket.end()
    const { timers, patience } = this.#wiring
    this.#cancelDeadline = timers.after(patience.handshakeMs, () => this.close(null))
  }

  #whom(): string {
    return this.from ?? this.#where
  }
}

const MOST_UNSENT = 64 * 1024

/** How many messages of one peer are handled in one turn of the event loop. */
const SLICE = 128
/** After how many milliseconds the rest waits for the next turn, and after how many messages the clock is read. */
const MOST_MS = 5
const LOOKS = 8
/** How many parts of a long message are taken in one turn. Each has hundreds of names. */
const PARTS = 2

/** RFC 8446, section 5.1: a record of type 22, version 3.x. As a frame it would have an absurd length. */
function isTlsHello(bytes: Buffer): boolean {
  return bytes[0] === 0x16 && bytes[1] === 0x03
}
