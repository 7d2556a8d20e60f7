/** Connections between processes of one machine. An address is the path of a socket, and no port is opened. */
import { chmod } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { type Address, connected, listening, type Sockets } from './sockets.ts'

export const unixSockets: Sockets = {
  connect: ({ host: path }, signal) => connected(connect({ path }), signal),

  async listen({ host: path }, accept) {
    const server = createServer(accept)
    await listening(server, { path })
    // Other users cannot connect, even where the directory is open to them.
    await chmod(path, 0o600)
    return {
      address: pathAddress(path),
      close: () => new Promise<void>((closed) => void server.close(() => closed())),
      unref: () => void server.unref(),
    }
  },

  complaint: () => null,
}

export function pathAddress(path: string): Address {
  return { host: path, port: 0 }
}
