/**
 * The connection on which a node sends to one peer. Each node dials its own connection, and hears the peer on the one that the
 * peer dials. So two nodes that connect at the same time need not agree on one, and a link that fails in one direction fails only
 * there. It is dialled again, with growing random pauses, until it is closed. On the lease channel the peer answers on it too,
 * because a thread that cannot be dialled hears only on connections that it dials.
 */
import type { Socket } from 'node:net'
import type { Random } from '@turnwise/core/random'
import type { Id } from '../protocol/record.ts'
import { BadFrame } from './bad-frame.ts'
import type { Flushes } from './flushes.ts'
import { FrameStream } from './frame-stream.ts'
import { framedLength, joinFrames } from './framing.ts'
import { Greeting, type Seals, type Trust } from './greeting.ts'
import type { Channel, Place, Refusal, Terms } from './handshake.ts'
import type { Seal } from './seal.ts'
import type { Address, Sockets } from './sockets.ts'
import type { Timers } from './timers.ts'

export interface Patience {
  /** Until the connection must be open and the handshake complete. */
  readonly handshakeMs: number
  /** The first pause before dialling again, and the longest. */
  readonly firstPauseMs: number
  readonly longestPauseMs: number
  /** How long a connection may be silent when another process claims the name of its peer. */
  readonly doubtMs: number
  /** How long a close waits for peers to read the rest. */
  readonly farewellMs: number
}

export interface Wiring {
  readonly self: Id
  readonly mesh: string
  readonly life: string
  /** The channel of the connections that this side dials. */
  readonly channel: Channel
  /** The largest frame, in bytes, that is sent or accepted. */
  readonly longestFrame: number
  readonly sockets: Sockets
  readonly trust: Trust
  readonly timers: Timers
  readonly flushes: Flushes
  readonly random: Random
  readonly patience: Patience
  readonly log: (line: string) => void
  /** The settings that this node tells its peers; null if it tells none. */
  readonly terms: Terms | null
  /** Where the lease thread of this node listens; null if it has none, or need not say so. */
  thread: Place | null
  readonly encounters: Encounters | null
  readonly refused: () => void
}

/** Hears what handshakes reveal about peers. */
export interface Encounters {
  /** A peer has proved who it is, and tells its settings. */
  met(peer: Id, terms: Terms): void
  /** The node at the address of a peer refuses this node. */
  refused(peer: Id, reason: Refusal['reason'], why: string): void
  welcomed(peer: Id): void
}

export interface OutgoingEvents {
  readonly opened: () => void
  readonly closed: () => void
  /** A frame of the peer on this connection. Throws BadFrame for an invalid one. If undefined, the peer may send none. */
  readonly heard?: (frame: Buffer) => void
}

export class Outgoing {
  readonly #wiring: Wiring
  readonly #peer: Id
  readonly #address: () => Address | undefined
  readonly #events: OutgoingEvents
  #phase: 'waiting' | 'dialling' | 'open' | 'closed' = 'waiting'
  #socket: Socket | null = null
  /** Where the lease thread listens, as the peer was told. */
  #told: Place | null = null
  #seal: Seal | null = null
  #queue: Uint8Array[] = []
  #queuedBytes = 0
  /** Long messages with their kinds. One part leaves per turn of the event loop, after other waiting messages. */
  #long: { readonly kind: string; readonly parts: Iterator<Uint8Array, void>; hasBegun: boolean }[] = []
  #partIsDue = false
  #flushIsDue = false
  /** The socket's buffer is full. Later messages wait here until it has drained. */
  #isFull = false
  #failures = 0
  #lastLogged = ''
  #cancelPause = () => {}
  #cancelDial = () => {}
  #cancelTrust = () => {}

  constructor(wiring: Wiring, peer: Id, address: () => Address | undefined, events: OutgoingEvents) {
    this.#wiring = wiring
    this.#peer = peer
    this.#address = address
    this.#events = events
  }

  get backlog(): number {
    return this.#queuedBytes + (this.#phase === 'open' ? (this.#socket?.writableLength ?? 0) : 0)
  }

  /** Does nothing if a connection is open or being dialled. Otherwise it ends the pause. */
  dial(): void {
    if (this.#phase !== 'waiting') return
    const address = this.#address()
    if (address === undefined) return
    this.#cancelPause()
    this.#phase = 'dialling'
    const abort = new AbortController()
    const cancelDeadline = this.#wiring.timers.after(this.#wiring.patience.handshakeMs, () => abort.abort())
    this.#cancelDial = () => {
      cancelDeadline()
      abort.abort()
    }
    void this.#wiring.sockets.connect(address, abort.signal).then(
      (socket) => {
        if (abort.signal.aborted) socket.destroy()
        else this.#greet(socket, abort.signal, cancelDeadline)
      },
      (error: unknown) => {
        cancelDeadline()
        this.#fail(`cannot reach ${this.#peer} at ${address.host}:${address.port}: ${textOf(error)}`)
      },
    )
  }

  send(body: Uint8Array): void {
    if (this.#phase !== 'open') return
    this.#queue.push(body)
    this.#queuedBytes += framedLength(body)
    this.#flushSoon()
  }

  /** A later message of a kind replaces one that has not begun to leave: senders repeat, and only the last one counts. */
  sendLong(kind: string, parts: Iterator<Uint8Array, void>): void {
    if (this.#phase !== 'open') return
    this.#long = this.#long.filter((other) => other.kind !== kind || other.hasBegun)
    this.#long.push({ kind, parts, hasBegun: false })
    this.#flushSoon()
  }

  #flushSoon(): void {
    if (this.#flushIsDue) return this.#wiring.flushes.follow()
    this.#flushIsDue = true
    this.#wiring.flushes.add(this.#flushOnce)
  }

  readonly #flushOnce = (): void => {
    this.#flushIsDue = false
    this.#flush()
  }

  /** Gives up the connection in any state and dials again at once, because it seems to lead nowhere. */
  reset(): void {
    if (this.#phase === 'open') this.#drop(`reconnecting to ${this.#peer}`)
    this.dial()
  }

  /** The greeting has changed, so this connection is ended and the next one greets again. */
  greetAnew(): void {
    const socket = this.#socket
    if (this.#phase !== 'open' || socket === null || this.#told === this.#wiring.thread) return
    this.#flushAll()
    this.#phase = 'waiting'
    this.#socket = null
    this.#long = []
    this.#cancelTrust()
    const cancel = this.#wiring.timers.after(this.#wiring.patience.farewellMs, () => socket.destroy())
    socket.once('close', () => {
      cancel()
      this.dial()
    })
    socket.end()
    this.#events.closed()
  }

  /** Sends what is queued, as long as `farewell` allows, then closes. */
  async close(): Promise<void> {
    const wasOpen = this.#phase === 'open'
    this.#phase = 'closed'
    this.#cancelPause()
    this.#cancelDial()
    this.#cancelTrust()
    if (wasOpen) this.#flushAll()
    const socket = this.#socket
    if (socket === null || socket.destroyed) return
    if (!wasOpen) return void socket.destroy()
    await new Promise<void>((resolve) => {
      const cancel = this.#wiring.timers.after(this.#wiring.patience.farewellMs, () => socket.destroy())
      socket.once('close', () => {
        cancel()
        resolve()
      })
      socket.end()
    })
  }

  #greet(socket: Socket, deadline: AbortSignal, greeted: () => void): void {
    const { mesh, self, life, channel, trust, sockets, longestFrame, terms, thread } = this.#wiring
    this.#socket = socket
    this.#told = thread
    deadline.addEventListener('abort', () => {
      if (this.#phase === 'dialling') this.#drop(`${this.#peer} did not answer in time`)
    })
    socket.on('error', (error) =>
      this.#drop(`the connection to ${this.#peer} broke: ${textOf(error)}`, socket),
    )
    socket.on('close', () => this.#drop(`${this.#peer} closed the connection`, socket))
    socket.on('drain', () => {
      this.#isFull = false
      this.#flush()
    })
    const complaint = sockets.complaint(socket, this.#peer)
    if (complaint !== null)
      return this.#drop(`refused: ${this.#peer} shows a wrong certificate: ${complaint}`, socket)
    const greeting = new Greeting({ mesh, from: self, to: this.#peer, life, channel, terms, thread }, trust)
    const frames = new FrameStream(longestFrame)
    socket.on('data', (chunk) => {
      frames.add(chunk)
      while (socket === this.#socket && this.#hear(socket, greeting, frames)) {
        if (this.#phase === 'open') greeted()
      }
    })
    socket.write(joinFrames([greeting.first()]))
  }

  /** Handles one frame. False until more has been read, and when the connection is over. */
  #hear(socket: Socket, greeting: Greeting, frames: FrameStream): boolean {
    try {
      const frame = frames.next()
      if (frame === null) return false
      if (this.#phase === 'open') {
        if (this.#events.heard === undefined) throw new BadFrame('it sent more than one answer')
        this.#events.heard(frame)
        return true
      }
      const { say, end } = greeting.hear(frame)
      if (say !== null) socket.write(joinFrames([say]))
      if (end === null) return true
      if ('refused' in end) {
        this.#wiring.refused()
        if (end.reason !== undefined) this.#wiring.encounters?.refused(this.#peer, end.reason, end.refused)
        this.#drop(`refused: ${end.refused}`, socket)
      } else {
        frames.begin(end.seals?.listener ?? null)
        this.#open(end.seals)
      }
      return true
    } catch (error) {
      if (!(error instanceof BadFrame)) throw error
      this.#drop(`${this.#peer} sent an invalid answer: ${error.message}`, socket)
      return false
    }
  }

  #open(seals: Seals | null): void {
    this.#phase = 'open'
    this.#wiring.encounters?.welcomed(this.#peer)
    this.#seal = seals?.dialler ?? null
    this.#isFull = false
    const { timers, patience } = this.#wiring
    // A peer that accepts connections and breaks them at once is dialled no faster than one that is absent.
    this.#cancelTrust = timers.after(patience.longestPauseMs, () => {
      this.#failures = 0
      this.#lastLogged = ''
    })
    this.#events.opened()
    // It may have changed during the handshake.
    this.greetAnew()
  }

  #flush(): void {
    if (this.#isFull || this.#phase !== 'open') return
    this.#flushAll()
    if (this.#long.length === 0 || this.#partIsDue || this.#isFull) return
    this.#partIsDue = true
    setImmediate(this.#writePart)
  }

  #flushAll(): void {
    if (this.#queue.length === 0) return
    const bodies = this.#queue
    this.#queue = []
    this.#queuedBytes = 0
    this.#write(bodies)
  }

  readonly #writePart = (): void => {
    this.#partIsDue = false
    const [message] = this.#long
    if (this.#isFull || this.#phase !== 'open' || message === undefined) return
    message.hasBegun = true
    const part = message.parts.next()
    if (part.done) this.#long.shift()
    else this.#write([part.value])
    this.#flush()
  }

  #write(bodies: readonly Uint8Array[]): void {
    if (this.#socket === null) return
    const bytes = this.#seal === null ? joinFrames(bodies) : this.#seal.close(bodies)
    this.#isFull = !this.#socket.write(bytes)
  }

  /** The connection is over, for the given reason. `socket` guards against ending a later connection. */
  #drop(reason: string, socket: Socket | null = this.#socket): void {
    if (socket !== this.#socket || this.#phase === 'closed') return
    const wasOpen = this.#phase === 'open'
    this.#phase = 'waiting'
    this.#socket = null
    socket?.destroy()
    this.#cancelDial()
    this.#cancelTrust()
    this.#queue = []
    this.#queuedBytes = 0
    this.#long = []
    this.#fail(reason)
    if (wasOpen) this.#events.closed()
  }

  #fail(reason: string): void {
    if (this.#phase === 'closed') return
    this.#phase = 'waiting'
    // Failing to connect gives the same reason again and again. It is logged once.
    if (reason !== this.#lastLogged) this.#wiring.log(reason)
    this.#lastLogged = reason
    this.#cancelPause = this.#wiring.timers.after(this.#pause(), () => this.dial())
    this.#failures += 1
  }

  /** Doubles with each failure. Half of it is random, so that nodes do not dial in step. */
  #pause(): number {
    const { firstPauseMs, longestPauseMs } = this.#wiring.patience
    const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(this.#failures, 16))
    return pause * (0.5 + this.#wiring.random.fraction() / 2)
  }
}

/** For an OpenSSL error only the reason: its message names source lines of the library and ends with a line break. */
export function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { reason } = error as { reason?: unknown }
  return typeof reason === 'string' ? reason : error.message
}
