/** The connections that peers have made to this node, on one of its ports. */
import type { Socket } from 'node:net'
import { get } from '@turnwise/core/bounds'
import type { Message } from '../protocol/messages.ts'
import type { Id } from '../protocol/record.ts'
import type { Channel, Hello } from './handshake.ts'
import { Incoming } from './incoming.ts'
import type { Codec } from './lease-codec.ts'
import type { Wiring } from './outgoing.ts'

/** How many connections may be open that have not proved who they are. Beyond these the oldest is closed. */
export const MOST_STRANGERS = 256

export interface ArrivalEvents {
  readonly isPeer: (id: Id) => boolean
  readonly greeted: (from: Id, connection: Incoming) => void
  readonly received: (from: Id, message: Message) => void
  /** A greeted connection has closed. */
  readonly left: (from: Id, connection: Incoming) => void
}

export class Arrivals {
  readonly #wiring: Wiring
  readonly #codecs: Readonly<Record<Channel, Codec>>
  readonly #events: ArrivalEvents
  readonly #connections = new Set<Incoming>()

  constructor(wiring: Wiring, codecs: Readonly<Record<Channel, Codec>>, events: ArrivalEvents) {
    this.#wiring = wiring
    this.#codecs = codecs
    this.#events = events
  }

  accept(socket: Socket): void {
    const strangers = [...this.#connections].filter(({ from }) => from === null)
    if (strangers.length >= MOST_STRANGERS)
      get(strangers, 0).close('too many connections wait without a hello')
    const { isPeer, greeted, received, left } = this.#events
    const connection = new Incoming(socket, this.#wiring, this.#codecs, {
      isPeer,
      hasTwin: (hello) => this.#hasTwin(hello),
      greeted: (from) => {
        this.#closeOlder(from, connection)
        greeted(from, connection)
      },
      received,
      closed: () => {
        this.#connections.delete(connection)
        if (connection.from !== null) left(connection.from, connection)
      },
    })
    this.#connections.add(connection)
  }

  /** Keeps the newest connection. The peer has given up the older one, whose messages would mix with the new ones. */
  #closeOlder(from: Id, newest: Incoming): void {
    for (const other of this.#connections) {
      const isOlder = other !== newest && other.from === from && other.channel === newest.channel
      if (isOlder) other.close('the peer has reconnected')
    }
  }

  /** If two processes with one name replaced each other in turn, neither would be heard. A dead one is soon silent or closed. */
  #hasTwin({ from, life }: Hello): boolean {
    const twins = [...this.#connections].filter((other) => other.from === from && other.life !== life)
    for (const twin of twins) twin.doubt()
    return twins.length > 0
  }

  /** Closes connections of nodes that are no longer peers. */
  dismissStrangers(): void {
    for (const connection of this.#connections) {
      const { from } = connection
      if (from !== null && !this.#events.isPeer(from)) connection.close('it is no longer a peer')
    }
  }

  close(): void {
    for (const connection of this.#connections) connection.close(null)
  }
}
