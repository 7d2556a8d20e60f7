/** The door of a desk: the same daemon, for clients that come under TLS. */
import type { Socket } from 'node:net'
import { openDoor } from '../../../cli/src/agent/door.ts'
import { doorWish } from '../../../cli/src/agent/door-options.ts'
import { makeAuthority, makeDoorCertificate } from '../../../cli/src/keys/authority.ts'
import type { Connection } from '../../src/daemon/connection.ts'
import { VERSION } from '../../src/daemon/control-messages.ts'
import { farDaemon } from '../../src/daemon/far.ts'
import { Client } from '../../src/daemon/line-client.ts'
import { Visitor } from '../../src/daemon/visitor.ts'
import type { Desk } from './desks.ts'

export interface DeskDoor {
  /** A client that may use these names. */
  visit(): Promise<Visitor>
  /** The connection of one, and one on which nothing was said. */
  line(client?: string): Promise<Client>
  reach(): Promise<Socket>
  readonly hello: object
  readonly connections: ReadonlySet<Connection>
  close(): Promise<void>
}

const DAY = 86_400_000
const TOKEN = 'a-token-of-the-tests-0123456789'

export async function openDoorOf(
  { daemon }: Pick<Desk, 'daemon'>,
  names = ['*'],
  mostUnread?: number,
): Promise<DeskDoor> {
  const span = { from: new Date(Date.now() - DAY), until: new Date(Date.now() + DAY) }
  const authority = await makeAuthority('mesh', span)
  const { cert, key } = await makeDoorCertificate(authority, ['127.0.0.1'], span)
  const clients = { guest: { token: TOKEN, names }, other: { token: TOKEN, names } }
  const wish = doorWish({ listen: '127.0.0.1:0', tls: { cert, key }, clients }, (_field, given) => given)
  const door = await openDoor(wish, 'mesh', daemon, undefined, mostUnread)
  const at = `127.0.0.1:${door.address.port}`
  const far = (client: string) => farDaemon({ door: at, client, token: TOKEN, tls: { ca: authority.cert } })
  const line = async (client = 'guest') => Client.open(far(client))
  return {
    visit: async () => new Visitor(await line()),
    line,
    reach: () => far('guest').reach(),
    hello: { kind: 'hello', version: VERSION, lingers: false, client: 'guest', token: TOKEN },
    connections: door.connections,
    close: () => door.close(),
  }
}
