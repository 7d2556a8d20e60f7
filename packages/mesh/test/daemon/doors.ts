/** The door of a desk: the same daemon, for clients that come under TLS. */
import { openDoor } from '../../../cli/src/agent/door.ts'
import { doorWish } from '../../../cli/src/agent/door-options.ts'
import { makeAuthority, makeDoorCertificate } from '../../../cli/src/keys/authority.ts'
import { farDaemon } from '../../src/daemon/far.ts'
import { Client } from '../../src/daemon/line-client.ts'
import { Visitor } from '../../src/daemon/visitor.ts'
import type { Desk } from './desks.ts'

export interface DeskDoor {
  /** A client that may use these names. */
  visit(): Promise<Visitor>
  close(): Promise<void>
}

const DAY = 86_400_000
const TOKEN = 'a-token-of-the-tests-0123456789'

export async function openDoorOf({ daemon }: Desk, names = ['*']): Promise<DeskDoor> {
  const span = { from: new Date(Date.now() - DAY), until: new Date(Date.now() + DAY) }
  const authority = await makeAuthority('mesh', span)
  const { cert, key } = await makeDoorCertificate(authority, ['127.0.0.1'], span)
  const clients = { guest: { token: TOKEN, names } }
  const wish = doorWish({ listen: '127.0.0.1:0', tls: { cert, key }, clients }, (_field, given) => given)
  const door = await openDoor(wish, 'mesh', daemon)
  const at = `127.0.0.1:${door.address.port}`
  const far = () => farDaemon({ door: at, client: 'guest', token: TOKEN, tls: { ca: authority.cert } })
  return {
    visit: async () => new Visitor(await Client.open(far())),
    close: () => door.close(),
  }
}
