/**
 * The connection from this node's lease thread to one peer, used in both directions. The thread of the node whose name comes
 * first dials the other one. The programs tell each other when they connect where their threads listen. If a peer has no thread,
 * or it cannot be reached, its program is dialled instead.
 */
import type { Id } from '../protocol/record.ts'
import type { Place } from '../transport/handshake.ts'
import type { Incoming } from '../transport/incoming.ts'
import { Outgoing, type Wiring } from '../transport/outgoing.ts'
import type { Address } from '../transport/sockets.ts'

export interface LeaseLineEvents {
  /** The connection to the peer's thread has opened or closed. */
  readonly turned: (peer: Id, isOpen: boolean) => void
  /** `isThread`: sent by the peer's thread, not by its program in its place. */
  readonly heard: (frame: Buffer, isThread: boolean) => void
}

export class LeaseLine {
  readonly #wiring: Wiring
  readonly #peer: Id
  readonly #leaseMs: number
  readonly #events: LeaseLineEvents
  #program: Address
  /** Undefined until the peer has told. */
  #place: Place | null | undefined
  #dialled: Outgoing | null = null
  #isDialledOpen = false
  #dials = 0
  /** Whether the last dialled address is that of the peer's thread. */
  #isDirect = false
  #arrived: Incoming | null = null
  /** Whether there is something to say. Nothing is dialled before. */
  #isWanted = false
  #wasOpen = false
  /** Since when it has been wanted and missing, and since when nothing was heard on it. */
  #missingSince: number | null = null
  #silentSince: number | null = null

  constructor(wiring: Wiring, peer: Id, program: Address, leaseMs: number, events: LeaseLineEvents) {
    this.#wiring = wiring
    this.#peer = peer
    this.#program = program
    this.#leaseMs = leaseMs
    this.#events = events
  }

  get isOpen(): boolean {
    return this.#arrived !== null || this.#isDialledOpen
  }

  send(body: Uint8Array): void {
    this.#isWanted = true
    if (this.#isDialledOpen) this.#dialled?.send(body)
    else this.#arrived?.send(body)
  }

  /** A message came from the peer. */
  heard(): void {
    this.#silentSince = null
  }

  moved(program: Address): void {
    this.#program = program
  }

  /** The peer has told where its thread listens. */
  learn(place: Place | null): void {
    const before = this.#direct()?.port
    this.#place = place
    if (this.#direct()?.port === before) return
    // The present connection leads to the peer's program, or to a process that has ended.
    this.#hangUp()
    this.#missingSince = null
  }

  /** The peer's thread has dialled this one. */
  welcome(connection: Incoming): void {
    this.#arrived = connection
    this.#silentSince = null
    // One connection is enough, and one to the program is worse.
    this.#hangUp()
    this.#turn()
  }

  leave(connection: Incoming): void {
    if (this.#arrived !== connection) return
    this.#arrived = null
    this.#turn()
  }

  /** Dials when it is time to, and closes a silent connection. Returns whether it must be called again soon. */
  tick(now: number): boolean {
    this.#silentSince ??= now
    if (!this.isOpen) this.#silentSince = now
    else if (now - this.#silentSince >= this.#leaseMs) {
      // Voters answer, so a silent connection may lead nowhere. If there is still something to say, it is dialled again.
      this.#isWanted = false
      this.#silentSince = now
      this.#hangUp()
      this.#arrived?.close('nothing is heard on it')
    }
    if (this.isOpen || this.#dialled !== null || !this.#isWanted) {
      this.#missingSince = null
      return false
    }
    this.#missingSince ??= now
    if (now - this.#missingSince >= this.#patience()) this.#dial()
    return true
  }

  /** The program does not hear the peer. Unless this thread hears it, the connection is replaced. */
  reset(now: number): void {
    if (this.#silentSince === null || now - this.#silentSince < this.#leaseMs / 4) return
    if (this.#dialled !== null) this.#dialled.reset()
    else this.#arrived?.close('it is replaced by a new connection')
  }

  async close(): Promise<void> {
    this.#arrived?.close(null)
    await this.#dialled?.close()
  }

  /** Where the peer's thread can be reached; null if that is unknown. */
  #direct(): Address | null {
    const place = this.#place ?? null
    if (place === null || place.beside !== this.#program.port) return null
    return { host: this.#program.host, port: place.port }
  }

  /** How long the peer may take to dial, or to tell where it listens. */
  #patience(): number {
    if (this.#place === undefined) return this.#leaseMs / 2
    return this.#direct() !== null && this.#wiring.self > this.#peer ? this.#leaseMs / 4 : 0
  }

  #dial(): void {
    this.#dials = 0
    this.#dialled = new Outgoing(this.#wiring, this.#peer, () => this.#address(), {
      opened: () => this.#dialledTurned(true),
      closed: () => this.#dialledTurned(false),
      heard: (frame) => this.#events.heard(frame, this.#isDirect),
    })
    this.#dialled.dial()
  }

  /** The thread's port may be unreachable for others. So every third attempt dials the program instead. */
  #address(): Address {
    this.#dials += 1
    const direct = this.#dials % 3 === 0 ? null : this.#direct()
    this.#isDirect = direct !== null
    return direct ?? this.#program
  }

  #dialledTurned(isOpen: boolean): void {
    this.#isDialledOpen = isOpen
    if (isOpen) this.#dials = 0
    this.#turn()
  }

  #hangUp(): void {
    const line = this.#dialled
    this.#dialled = null
    this.#isDialledOpen = false
    void line?.close()
    this.#turn()
  }

  #turn(): void {
    const isMet = this.#arrived !== null || (this.#isDialledOpen && this.#isDirect)
    if (this.#wasOpen === isMet) return
    this.#wasOpen = isMet
    this.#events.turned(this.#peer, isMet)
  }
}
