/**
 * One listener for all sessions of a node, one after another (M9). The port stays taken between two sessions. Otherwise another
 * process could get it, and the node could not listen there again.
 */
import type { Socket } from 'node:net'
import type { Address, Listener, Sockets } from './sockets.ts'

export interface Door {
  /** Where it actually listens. */
  readonly address: Address
  /** Sockets that listen at this door. The present listener gets the connections until it closes. */
  readonly sockets: Sockets
  close(): Promise<void>
}

interface Session {
  readonly accept: (socket: Socket) => void
  readonly refuse: (whom: string, why: string) => void
}

export async function openDoor(sockets: Sockets, address: Address): Promise<Door> {
  let current: Session | null = null
  const listener = await sockets.listen(
    address,
    (socket) => {
      if (current === null) socket.destroy()
      else current.accept(socket)
    },
    (whom, why) => current?.refuse(whom, why),
  )
  return {
    address: listener.address,
    sockets: {
      connect: (to, signal) => sockets.connect(to, signal),
      complaint: (socket, id) => sockets.complaint(socket, id),
      listen(_, accept, refuse = () => {}): Promise<Listener> {
        const session = { accept, refuse }
        current = session
        const close = () => {
          if (current === session) current = null
          return Promise.resolve()
        }
        return Promise.resolve({ address: listener.address, close, unref: () => listener.unref?.() })
      },
    },
    close: () => listener.close(),
  }
}
