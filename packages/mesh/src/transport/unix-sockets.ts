/** Connections between processes of one machine. An address is the path of a socket, and no port is opened. */
import { chmod } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { type Address, connected, type Sockets } from './sockets.ts'

export const unixSockets: Sockets = {
  connect: ({ host: path }, signal) => connected(connect({ path }), signal),

  listen({ host: path }, accept) {
    const server = createServer(accept)
    return new Promise((listens, reject) => {
      server.once('error', reject)
      server.listen({ path }, () => {
        server.off('error', reject)
        const listener = {
          address: pathAddress(path),
          close: () => new Promise<void>((closed) => void server.close(() => closed())),
          unref: () => void server.unref(),
        }
        // Other users cannot connect, even where the directory is open to them.
        chmod(path, 0o600).then(() => listens(listener), reject)
      })
    })
  },

  complaint: () => null,
}

export function pathAddress(path: string): Address {
  return { host: path, port: 0 }
}
