/**
 * The connections of the lease thread, one for each peer that it has something to say to. They carry its acks as a voter, its
 * heartbeats, and those of the peer. It listens on its own port, so two nodes hear of each other's leases even while both
 * programs are busy.
 */
import type { Message } from '../protocol/messages.ts'
import type { Id } from '../protocol/record.ts'
import { Arrivals } from '../transport/arrivals.ts'
import type { Place } from '../transport/handshake.ts'
import { leaseCodec } from '../transport/lease-codec.ts'
import type { Wiring } from '../transport/outgoing.ts'
import type { Address, Listener } from '../transport/sockets.ts'
import { LeaseLine } from './lease-line.ts'

export interface LeaseEvents {
  /** `isThread`: the peer's thread sent it, not its program, which sends the same to this node's program. */
  readonly heard: (from: Id, message: Message, isThread: boolean) => void
  /** The line to the peer's thread has opened, so messages reach it from now on; or it has closed. */
  readonly turned: (peer: Id, isOpen: boolean) => void
}

export class LeaseLines {
  readonly #wiring: Wiring
  readonly #leaseMs: number
  readonly #events: LeaseEvents
  readonly #codec = leaseCodec()
  readonly #lines = new Map<Id, LeaseLine>()
  readonly #arrivals: Arrivals
  #last: { readonly message: Message; readonly body: Uint8Array } | null = null
  #listener: Listener | null = null

  constructor(wiring: Wiring, leaseMs: number, events: LeaseEvents) {
    this.#wiring = wiring
    this.#leaseMs = leaseMs
    this.#events = events
    this.#arrivals = new Arrivals(
      wiring,
      { work: this.#codec, lease: this.#codec },
      {
        isPeer: (id) => this.#lines.has(id),
        greeted: (from, connection) => {
          if (connection.channel === 'lease') this.#lines.get(from)?.welcome(connection)
          else connection.close('it is not a lease connection')
        },
        received: (from, message) => this.#hear(from, message, true),
        left: (from, connection) => this.#lines.get(from)?.leave(connection),
      },
    )
  }

  /** Returns the port. With port 0 it is any free one. */
  async listen(host: string, port = 0): Promise<number> {
    const address = { host, port }
    this.#listener = await this.#wiring.sockets.listen(address, (socket) => this.#arrivals.accept(socket))
    return this.#listener.address.port
  }

  /** All other peers, and where their programs listen. */
  setPeers(peers: ReadonlyMap<Id, Address>): void {
    for (const [peer, line] of this.#lines) {
      if (peers.has(peer)) continue
      this.#lines.delete(peer)
      void line.close()
    }
    for (const [peer, address] of peers) {
      const line = this.#lines.get(peer)
      if (line === undefined) this.#lines.set(peer, this.#lineTo(peer, address))
      else line.moved(address)
    }
    this.#arrivals.dismissStrangers()
  }

  #lineTo(peer: Id, address: Address): LeaseLine {
    return new LeaseLine(this.#wiring, peer, address, this.#leaseMs, {
      turned: this.#events.turned,
      heard: (frame, isThread) => this.#hear(peer, this.#codec.decode(frame), isThread),
    })
  }

  #hear(from: Id, message: Message, isThread: boolean): void {
    this.#lines.get(from)?.heard()
    this.#events.heard(from, message, isThread)
  }

  /** The program of a peer has said where its thread listens. */
  learn(peer: Id, place: Place | null): void {
    this.#lines.get(peer)?.learn(place)
  }

  send(to: Id, message: Message): void {
    this.#lines.get(to)?.send(this.#encoded(message))
  }

  /** A message to all peers is encoded once. */
  #encoded(message: Message): Uint8Array {
    if (this.#last?.message !== message) this.#last = { message, body: this.#codec.encode(message) }
    return this.#last.body
  }

  /** Called several times in a lease, and more often while it returns true. */
  tick(now: number): boolean {
    let isSoon = false
    for (const line of this.#lines.values()) isSoon = line.tick(now) || isSoon
    return isSoon
  }

  reset(peer: Id, now: number): void {
    this.#lines.get(peer)?.reset(now)
  }

  async close(): Promise<void> {
    const listening = this.#listener?.close()
    this.#arrivals.close()
    await Promise.all([...this.#lines.values()].map((line) => line.close()))
    await listening
  }
}
