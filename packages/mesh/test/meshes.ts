/** Meshes of several nodes in one process, in memory or over TCP on loopback, with the shortest lease that is sensible. */

import { get } from '@turnwise/core/bounds'
import { type AtLeast, atLeast, present } from '../../../test/present.ts'
import { assemble } from '../src/assemble.ts'
import { memoryDisk } from '../src/disk/disk.ts'
import type { MeshNode } from '../src/mesh.ts'
import type { Logger } from '../src/observe/logger.ts'
import type { Config } from '../src/protocol/state.ts'
import { createCodec } from '../src/transport/codec.ts'
import { MemoryHub } from '../src/transport/memory-hub.ts'
import { type Address, type Sockets, tcpSockets } from '../src/transport/sockets.ts'
import { TcpTransport } from '../src/transport/tcp.ts'
import type { Transport } from '../src/transport/transport.ts'
import '../check/texts.ts'

export type Medium = 'memory' | 'tcp'

/** The default of `join`. */
export const ALGORITHM = 'token-queue'
export const LEASE = 400
/** Where no lease is to end: a busy machine lets a process stand still for longer than the other. To join takes a fifth of it. */
export const STEADY = 10 * LEASE

/** As many nodes as asked for, all of them members of one view. */
export async function meshes<Count extends number>(
  count: Count,
  medium: Medium = 'memory',
  algorithm = ALGORITHM,
  lease = STEADY,
  wrap: (transport: Transport) => Transport = (transport) => transport,
): Promise<AtLeast<Count, MeshNode>> {
  const ids = Array.from({ length: count }, (_, i) => present('abcdefgh'[i]))
  const start = starter({ ids, voters: ids, medium, algorithm, lease, wrap })
  return atLeast(count, await Promise.all(ids.map(start)))
}

/** Starts nodes one by one: those who vote are needed for the first view, others may come whenever they like. */
export function starter({
  ids,
  voters,
  medium = 'memory',
  algorithm = ALGORITHM,
  lease = LEASE,
  wrap = (transport) => transport,
  hub = memoryHub(ids, algorithm),
  log,
  timeout = 60_000,
  quorumTimeout,
  zones = {},
  localTurns = 1,
}: {
  readonly ids: readonly string[]
  readonly voters: readonly string[]
  readonly medium?: Medium
  readonly algorithm?: string
  readonly lease?: number
  readonly wrap?: (transport: Transport) => Transport
  /** In memory: what the nodes speak through, for a test that cuts them off. */
  readonly hub?: MemoryHub
  readonly log?: Logger
  readonly timeout?: number
  readonly quorumTimeout?: number
  /** The zones of the nodes that state one. */
  readonly zones?: Readonly<Record<string, string>>
  readonly localTurns?: number
}): (id: string) => Promise<MeshNode> {
  const config: Config = {
    peers: ids,
    voters,
    settings: { algorithm, lease, drift: 0.002 },
    localTurns,
    // Nothing ran here before: no lost disk can have given a lease.
    firstStart: voters,
    roundTrip: 5,
  }
  const transports = medium === 'memory' ? ids.map((id) => hub.transport(id)) : overTcp(ids, algorithm)
  return (id) =>
    assemble({
      id,
      config: Object.hasOwn(zones, id) ? { ...config, zone: present(zones[id]) } : config,
      transport: wrap(get(transports, ids.indexOf(id))),
      disk: memoryDisk(),
      timeout,
      ...(quorumTimeout !== undefined && { quorumTimeout }),
      ...(log !== undefined && { log }),
    })
}

/** Messages arrive in the next turn of the event loop. */
const turns = {
  after(_: number, action: () => void) {
    const handle = setImmediate(action)
    return () => clearImmediate(handle)
  },
}

export function memoryHub(ids: readonly string[], algorithm = ALGORITHM): MemoryHub {
  return new MemoryHub({ ids, codec: createCodec({ algorithm, nodes: 8 }), timers: turns })
}

/** Every node on a port of its own choice; the others learn of it when it listens. */
function overTcp(ids: readonly string[], algorithm: string): Transport[] {
  const nowhere: Address = { host: '127.0.0.1', port: 1 }
  const peers = new Map(ids.map((id) => [id, nowhere]))
  const codec = createCodec({ algorithm, nodes: 8 })
  return ids.map((id) => {
    const sockets: Sockets = {
      ...tcpSockets,
      async listen(address, accept) {
        const listener = await tcpSockets.listen(address, accept)
        peers.set(id, listener.address)
        return listener
      },
    }
    const patience = { firstPauseMs: 1, longestPauseMs: 20 }
    const listen = { host: '127.0.0.1', port: 0 }
    return new TcpTransport({ id, mesh: 'test', listen, peers, codec, sockets, patience })
  })
}
