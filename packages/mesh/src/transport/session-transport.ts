/**
 * The transport of a node whose name changes with its session (M9). Each session listens at its own address, and a connection
 * names its session. So messages for the last session do not reach the next one.
 */
import type { Message } from '../protocol/messages.ts'
import type { Id } from '../protocol/record.ts'
import type { Address } from './sockets.ts'
import type { Receiver, Transport } from './transport.ts'

export class SessionTransport implements Transport {
  readonly #open: (session: Id, address: Address) => Transport
  #current: Transport
  #receiver: Receiver | null = null
  #isClosed = false
  #peers: ReadonlyMap<Id, Address> = new Map()

  constructor(open: (session: Id, address: Address) => Transport, session: Id, address: Address) {
    this.#open = open
    this.#current = open(session, address)
  }

  start(receiver: Receiver): Promise<void> {
    this.#receiver = receiver
    return this.#current.start(receiver)
  }

  /** Resolves when the new session can be reached. */
  async renew(session: Id, address: Address): Promise<void> {
    const before = this.#current
    if (this.#receiver === null || this.#isClosed) return
    this.#current = this.#open(session, address)
    this.#current.setPeers(this.#peers)
    // Both may listen at the same port.
    await before.close()
    if (!this.#isClosed) await this.#current.start(this.#receiver)
  }

  send(to: Id, message: Message): void {
    this.#current.send(to, message)
  }

  beforeWriting(action: () => void): boolean {
    return this.#current.beforeWriting?.(action) ?? false
  }

  readonly backlog = (to: Id): number => this.#current.backlog(to)

  reset(peer: Id): void {
    this.#current.reset(peer)
  }

  setPeers(peers: ReadonlyMap<Id, Address>): void {
    this.#peers = peers
    this.#current.setPeers(peers)
  }

  close(): Promise<void> {
    this.#isClosed = true
    return this.#current.close()
  }
}
