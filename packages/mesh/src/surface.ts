/** What `join` gives a program: the public part of a node, and nothing behind it. */
import type { Election } from './locks/election.ts'
import type { LockManager } from './locks/lock-manager.ts'
import type { Semaphore } from './locks/semaphore.ts'
import type { Genesis, MeshNode, MeshStatus } from './mesh.ts'
import type { MeshMetrics } from './observe/metrics.ts'

/**
 * This process as a node of a mesh. Each lock, semaphore and election is known by its name at all nodes.
 *
 * ```js
 * const mesh = await join()
 * await mesh.locks.request('invoices', async (lock) => charge(lock.fence, lock.signal))
 * await mesh.leave()
 * ```
 */
export interface Mesh {
  /** The name of this node. */
  readonly id: string
  /** Locks by name, with the shape of the Web Locks API. */
  readonly locks: LockManager
  /** How this node stands at this moment. */
  readonly status: MeshStatus
  /** What is being recorded, and where. */
  readonly recordings: readonly { readonly name: string; readonly file: string }[]

  /**
   * Up to `permits` callers at a time, on whatever nodes. `algorithm`: one of the catalogue that lets several in. Nodes that
   * name another number of permits, or another algorithm, have another semaphore.
   */
  semaphore(name: string, permits: number, options?: { algorithm?: string | null }): Semaphore
  /** One leader at a time among all nodes that campaign under this name. */
  election(name: string): Election
  /** What this node has counted since it joined, and how it stands now. */
  metrics(): MeshMetrics
  /**
   * Writes what this node sees of one lock into a new file, for `turnwise replay`, until the function that is returned is
   * called or the node leaves. `log` is told why, if it ends before that.
   */
  record(name: string, file: string, log?: (line: string) => void): () => Promise<void>
  /** Begins another view, with which every member forgets the names that nobody uses. Holders keep what they hold. */
  forget(): Promise<void>

  /** A node that may be in the mesh from now on, and where it listens. Every node has to be told. */
  addPeer(id: string, address: string): void
  /** A node that has gone and will not return. One that votes has to cease first: `changeVoters`, or its own `leave`. */
  removePeer(id: string): void
  /**
   * Resolves when these vote and no others count any more, which takes a majority of the old voters and of the new. A later
   * wish of this node takes the place of an earlier one.
   */
  changeVoters(ids: readonly string[]): Promise<void>
  /**
   * An operator's order, for a mesh that has lost a majority of its disks for good: a new first view, which begins as soon as
   * all of its voters are there. Whoever holds a lock loses it. Refused while a majority answers.
   */
  orderGenesis(genesis: Genesis): Promise<void>
  /**
   * Gives up what is held and goes. The others need not wait for a lease. `forGood`: a voter first ceases to vote, which
   * takes a majority; until there is one this waits, and a `leave` without it ends the wait.
   */
  leave(options?: { readonly forGood?: boolean }): Promise<void>
  /** Leaves, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** A program that could reach a node's own parts could break what they promise. */
export function surfaceOf(node: MeshNode): Mesh {
  return Object.freeze<Mesh>({
    id: node.id,
    locks: node.locks,
    get status() {
      return node.status
    },
    get recordings() {
      return node.recordings
    },
    semaphore: (name, permits, options) => node.semaphore(name, permits, options),
    election: (name) => node.election(name),
    metrics: () => node.metrics(),
    record: (name, file, log) => node.record(name, file, log),
    forget: () => node.forget(),
    addPeer: (id, address) => node.addPeer(id, address),
    removePeer: (id) => node.removePeer(id),
    changeVoters: (ids) => node.changeVoters(ids),
    orderGenesis: (genesis) => node.orderGenesis(genesis),
    leave: (options) => node.leave(options),
    [Symbol.asyncDispose]: () => node.leave(),
  })
}
