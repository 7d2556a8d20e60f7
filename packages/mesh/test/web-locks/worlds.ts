/**
 * The same suite on one node, on three in memory and on three over TCP, with callers spread over the nodes; and through daemons, on one and
 * on three, with callers spread over clients. Two of the three clients of one daemon come in by its door, under TLS.
 */
import { get } from '@turnwise/core/bounds'
import { afterAll, beforeAll, describe } from 'vitest'
import { present } from '../../../../test/present.ts'
import type { Visitor } from '../../src/daemon/visitor.ts'
import { joinNode } from '../../src/join.ts'
import type { Lock, LockInfo, LockManager } from '../../src/locks/lock-manager.ts'
import type { LockOptions } from '../../src/locks/options.ts'
import type { MeshNode } from '../../src/mesh.ts'
import { type Desk, openDesk, visit } from '../daemon/desks.ts'
import { type DeskDoor, openDoorOf } from '../daemon/doors.ts'
import { meshes } from '../meshes.ts'

/** A node, or a client of a daemon. */
export type Site = Pick<MeshNode, 'id' | 'locks' | 'semaphore' | 'group' | 'limit' | 'election' | 'pause'> & {
  leave(): Promise<void>
}

export interface World {
  readonly nodes: readonly Site[]
  /** In milliseconds, where there are several nodes. */
  readonly lease: number
  /** A node; if there is one, always the same. */
  site(node: number): Site
  /** Its lock manager. */
  at(node: number): LockManager
}

/** A busy machine may hold up the event loop: no lease shall end in a test that is not about that. */
const LEASE = 8000

const STARTS: Readonly<Record<string, (lease: number) => Promise<readonly Site[]>>> = {
  'one node': async () => [await joinNode()],
  'three nodes in memory': (lease) => meshes(3, 'memory', undefined, lease),
  'three nodes over TCP': (lease) => meshes(3, 'tcp', undefined, lease),
  'clients of three daemons': async (lease) => clientsOf(await meshes(3, 'memory', undefined, lease), lease),
  'three clients of one daemon': async (lease) => {
    const desk = await openDesk(await joinNode({ lease }), lease)
    const door = await openDoorOf(desk)
    const clients = [await visit(desk), ...(await Promise.all([door.visit(), door.visit()]))]
    return clients.map((client) => leaving(client, desk, door))
  },
}

async function clientsOf(nodes: readonly MeshNode[], lease: number): Promise<readonly Site[]> {
  const desks = new Map<MeshNode, Desk>()
  for (const node of new Set(nodes)) desks.set(node, await openDesk(node, lease))
  return Promise.all(
    nodes.map(async (node) => {
      const desk = desks.get(node)
      if (desk === undefined) throw new Error('every node has a desk')
      return leaving(await visit(desk), desk)
    }),
  )
}

/** What is behind a client goes with it. */
function leaving(client: Visitor, { close, node }: Desk, door?: DeskDoor): Site {
  return {
    id: client.id,
    locks: client.locks,
    semaphore: (...given) => client.semaphore(...given),
    limit: (...given) => client.limit(...given),
    election: (name) => client.election(name),
    group: client.group,
    pause: () => client.pause(),
    async leave() {
      await client.leave()
      await door?.close()
      await close()
      await node.leave()
    },
  }
}

const ON_ONE = ['one node', 'three clients of one daemon']

export function inEveryWorld(suite: (world: World) => void): void {
  inWorlds(Object.keys(STARTS), suite)
}

/** What several nodes promise instead, where they can only come near to a rule. */
export function acrossNodes(suite: (world: World) => void, lease = LEASE): void {
  inWorlds(
    Object.keys(STARTS).filter((kind) => !ON_ONE.includes(kind)),
    suite,
    lease,
  )
}

export function onOneNode(suite: (world: World) => void): void {
  inWorlds(Object.keys(STARTS).slice(0, 1), suite)
}

/** One test after the other in a world, the worlds side by side: they wait most of the time. */
function inWorlds(kinds: readonly string[], suite: (world: World) => void, lease = LEASE): void {
  describe.concurrent.each(kinds)('%s', (kind) => {
    let nodes: readonly Site[] = []
    beforeAll(async () => {
      nodes = await present(STARTS[kind])(lease)
    })
    afterAll(() => Promise.all(nodes.map((node) => node.leave())))
    const world: World = {
      get nodes() {
        return nodes
      },
      lease,
      site: (node) => get(nodes, node % nodes.length),
      at: (node) => world.site(node).locks,
    }
    describe.sequential('in turn', () => suite(world))
  })
}

let names = 0

/** A name that no other test uses. */
export function fresh(): string {
  names += 1
  return `lock ${names}`
}

export interface Hold {
  /** Resolves when the callback runs. */
  readonly entered: Promise<Lock>
  readonly isInside: boolean
  /** What `request` returned. */
  readonly settled: Promise<unknown>
  /** Lets the callback end with this. */
  release(value?: unknown): Promise<unknown>
}

/** Requests a lock, and holds it until it is released. */
export function hold(locks: LockManager, name: string, options: LockOptions = {}): Hold {
  let isInside = false
  let enter: (lock: Lock) => void = () => {}
  let leave: (value: unknown) => void = () => {}
  const entered = new Promise<Lock>((resolve) => {
    enter = resolve
  })
  const work = new Promise((resolve) => {
    leave = resolve
  })
  const settled = locks.request(name, options, async (lock) => {
    isInside = true
    enter(lock)
    return work
  })
  settled.catch(() => {})
  return {
    entered,
    get isInside() {
      return isInside
    },
    settled,
    release(value) {
      leave(value)
      return settled
    },
  }
}

/**
 * Every node has answered every other, twice: what was sent before has arrived, and so has what was said in turn, since
 * links keep their order. Every caller that could be let in by now is in.
 */
export async function quiet({ nodes }: Pick<World, 'nodes'>): Promise<void> {
  for (let round = 0; round < 2; round += 1) {
    await Promise.all(nodes.map(({ locks }) => locks.query()))
    await new Promise(setImmediate)
  }
}

/** What all nodes together say of one name, as one of them is told. */
export async function stateOf(
  world: World,
  name: string,
  asked = 0,
): Promise<{ held: LockInfo[]; pending: LockInfo[] }> {
  const { held, pending } = await world.at(asked).query()
  const only = (all: LockInfo[]) => all.filter((info) => info.name === name)
  return { held: only(held), pending: only(pending) }
}

/** What a promise was rejected with. */
export async function reasonOf(promise: Promise<unknown>): Promise<unknown> {
  let value: unknown
  try {
    value = await promise
  } catch (reason) {
    return reason
  }
  throw new Error(`it was fulfilled with ${String(value)}`)
}

/** For calls that the types forbid. */
export function untyped(locks: LockManager): {
  request(...given: unknown[]): Promise<unknown>
  acquire(...given: unknown[]): Promise<unknown>
} {
  return {
    request: (...given) => Reflect.apply(locks.request, locks, given) as Promise<unknown>,
    acquire: (...given) => Reflect.apply(locks.acquire, locks, given) as Promise<unknown>,
  }
}
