/**
 * The door of a daemon: what the control socket offers, to programs on other machines, under TLS 1.3. Each client proves by a token or a
 * certificate who it is, and has its own list of names. Rule C9 of docs/daemon.md says what differs from a socket on one machine.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Daemon } from '@turnwise/mesh/daemon/connection'
import { Connection } from '@turnwise/mesh/daemon/connection'
import { FAR_SILENCE } from '@turnwise/mesh/daemon/control-messages'
import type { Gate, Permission } from '@turnwise/mesh/daemon/gate'
import { monotonic } from '@turnwise/mesh/lease/clock'
import { clientUri } from '@turnwise/mesh/security/node-name'
import { restrainedLog } from '@turnwise/mesh/transport/restrained-log'
import { type Listener, whereFrom } from '@turnwise/mesh/transport/sockets'
import { complaintOf, isTls, tlsSockets } from '@turnwise/mesh/transport/tls'
import type { DoorClient, DoorWish } from './door-options.ts'

/** Connections of clients at a time, of all and of one: nobody who is known fills the house alone. */
const MOST_CLIENTS = 1024
const MOST_OF_ONE = 256
/** Those who have not said who they are. Beyond these the oldest is shown out. */
const MOST_STRANGERS = 256

/** How many characters may wait for all clients together. The longest answers to three of them. */
const MOST_UNREAD = 256 * 1024 * 1024

const UNKNOWN = 'the door does not know this client with this token or certificate'

export interface Door extends Listener {
  /** Those who are inside, or want to be. */
  readonly connections: ReadonlySet<Connection>
}

export async function openDoor(
  wish: DoorWish,
  mesh: string,
  daemon: Daemon,
  silence = FAR_SILENCE,
  mostUnread = MOST_UNREAD,
): Promise<Door> {
  const log = restrainedLog(
    (line) => daemon.log.warn('the door refused a client', { reason: line }),
    monotonic,
  )
  const guests = new Guests()
  const accept = (socket: Socket) => {
    let client: string | null = null
    const gate: Gate = {
      isFar: true,
      silence,
      admit(hello) {
        const found = identify(hello, socket, wish, mesh)
        const guest = typeof found === 'string' ? found : (guests.whyFull(found.name) ?? found)
        if (typeof guest === 'string') {
          log.write(`${whereFrom(socket)}: ${guest}`)
          return guest
        }
        client = guest.name
        guests.comesIn(connection, client)
        return permission(guest.names)
      },
      crowded: () => guests.relieve(mostUnread),
    }
    const connection = new Connection(socket, daemon, () => guests.gone(connection, client), gate)
    guests.knocks(connection)
  }
  const { cert, key, ca } = wish.tls
  // TLS wants an authority. Where no certificate of a client counts it gets that of the door, which has signed none.
  const sockets = tlsSockets({ ca: ca ?? cert, cert, key }, mesh)
  const listener = await sockets.listen(wish.address, accept, (whom, why) => log.write(`${whom}: ${why}`))
  return {
    address: listener.address,
    connections: guests.all,
    async close() {
      const closed = listener.close()
      for (const connection of guests.all) connection.close()
      await closed
      log.end()
    },
  }
}

/** Who is there, and how many of each client. */
class Guests {
  readonly all = new Set<Connection>()
  readonly #strangers = new Set<Connection>()
  readonly #inside = new Map<string, Set<Connection>>()

  knocks(connection: Connection): void {
    this.all.add(connection)
    this.#strangers.add(connection)
    const [oldest] = this.#strangers
    if (this.#strangers.size > MOST_STRANGERS) oldest?.close()
  }

  /** Why one more of this client cannot come in; null if it can. */
  whyFull(client: string): string | null {
    if ((this.#inside.get(client)?.size ?? 0) >= MOST_OF_ONE)
      return `client ${client} has ${MOST_OF_ONE} connections, which is the limit`
    if (this.all.size - this.#strangers.size >= MOST_CLIENTS)
      return `${MOST_CLIENTS} connections are the limit`
    return null
  }

  comesIn(connection: Connection, client: string): void {
    this.#inside.set(client, (this.#inside.get(client) ?? new Set()).add(connection))
    this.#strangers.delete(connection)
  }

  gone(connection: Connection, client: string | null): void {
    this.all.delete(connection)
    this.#strangers.delete(connection)
    if (client !== null) this.#inside.get(client)?.delete(connection)
  }

  /** While more than this waits to be read, the client for which most waits loses the connection that has most of it. */
  relieve(most: number): void {
    for (;;) {
      const clients = [...this.#inside.values()].map((own) => ({ own, unread: unreadOf(own) }))
      if (clients.reduce((sum, { unread }) => sum + unread, 0) <= most) return
      const [client] = clients.toSorted((a, b) => b.unread - a.unread)
      const [worst] = [...(client?.own ?? [])].toSorted((a, b) => b.unread - a.unread)
      worst?.drop()
    }
  }
}

function unreadOf(connections: Iterable<Connection>): number {
  return [...connections].reduce((sum, { unread }) => sum + unread, 0)
}

type Hello = Parameters<Gate['admit']>[0]

/** The client; or, as a text, why it is none. A wrong name, a wrong token and no token sound alike. */
function identify(
  { client, token }: Hello,
  socket: Socket,
  { clients, tls }: DoorWish,
  mesh: string,
): DoorClient | string {
  const known = client === null ? undefined : clients.get(client)
  if (token !== null) return known?.token != null && isSame(known.token, token) ? known : UNKNOWN
  if (client === null || tls.ca === null || !isTls(socket)) return UNKNOWN
  const complaint = complaintOf(socket, clientUri(mesh, client))
  if (complaint !== null) return `the certificate is refused: ${complaint}`
  return known ?? UNKNOWN
}

/** In the same time, whatever they have in common. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}

function permission(names: readonly string[]): Permission {
  const whole = new Set(names.filter((name) => !name.endsWith('*')))
  const beginnings = names.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1))
  return (name) => whole.has(name) || beginnings.some((beginning) => name.startsWith(beginning))
}
