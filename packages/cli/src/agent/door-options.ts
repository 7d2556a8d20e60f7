/** What the file of a node says of its door. */
import { InvalidInput } from '@turnwise/core/invalid-input'
import {
  type Check,
  fields,
  isObject,
  listOf,
  mapOf,
  orNull,
  shown,
  text,
  where,
} from '@turnwise/mesh/transport/checks'
import { type Address, readAddress } from '@turnwise/mesh/transport/sockets'
import { inField } from '../terminal/input.ts'
import { pathOrPem, requireUsable, token } from './pem-options.ts'

export interface DoorClient {
  readonly name: string
  /** Null: it comes with a certificate. */
  readonly token: string | null
  /** Each is a name, or the beginning of names and a star. */
  readonly names: readonly string[]
}

export interface DoorWish {
  readonly address: Address
  /** As PEM text. `ca`: the authorities of certificates of clients; null if they come with tokens. */
  readonly tls: { readonly cert: string; readonly key: string; readonly ca: string | null }
  readonly clients: ReadonlyMap<string, DoorClient>
}

interface ClientOptions {
  readonly token?: string | null
  readonly names: readonly string[]
}

interface TlsOptions {
  readonly cert: string
  readonly key: string
  readonly ca?: string | null
}

export interface DoorOptions {
  readonly listen: string
  readonly tls: TlsOptions
  readonly clients: Readonly<Record<string, ClientOptions>>
}

const namePattern = where(
  text(1, 1025),
  (name) => !name.slice(0, -1).includes('*'),
  'a star is allowed only at the end of a name',
)

const withDefaults =
  <T extends object>(check: Check<Required<T>>, defaults: object): Check<T> =>
  (value) =>
    isObject(value) ? check({ ...defaults, ...value }) : `${shown(value)} is not an object`

const tls = withDefaults<TlsOptions>(
  fields<Required<TlsOptions>>({ cert: pathOrPem, key: pathOrPem, ca: orNull(pathOrPem) }),
  { ca: null },
)

const client = withDefaults<ClientOptions>(
  fields<Required<ClientOptions>>({ token: orNull(token), names: listOf(namePattern, 1000) }),
  { token: null },
)

export const doorOptions: Check<DoorOptions> = fields<DoorOptions>({
  listen: text(1, 255),
  tls,
  clients: mapOf(text(1, 255), client),
})

/** `read`: the text of a file in PEM form, or what was given, if it is that. */
export function doorWish(
  { listen, tls: given, clients }: DoorOptions,
  read: (field: string, given: string) => string,
): DoorWish {
  const ca = given.ca == null ? null : read('door.tls.ca', given.ca)
  const pem = { cert: read('door.tls.cert', given.cert), key: read('door.tls.key', given.key), ca }
  inField('door.tls', () => requireUsable(pem))
  const known = Object.entries(clients).map(
    ([name, { token: secret = null, names }]): [string, DoorClient] => [name, { name, token: secret, names }],
  )
  if (known.length === 0) throw new InvalidInput('door.clients is empty: name at least one client')
  const bare = known.find(([, { token: secret }]) => secret === null && ca === null)
  if (bare !== undefined)
    throw new InvalidInput(
      `door.clients: "${bare[0]}" has no token, and without tls.ca no certificate counts`,
    )
  return { address: inField('door.listen', () => readAddress(listen)), tls: pem, clients: new Map(known) }
}
