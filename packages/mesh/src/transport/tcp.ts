/**
 * The mesh over TCP: one connection for each ordered pair of nodes, for the messages of one direction. If a peer's lease thread
 * finds no lease thread here, it dials a second connection, on the lease channel, for everything that concerns leases.
 */
import type { Message } from '../protocol/messages.ts'
import type { Id } from '../protocol/record.ts'
import { Arrivals } from './arrivals.ts'
import type { Channel, Place } from './handshake.ts'
import type { Incoming } from './incoming.ts'
import { type Codec, leaseCodec } from './lease-codec.ts'
import { inParts, longestMessage } from './message-parts.ts'
import { Outgoing, type Wiring } from './outgoing.ts'
import { type RestrainedLog, restrainedLog } from './restrained-log.ts'
import type { Address, Listener } from './sockets.ts'
import { tlsSockets } from './tls.ts'
import type { Receiver, Transport } from './transport.ts'
import { type WiringOptions, wiringOf } from './wiring.ts'

export interface TcpOptions extends WiringOptions {
  readonly listen: Address
  /** The peers and their addresses. They are looked up for each dial, so they may change while the transport runs. */
  readonly peers: ReadonlyMap<Id, Address>
  readonly codec: Codec
  /** Whether a peer is dialled only when there is a message for it. Default false. */
  readonly isShy?: boolean
  /** Whether every node that proves membership is heard, known or not, because members come and go. Default false. */
  readonly isOpen?: boolean
}

const NOTHING = new Uint8Array()

export class TcpTransport implements Transport {
  readonly #options: TcpOptions
  #wiring: Wiring
  /** A limited log for events that strangers can cause. */
  readonly #refusals: RestrainedLog
  readonly #outgoing = new Map<Id, Outgoing>()
  readonly #arrivals: Arrivals
  /** Connections on which the lease threads of peers hear this node. */
  readonly #leases = new Map<Id, Incoming>()
  #peers: ReadonlyMap<Id, Address>
  #receiver: Receiver | null = null
  #listener: Listener | null = null
  /** The message that was encoded last. */
  #message: Message | null = null
  #body: Uint8Array = NOTHING
  #isClosed = false
  #closing: Promise<void> | null = null

  constructor(options: TcpOptions) {
    this.#options = options
    this.#peers = options.peers
    const tls = options.security?.tls ?? null
    const sockets = tls === null ? options.sockets : (options.sockets ?? tlsSockets(tls, options.mesh))
    this.#wiring = wiringOf({ ...options, ...(sockets !== undefined && { sockets }) }, 'work')
    this.#refusals = restrainedLog(this.#wiring.log, () => performance.now())
    const wiring = { ...this.#wiring, log: (line: string) => this.#refusals.write(line) }
    const codecs: Readonly<Record<Channel, Codec>> = { work: options.codec, lease: leaseCodec() }
    this.#arrivals = new Arrivals(wiring, codecs, {
      isPeer: (id) => options.isOpen === true || this.#peers.has(id),
      greeted: (from, connection) => this.#greeted(from, connection),
      received: (from, message) => this.#receiver?.receive(from, message),
      left: (from, connection) => {
        if (this.#leases.get(from) === connection) this.#leases.delete(from)
      },
    })
  }

  /** Where it listens, once started. */
  get address(): Address {
    if (this.#listener === null) throw new Error('a transport has no address before it is started')
    return this.#listener.address
  }

  /** Tells peers where the lease thread of this node listens. Peers that were greeted before are greeted again. */
  announce(thread: Place): void {
    this.#wiring.thread = thread
    for (const connection of this.#outgoing.values()) connection.greetAnew()
  }

  async start(receiver: Receiver): Promise<void> {
    if (this.#receiver !== null) throw new Error('a transport is started once')
    this.#receiver = receiver
    this.#listener = await this.#wiring.sockets.listen(
      this.#options.listen,
      (socket) => (this.#isClosed ? void socket.destroy() : this.#arrivals.accept(socket)),
      (whom, why) => {
        this.#wiring.refused()
        this.#refusals.write(`connection from ${whom} refused: ${why}`)
      },
    )
    if (this.#isClosed) return this.#listener.close()
    if (this.#options.isShy) return
    for (const peer of this.#peers.keys()) this.#connectionTo(peer)?.dial()
  }

  send(to: Id, message: Message): void {
    const { longestFrame } = this.#wiring
    // "Pauses and sleep" in docs/mesh-protocol.md: also to the peer's lease thread, which answers while its program is busy.
    if (message.type === 'heartbeat' || message.type === 'ack') {
      this.#leases.get(to)?.send(this.#encoded(message))
    }
    // Nearly all messages are on links, and have no table.
    const long = message.type === 'link' ? null : inParts(message, longestFrame, this.#options.codec)
    const body = long === null ? this.#encoded(message) : NOTHING
    const length = long?.length ?? body.length
    const longest = long === null ? longestFrame : longestMessage(longestFrame)
    if (length > longest) {
      this.#wiring.log(
        `${message.type} to ${to} is not sent: it has ${length} bytes, at most ${longest} are allowed`,
      )
    } else if (long === null) this.#connectionTo(to)?.send(body)
    else this.#connectionTo(to)?.sendLong(message.type, long.parts)
  }

  /** A message to all peers is encoded once. */
  #encoded(message: Message): Uint8Array {
    if (this.#message !== message) {
      this.#body = this.#options.codec.encode(message)
      this.#message = message
    }
    return this.#body
  }

  beforeWriting(action: () => void): boolean {
    return this.#wiring.flushes.beforeWriting(action)
  }

  readonly backlog = (to: Id): number => this.#outgoing.get(to)?.backlog ?? 0

  reset(peer: Id): void {
    this.#connectionTo(peer)?.reset()
  }

  setPeers(peers: ReadonlyMap<Id, Address>): void {
    this.#peers = peers
    for (const [peer, connection] of this.#outgoing) {
      if (peers.has(peer)) continue
      this.#outgoing.delete(peer)
      void connection.close()
    }
    this.#arrivals.dismissStrangers()
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#isClosed = true
    this.#receiver = null
    const listening = this.#listener?.close()
    await Promise.all([...this.#outgoing.values()].map((connection) => connection.close()))
    this.#arrivals.close()
    this.#refusals.end()
    await listening
  }

  /** The first message to a peer dials it, and is lost. Links repeat it when they hear of the connection (R17). */
  #connectionTo(peer: Id): Outgoing | null {
    if (this.#receiver === null) return null
    const known = this.#outgoing.get(peer)
    if (known !== undefined) return known
    if (peer === this.#options.id || !this.#peers.has(peer)) return null
    const connection = new Outgoing(this.#wiring, peer, () => this.#peers.get(peer), {
      opened: () => this.#receiver?.connected(peer),
      closed: () => this.#receiver?.disconnected(peer),
    })
    this.#outgoing.set(peer, connection)
    connection.dial()
    return connection
  }

  #greeted(from: Id, connection: Incoming): void {
    if (connection.channel === 'lease') this.#leases.set(from, connection)
    else this.#receiver?.threadAt?.(from, connection.thread)
    // The peer is there, so a pause before dialling it can end.
    const dialled = this.#options.isShy ? this.#outgoing.get(from) : this.#connectionTo(from)
    dialled?.dial()
  }
}
