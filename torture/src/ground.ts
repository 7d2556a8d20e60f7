/**
 * What the nodes of a run join, and hands on it. Nodes that are named find each other over relays, one for each way. Members that
 * meet in a directory speak over its sockets. Where they meet at an engine, each reaches that over a relay of its own, and all others
 * reach it over another.
 */
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freeAddress, LOOPBACK } from '@turnwise/fleet/ports'
import { Relay } from '@turnwise/fleet/relay'
import { Wires } from '@turnwise/fleet/wires'
import type { JoinOptions } from '@turnwise/mesh/join'
import { type CutProxy, cutProxy } from '../../test/cut-proxy.ts'
import { placeAt, type Server, startServer } from '../../test/servers.ts'
import { credentialsFor, type SecurityKind } from './credentials.ts'
import { type Deed, ENGINE, type PlaceName } from './deeds.ts'
import { EngineProbe } from './engine-probe.ts'

export interface Ground {
  /** With what a node joins, beside its name, its settings and its disk. */
  joining(id: string): JoinOptions
  /** On a way between two ends. */
  relay(from: string, to: string): Relay | undefined
  /** Another address for a node: somebody took the port that it had. */
  move(id: string): Promise<void>
  /** What is done to the engine, or to what a node asks it. */
  doToEngine(deed: Extract<Deed, { do: 'engine' | 'lose' }>): Promise<void>
  close(): Promise<void>
}

export interface GroundOptions {
  readonly at: PlaceName | null
  readonly ids: readonly string[]
  readonly leaseMs: number
  readonly security: SecurityKind
}

/** `late` is told of an engine that answers later than members wait for. */
export function groundFor(
  options: GroundOptions,
  folder: string,
  late: (milliseconds: number) => void,
): Promise<Ground> {
  const { at, ids, security } = options
  if (at === null) return named(ids, security)
  return at === 'directory' ? Promise.resolve(inDirectory(folder)) : atEngine(at, options, folder, late)
}

async function named(ids: readonly string[], security: SecurityKind): Promise<Ground> {
  const credentials = await credentialsFor(security, ids)
  const wires = await Wires.between(ids)
  return {
    // All of them vote, however many there are: what is judged rests on it.
    joining: (id) => ({ ...wires.addresses(id), voters: ids, ...credentials.get(id) }),
    relay: (from, to) => wires.relay(from, to),
    move: (id) => wires.move(id),
    doToEngine: () => Promise.resolve(),
    close: async () => wires.close(),
  }
}

function inDirectory(folder: string): Ground {
  const at = join(folder, 'place')
  return {
    joining: () => ({ at, keepAlive: true }),
    relay: () => undefined,
    move: () => Promise.resolve(),
    doToEngine: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
}

/** The ways of a node. */
interface Ways {
  /** To the engine: a relay that can be cut, and behind it one that loses a question or an answer. */
  readonly out: Relay
  readonly proxy: CutProxy
  /** From all others. */
  readonly into: Relay
}

async function atEngine(
  name: 'postgres' | 'etcd',
  { ids, leaseMs }: GroundOptions,
  folder: string,
  late: (milliseconds: number) => void,
): Promise<Ground> {
  const engine = name === 'etcd' ? 'etcd' : 'postgresql'
  // The package pg is looked for beside the programs.
  symlinkSync(fileURLToPath(new URL('../../node_modules', import.meta.url)), join(folder, 'node_modules'))
  const server = await startServer(engine, folder)
  const addresses = new Map<string, string>()
  const ways = new Map<string, Ways>()
  const listen = (id: string) => addresses.get(id) as string
  const move = async (id: string) => void addresses.set(id, await freeAddress())
  for (const id of ids) {
    await move(id)
    const proxy = await cutProxy(server.port)
    const out = await Relay.open(() => `${LOOPBACK}:${proxy.port}`)
    ways.set(id, { proxy, out, into: await Relay.open(() => listen(id)) })
  }
  const probe = new EngineProbe(placeAt(engine, `${LOOPBACK}:${server.port}`), leaseMs / 3, late)
  const of = (id: string) => ways.get(id) as Ways
  return {
    joining: (id) => ({
      at: placeAt(engine, of(id).out.address),
      listen: listen(id),
      advertise: of(id).into.address,
    }),
    relay: (from, to) => (to === ENGINE ? of(from).out : of(to).into),
    move,
    async doToEngine(deed) {
      if (deed.do === 'lose') return of(deed.id).proxy.cutNext(deed.what)
      await DO_TO_SERVER[deed.what](server)
    },
    async close() {
      for (const { out, into, proxy } of ways.values()) {
        out.close()
        into.close()
        await proxy.close()
      }
      server.continue()
      await probe.close()
      await server.end()
    },
  }
}

const DO_TO_SERVER = {
  kill: (server: Server) => server.end(),
  start: (server: Server) => server.restart(),
  stop: (server: Server) => Promise.resolve(server.stop()),
  continue: (server: Server) => Promise.resolve(server.continue()),
}
