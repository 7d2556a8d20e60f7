/**
 * The connections of the lease thread, one that it dials to each peer. On it go its word as a voter and its heartbeats, and
 * back come those of the peer. So it needs no port of its own, and two nodes hear of each other's leases as long as the
 * program of one of them is not busy.
 */
import type { Message } from '../protocol/messages.ts'
import type { Id } from '../protocol/record.ts'
import { leaseCodec } from '../transport/codec.ts'
import { Outgoing, type Wiring } from '../transport/outgoing.ts'
import type { Address } from '../transport/sockets.ts'

export class LeaseLines {
  readonly #wiring: Wiring
  readonly #hear: (from: Id, message: Message) => void
  readonly #codec = leaseCodec()
  readonly #lines = new Map<Id, Outgoing>()
  /** Since when each has been silent. */
  readonly #silent = new Map<Id, number>()
  #peers: ReadonlyMap<Id, Address> = new Map()

  constructor(wiring: Wiring, hear: (from: Id, message: Message) => void) {
    this.#wiring = wiring
    this.#hear = hear
  }

  setPeers(peers: ReadonlyMap<Id, Address>): void {
    this.#peers = peers
    for (const [peer, line] of this.#lines) {
      if (peers.has(peer)) continue
      this.#lines.delete(peer)
      this.#silent.delete(peer)
      void line.close()
    }
    for (const peer of peers.keys()) {
      if (!this.#lines.has(peer)) this.#open(peer)
    }
  }

  #open(peer: Id): void {
    const line = new Outgoing(this.#wiring, peer, () => this.#peers.get(peer), {
      opened: () => {},
      closed: () => {},
      heard: (frame) => {
        this.#hear(peer, this.#codec.decode(frame))
        this.#silent.delete(peer)
      },
    })
    this.#lines.set(peer, line)
    line.dial()
  }

  send(to: Id, message: Message): void {
    this.#lines.get(to)?.send(this.#codec.encode(message))
  }

  /** Heartbeats come often: a line on which there were none for so long may lead nowhere, and is made anew. */
  tick(now: number, longest: number): void {
    for (const peer of this.#lines.keys()) {
      const since = this.#silent.get(peer)
      if (since !== undefined && now - since < longest) continue
      this.#silent.set(peer, now)
      if (since !== undefined) this.reset(peer)
    }
  }

  reset(peer: Id): void {
    this.#lines.get(peer)?.reset()
  }

  async close(): Promise<void> {
    await Promise.all([...this.#lines.values()].map((line) => line.close()))
  }
}
