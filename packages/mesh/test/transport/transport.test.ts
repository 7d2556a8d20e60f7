import type { Socket } from 'node:net'
import { OPEN, type Security } from '../../src/security/security.ts'
import { MemoryHub } from '../../src/transport/memory-hub.ts'
import { type Address, type Sockets, tcpSockets } from '../../src/transport/sockets.ts'
import { TcpTransport } from '../../src/transport/tcp.ts'
import { codec, type Harness, transportContract } from './transport-contract.ts'

const ids = ['a', 'b', 'c', 'd', 'e']

/** Turns of the event loop instead of time. */
const turns = {
  after(_: number, action: () => void) {
    const handle = setImmediate(action)
    return () => clearImmediate(handle)
  },
}

function memoryHarness(): Harness {
  const hub = new MemoryHub({ ids, codec, timers: turns })
  return {
    transport: (id) => hub.transport(id),
    pause: (id) => hub.pause(id),
    resume: (id) => hub.resume(id),
    close: () => Promise.resolve(),
  }
}

/** Every node on a port of its own choice; the others learn of it when it listens. */
function tcpHarness(security: Security = OPEN): Harness {
  const peers = new Map<string, Address>()
  const accepted = new Map<string, Socket[]>()
  const socketsOf = (id: string): Sockets => ({
    ...tcpSockets,
    async listen(address, accept) {
      const listener = await tcpSockets.listen(address, (socket) => {
        accepted.set(id, [...(accepted.get(id) ?? []), socket])
        accept(socket)
      })
      peers.set(id, listener.address)
      return listener
    },
  })
  return {
    transport(id) {
      const listen = { host: '127.0.0.1', port: 0 }
      const patience = { firstPauseMs: 1, longestPauseMs: 20 }
      return new TcpTransport({
        id,
        mesh: 'test',
        listen,
        peers: knownTo(peers),
        codec,
        sockets: socketsOf(id),
        patience,
        security,
      })
    },
    pause: (id) => accepted.get(id)?.forEach((socket) => void socket.pause()),
    resume: (id) => accepted.get(id)?.forEach((socket) => void socket.resume()),
    close: () => Promise.resolve(),
  }
}

const NOWHERE: Address = { host: '127.0.0.1', port: 1 }

/** All nodes are configured, though some do not listen yet. */
function knownTo(peers: Map<string, Address>): ReadonlyMap<string, Address> {
  const all = new Map(ids.map((id) => [id, NOWHERE]))
  all.get = (id) => peers.get(id) ?? (ids.includes(id) ? NOWHERE : undefined)
  return all
}

transportContract('in memory', memoryHarness)
transportContract('over TCP', () => tcpHarness())
transportContract('over TCP with a secret', () =>
  tcpHarness({ secret: 'of all nodes of the mesh', tls: null }),
)
