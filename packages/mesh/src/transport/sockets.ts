/** Where connections come from. The one seam for TLS: sockets that these hand out are ready for use, and authenticated if they ever are. */
import { createServer, type Socket, connect as tcpConnect } from 'node:net'
import { InvalidInput } from '@turnwise/core/invalid-input'

export interface Address {
  readonly host: string
  readonly port: number
}

export function readAddress(text: string): Address {
  const match = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text)
  const port = Number(match?.[3])
  if (match === null || port > 65_535)
    throw new InvalidInput(`"${text}" is not an address like 127.0.0.1:7101`)
  return { host: match[1] ?? match[2], port }
}

export interface Listener {
  /** Where it really listens: port 0 asks for any that is free. */
  readonly address: Address
  /** Takes no more connections; those that exist are not its business. */
  close(): Promise<void>
}

export interface Sockets {
  /** Rejects if there is no connection, or when the signal aborts. */
  connect(address: Address, signal: AbortSignal): Promise<Socket>
  listen(address: Address, accept: (socket: Socket) => void): Promise<Listener>
}

export const tcpSockets: Sockets = {
  connect({ host, port }, signal) {
    return new Promise((resolve, reject) => {
      const socket = tcpConnect({ host, port, noDelay: true })
      const onConnect = () => done(null)
      const onError = (error: Error) => done(error)
      const onAbort = () => done(new Error('no answer in time'))
      const done = (error: Error | null) => {
        socket.off('connect', onConnect).off('error', onError)
        signal.removeEventListener('abort', onAbort)
        if (error === null) return resolve(socket)
        socket.destroy()
        reject(error)
      }
      socket.on('connect', onConnect).on('error', onError)
      signal.addEventListener('abort', onAbort)
    })
  },

  listen({ host, port }, accept) {
    return new Promise((resolve, reject) => {
      const server = createServer({ noDelay: true }, accept)
      server.once('error', reject)
      server.listen({ host, port, exclusive: true }, () => {
        server.off('error', reject)
        const bound = server.address()
        if (bound === null || typeof bound === 'string') return reject(new Error('it listens on no port'))
        resolve({
          address: { host, port: bound.port },
          close: () => new Promise((closed) => void server.close(() => closed())),
        })
      })
    })
  },
}
