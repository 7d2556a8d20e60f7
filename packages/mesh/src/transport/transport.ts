/**
 * How messages of the mesh travel. The protocol tolerates loss, repetition and disorder: all messages but LINK are idempotent,
 * and R17 numbers those. So a transport promises little: a message was sent by that peer, is valid, and comes in sending order as
 * long as one connection lasts.
 */
import type { Message } from '../protocol/messages.ts'
import type { Id } from '../protocol/record.ts'
import type { Place } from './handshake.ts'
import type { Address } from './sockets.ts'

export interface Receiver {
  /** Validated, and per connection in sending order. */
  receive(from: Id, message: Message): void
  /** From now on messages reach the peer while the connection lasts. Links repeat what is not acknowledged (R17). */
  connected(peer: Id): void
  /** Messages that were sent and not read yet may be lost. */
  disconnected(peer: Id): void
  /** The peer has connected, and says where its lease thread listens; null if it has none. */
  threadAt?(peer: Id, place: Place | null): void
  /** The transport has ended by itself. Nothing more is sent or received. */
  failed?(error: Error): void
}

export interface Transport {
  /** Listens. Resolves when peers can reach it, rejects if it cannot listen. */
  start(receiver: Receiver): Promise<void>
  /** The node has joined. Resolves when the parts run that it could join without and needs now; rejects if one cannot start. */
  settled?(): Promise<void>
  /** A caller has asked for something that it may hold. */
  relied?(): void
  /**
   * Never blocks. A message may be lost while the peer is not connected. All messages to one peer in one turn of the event loop
   * leave in one write. Those that follow from a received message leave before the loop turns. A long message travels in parts,
   * which others overtake. A message that is too long is logged and not sent.
   */
  send(to: Id, message: Message): void
  /**
   * Runs the action when what was read is handled, promises included, and before its messages are sent. Returns false if
   * nothing is being read.
   */
  beforeWriting?(action: () => void): boolean
  /** Bytes queued for that peer. The host slows callers by it (R18). Nothing is dropped while connected. */
  readonly backlog: (to: Id) => number
  /**
   * The peer has been silent for too long, so the connection may lead nowhere without an error. It is replaced by a new one,
   * and messages under way are lost.
   */
  reset(peer: Id): void
  /** Replaces the list of peers and their addresses. Connections with other nodes end. */
  setPeers(peers: ReadonlyMap<Id, Address>): void
  /** Sends what is queued, for a limited time, and closes every connection. Calls no receiver any more. */
  close(): Promise<void>
}
