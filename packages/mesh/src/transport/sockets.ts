/** Makes connections. TLS replaces this interface. */
import { createServer, type ListenOptions, type Server, type Socket, connect as tcpConnect } from 'node:net'
import { InvalidInput } from '@turnwise/core/invalid-input'
import type { Id } from '../protocol/record.ts'

export interface Address {
  readonly host: string
  readonly port: number
}

export function readAddress(text: string): Address {
  const [, v6, host = v6, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? []
  if (host === undefined || Number(port) > 65_535)
    throw new InvalidInput(`"${text}" is not an address like 127.0.0.1:7101`)
  return { host, port: Number(port) }
}

export interface Listener {
  /** Where it actually listens. Port 0 asks for any free port. */
  readonly address: Address
  /** Accepts no more connections. Existing ones stay open. */
  close(): Promise<void>
  /** Lets the process end although it listens. */
  unref?(): void
}

export interface Sockets {
  /** Rejects if there is no connection, or when the signal aborts. */
  connect(address: Address, signal: AbortSignal): Promise<Socket>
  /** `refuse` is called with the address and the reason if a connection fails before it is established. */
  listen(
    address: Address,
    accept: (socket: Socket) => void,
    refuse?: (whom: string, why: string) => void,
  ): Promise<Listener>
  /** Why the node at the other end cannot be this node, or any node (null). Returns null if it can. */
  complaint(socket: Socket, id: Id | null): string | null
}

interface Connecting {
  /** When it is connected. Default: connect. */
  readonly event?: string
  /** What it means if the other end closes the connection before that. */
  readonly ended?: string
}

/**
 * Resolves when the socket is connected. Its listener for errors stays: some runtimes tell an error twice, and an error that nobody
 * hears ends the program.
 */
export function connected<Kind extends Socket>(
  socket: Kind,
  signal: AbortSignal,
  { event = 'connect', ended = 'the connection was closed' }: Connecting = {},
): Promise<Kind> {
  return new Promise((resolve, reject) => {
    const onConnect = () => done(null)
    const onEnd = () => done(new Error(ended))
    const onAbort = () => done(new Error('no answer in time'))
    const done = (error: Error | null) => {
      socket.off(event, onConnect).off('end', onEnd)
      signal.removeEventListener('abort', onAbort)
      if (error === null) return resolve(socket)
      socket.destroy()
      reject(error)
    }
    socket.on(event, onConnect).on('end', onEnd)
    socket.on('error', done)
    signal.addEventListener('abort', onAbort)
  })
}

/**
 * Resolves when the server listens. Its listener for errors stays: without it a connection that cannot be accepted, for example because
 * too many files are open, would end the program.
 */
export function listening(server: Server, options: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.on('error', reject)
    server.listen(options, resolve)
  })
}

export const tcpSockets: Sockets = {
  connect: ({ host, port }, signal) => connected(tcpConnect({ host, port, noDelay: true }), signal),

  listen: (address, accept) => listenOn(createServer({ noDelay: true }, accept), address),

  complaint: () => null,
}

/** The same for a node that does not keep its process alive. */
export function thatRest(sockets: Sockets): Sockets {
  return {
    async connect(address, signal) {
      return (await sockets.connect(address, signal)).unref()
    },
    async listen(address, accept, refuse) {
      const listener = await sockets.listen(address, (socket) => accept(socket.unref()), refuse)
      listener.unref?.()
      return listener
    },
    complaint: (socket, id) => sockets.complaint(socket, id),
  }
}

export async function listenOn(server: Server, { host, port }: Address): Promise<Listener> {
  await listening(server, { host, port, exclusive: true })
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('it listens on no port')
  return {
    address: { host, port: bound.port },
    close: () => new Promise((closed) => void server.close(() => closed())),
    unref: () => void server.unref(),
  }
}

export function whereFrom({ remoteAddress, remotePort }: Socket): string {
  return remoteAddress === undefined ? 'an unknown address' : `${remoteAddress}:${remotePort ?? ''}`
}
