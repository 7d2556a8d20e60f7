/** How a client reaches a daemon on another machine: through its door, with TLS 1.3. */
import { isIP } from 'node:net'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { NoDaemonError } from '../locks/errors.ts'
import { readPem } from '../security/security.ts'
import { isObject, shown, unknownOption } from '../transport/checks.ts'
import { connected, readAddress } from '../transport/sockets.ts'
import { type Far, HELLO_WITHIN } from './line-client.ts'

/**
 * The authorities that a client trusts, and how it proves who it is. Each of ca, cert and key is a path, or the PEM text itself.
 */
export interface DoorTls {
  /** The authorities that may vouch for the daemon. Default: those that Node trusts. */
  readonly ca?: string
  /**
   * The certificate of this client, with turnwise-client://MESH/CLIENT among its subject's alternative names. Not needed with a
   * token.
   */
  readonly cert?: string
  /** The private key of `cert`. */
  readonly key?: string
  /** The name that the daemon's certificate must have. Default: the host of `door`. */
  readonly servername?: string
}

/** A daemon on another machine, and the client that asks. */
export interface DoorOptions {
  readonly door: string
  readonly client: string
  readonly token?: string
  readonly tls?: DoorTls
}

const TLS: readonly string[] = ['ca', 'cert', 'key', 'servername'] satisfies (keyof DoorTls)[]

function requireTls(tls: unknown): void {
  if (!isObject(tls)) throw new InvalidInput(`tls: ${shown(tls)} is not an object`)
  for (const [name, value] of Object.entries(tls)) {
    if (!TLS.includes(name)) throw new InvalidInput(unknownOption(name, 'tls', TLS))
    if (typeof value !== 'string' || value === '') throw new InvalidInput(`tls.${name}: expected a text`)
  }
}

/** Throws InvalidInput for options that could not work. The text does not repeat the token. */
export function farDaemon({ door, client, token, tls = {} }: DoorOptions): Far {
  if (typeof door !== 'string') throw new InvalidInput('door: expected an address like locks.example:7440')
  const { host, port } = readAddress(door)
  if (typeof client !== 'string' || client === '' || client.length > 255)
    throw new InvalidInput('client: expected the name under which the door knows this client')
  if (token !== undefined && (typeof token !== 'string' || token === ''))
    throw new InvalidInput('token: expected a text')
  requireTls(tls)
  if ((tls.cert === undefined) !== (tls.key === undefined))
    throw new InvalidInput('tls: cert and key belong together')
  if (token === undefined && tls.cert === undefined)
    throw new InvalidInput('a door needs a proof of identity: give token, or tls with cert and key')
  const pem = (field: 'ca' | 'cert' | 'key') => {
    const given = tls[field]
    return given === undefined ? {} : { [field]: readPem(field, given) }
  }
  const servername = tls.servername ?? (isIP(host) === 0 ? host : undefined)
  const options: ConnectionOptions = {
    ...pem('ca'),
    ...pem('cert'),
    ...pem('key'),
    ...(servername !== undefined && { servername }),
    host,
    port,
    minVersion: 'TLSv1.3',
  }
  return { where: door, client, token: token ?? null, reach: () => reach(options, door) }
}

async function reach(options: ConnectionOptions, where: string): Promise<TLSSocket> {
  const socket = connect(options)
  socket.setNoDelay(true)
  try {
    return await connected(socket, AbortSignal.timeout(HELLO_WITHIN), {
      event: 'secureConnect',
      ended: 'it does not speak TLS 1.3',
    })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new NoDaemonError(`no daemon can be reached at ${where}: ${why}`, { cause: error })
  }
}
