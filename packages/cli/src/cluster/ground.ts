/** What the nodes of `turnwise up` join: each other by name, over relays, or a mesh at a meeting place. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { InvalidInput } from '@turnwise/core/invalid-input'
import type { Crew } from '@turnwise/fleet/crew'
import type { Distance } from '@turnwise/fleet/distance'
import { type EngineName, placeAt, type Server, startEngine } from '@turnwise/fleet/engines'
import { Relay } from '@turnwise/fleet/relay'
import { Wires } from '@turnwise/fleet/wires'
import { readPlace } from '@turnwise/mesh/register/place'
import type { ClusterOptions } from './cluster.ts'
import type { Joining } from './up-messages.ts'

/** A place that is there, or an engine that is started for it. */
export type PlaceWish = { readonly mesh: string } & (
  | { readonly at: string }
  | { readonly engine: EngineName }
)

/** Why links cannot be cut where the nodes meet; null if they can. */
export function whyNoCut(place: PlaceWish | null): string | null {
  if (place === null || 'engine' in place) return null
  return readPlace(place.at).engine === 'directory'
    ? 'nodes that meet in a directory have no links that could be cut'
    : 'a node can be cut off from an engine that turnwise up has started: --at postgres or --at etcd'
}

export interface Ground {
  /** For people; null without a meeting place. */
  readonly place: string | null
  /** That this program has started. */
  readonly engine: Server | null
  joining(id: string, firstStart: boolean): Joining
  /** What else a node needs to join, and nobody may see. */
  readonly env: Readonly<Record<string, string>>
  /** Another address for a node: somebody took the port that it had. */
  move(id: string): Promise<void>
  /** These are cut off, and no others. */
  cut(ids: ReadonlySet<string>): void
  close(): Promise<void>
}

const FREE = '127.0.0.1:0'

export function groundFor(
  { place: wish, ids, distance }: Pick<ClusterOptions, 'place' | 'ids' | 'distance'>,
  crew: Crew,
): Promise<Ground> {
  if (wish === null) return named(ids, distance, crew)
  return 'engine' in wish
    ? atEngine(wish.engine, wish.mesh, ids, crew)
    : Promise.resolve(atPlace(wish.at, wish.mesh))
}

async function named(ids: readonly string[], distance: Distance | null, crew: Crew): Promise<Ground> {
  const wires = await Wires.between(ids, distance)
  return {
    place: null,
    engine: null,
    env: {},
    joining: (id, firstStart) => ({
      ...wires.addresses(id),
      ...distance?.stating(id),
      stateDir: join(crew.directory, id),
      firstStart,
    }),
    move: (id) => wires.move(id),
    cut(ids) {
      for (const [from, to, relay] of wires) {
        if (ids.has(from) || ids.has(to)) relay.cut()
        else relay.heal()
      }
    },
    close: async () => wires.close(),
  }
}

function atPlace(at: string, mesh: string): Ground {
  const { engine, name } = readPlace(at)
  return {
    place: name,
    engine: null,
    env: {},
    joining: () => ({ at, mesh, ...(engine !== 'directory' && { listen: FREE }) }),
    move: () => Promise.resolve(),
    cut: () => {},
    close: () => Promise.resolve(),
  }
}

/** Each node reaches the engine over a relay of its own, so that it can be cut off. */
async function atEngine(name: EngineName, mesh: string, ids: readonly string[], crew: Crew): Promise<Ground> {
  const password = randomBytes(16).toString('hex')
  const settings = name === 'postgresql' ? { password } : {}
  const engine = await startEngine(name, crew.directory, settings, (child) => crew.take(child)).catch(
    (error: Error) => {
      throw new InvalidInput(`${name} cannot be started: ${error.message.replaceAll(/\s+/g, ' ')}`, {
        cause: error,
      })
    },
  )
  const address = `127.0.0.1:${engine.port}`
  const relays = new Map<string, Relay>()
  for (const id of ids) relays.set(id, await Relay.open(() => address))
  return {
    place: placeAt(name, address),
    engine,
    env: name === 'postgresql' ? { PGPASSWORD: password } : {},
    joining: (id) => ({ at: placeAt(name, relays.get(id)?.address ?? address), mesh, listen: FREE }),
    move: () => Promise.resolve(),
    cut(cut) {
      for (const [id, relay] of relays) {
        if (cut.has(id)) relay.cut()
        else relay.heal()
      }
    },
    async close() {
      for (const relay of relays.values()) relay.close()
      engine.continue()
      await engine.end()
    },
  }
}
