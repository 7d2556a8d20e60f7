/**
 * Sockets with mutual TLS 1.3. A certificate must come from an authority of the mesh, be valid now, and name the node that its
 * bearer claims to be. The dialling side checks this before it sends anything. The dialled side accepts a connection with a bad
 * certificate only to say what is wrong with it: TLS itself would close it without a reason.
 */
import { constants } from 'node:crypto'
import type { Socket } from 'node:net'
import { connect, createServer, type TLSSocket } from 'node:tls'
import type { Id } from '../protocol/record.ts'
import { nodeUri, nodeUris } from '../security/node-name.ts'
import type { TlsOptions } from '../security/security.ts'
import { textOf } from './outgoing.ts'
import { connected, listenOn, type Sockets, whereFrom } from './sockets.ts'

/** How many TLS handshakes may be in progress. Beyond these the oldest is aborted. */
const MOST_UNDER_WAY = 256

const LISTENING = {
  requestCert: true,
  rejectUnauthorized: false,
  // A resumed session keeps the verdict of its beginning, so an expired certificate would still count.
  secureOptions: constants.SSL_OP_NO_TICKET,
} as const

interface TlsSocketOptions {
  /** How many milliseconds an incoming TLS handshake may take. */
  readonly patience?: number
  /** The name that a peer's certificate must have. Default: its id. */
  readonly nameOf?: (id: Id) => string
}

/** The certificates are PEM text. */
export function tlsSockets(
  { ca, cert, key }: TlsOptions,
  mesh: string,
  { patience = 5000, nameOf = (id) => id }: TlsSocketOptions = {},
): Sockets {
  const material = { ca, cert, key, minVersion: 'TLSv1.3' } as const
  return {
    connect({ host, port }, signal) {
      // The certificate says which node it is, wherever it listens. `complaint` checks that.
      const checkServerIdentity = () => undefined
      const socket = connect({ ...material, host, port, checkServerIdentity, rejectUnauthorized: true })
      socket.setNoDelay(true)
      return connected(socket, signal, { event: 'secureConnect', ended: 'it does not speak TLS' })
    },

    listen(address, accept, refuse) {
      const options = { ...material, ...LISTENING, handshakeTimeout: patience }
      const crowd = new Map<string, Socket>()
      const server = createServer(options, (socket) => {
        crowd.delete(whereFrom(socket))
        socket.setNoDelay(true)
        accept(socket)
      })
      server.on('connection', (socket) => {
        const where = whereFrom(socket)
        crowd.set(where, socket)
        socket.once('close', () => crowd.get(where) === socket && crowd.delete(where))
        const [oldest] = crowd.values()
        if (crowd.size > MOST_UNDER_WAY) oldest?.destroy()
      })
      server.on('tlsClientError', (error, socket) => {
        refuse?.(whereFrom(socket), `no TLS handshake: ${textOf(error)}`)
        socket.destroy()
      })
      return listenOn(server, address)
    },

    complaint(socket, id) {
      return isTls(socket)
        ? complaintOf(socket, id === null ? null : nodeUri(mesh, nameOf(id)))
        : 'it does not use TLS'
    },
  }
}

export function isTls(socket: Socket): socket is TLSSocket {
  return (socket as Partial<TLSSocket>).encrypted === true
}

/** What is wrong with the certificate at the other end, if it must have this name; null if nothing is. */
export function complaintOf(socket: TLSSocket, uri: string | null): string | null {
  const certificate = socket.getPeerX509Certificate()
  if (certificate === undefined) return 'it shows no certificate'
  if (!socket.authorized) return WORDS[reasonOf(socket)] ?? reasonOf(socket)
  const names = nodeUris(certificate)
  if (uri === null || names.includes(uri)) return null
  return `the certificate is of ${names.join(', ') || 'no node'}, not of ${uri}`
}

/** OpenSSL's reason code. The type says Error, the documentation says string. */
function reasonOf({ authorizationError }: TLSSocket): string {
  return String(authorizationError ?? 'it is not authorized')
}

const WORDS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is signed by an unknown authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'it is signed by an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT: 'it is signed by an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'it is signed by an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'it is signed by an unknown authority',
  CERT_SIGNATURE_FAILURE: 'it is signed by an unknown authority',
}
