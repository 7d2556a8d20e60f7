/**
 * How messages of the mesh travel. The protocol lives with loss, repetition and disorder (all but LINK are idempotent,
 * and R17 numbers those), so a transport promises little: what arrives was sent by that peer, is a valid message, and
 * comes in the order sent for as long as one connection lasts.
 */
import type { Message } from '../protocol/messages.ts'
import type { Id } from '../protocol/record.ts'
import type { Place } from './handshake.ts'
import type { Address } from './sockets.ts'

export interface Receiver {
  /** Validated, and per connection in the order sent. */
  receive(from: Id, message: Message): void
  /** What is sent to the peer from now on reaches it while the connection lasts: links repeat what is unacknowledged (R17). */
  connected(peer: Id): void
  /** What was sent and not yet read may be lost. */
  disconnected(peer: Id): void
  /** The peer has connected, and says where its lease thread listens; null if it has none. */
  threadAt?(peer: Id, place: Place | null): void
  /** The transport has ended by itself: nothing comes or goes any more. */
  failed?(error: Error): void
}

export interface Transport {
  /** Listens; resolves when peers can reach it. Rejects if it cannot listen. */
  start(receiver: Receiver): Promise<void>
  /** Resolves when nothing of it is still starting; rejects if something cannot. */
  settled?(): Promise<void>
  /**
   * Never waits. May be lost while the peer is not connected. All sends of one turn of the event loop to one peer go out
   * in one write; those that follow from what was read, before the loop has turned. A
   * long message travels in parts, which others overtake; one that no peer would take is told in the log, and not sent.
   */
  send(to: Id, message: Message): void
  /** Does this when what was read is dealt with, promises included, and before what it led to is sent. False if nothing is being read. */
  beforeWriting?(action: () => void): boolean
  /** Bytes queued to that peer: the host slows callers by it (R18). Nothing is dropped while connected. */
  readonly backlog: (to: Id) => number
  /**
   * The peer has been silent for too long: the connection to it may lead nowhere although nothing says so. It is given up
   * and made anew; what was under way is lost.
   */
  reset(peer: Id): void
  /** These are the others from now on, and there they listen. Connections with who is none of them any more end. */
  setPeers(peers: ReadonlyMap<Id, Address>): void
  /** Sends what is queued, for a limited time, and lets go of every connection. Calls no receiver any more. */
  close(): Promise<void>
}
