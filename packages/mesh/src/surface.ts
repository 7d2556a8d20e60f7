/** The public part of a node, which `join` returns. */

import type { Genesis } from './host/genesis.ts'
import type { LeaveOptions } from './locks/leaving.ts'
import type { Offered } from './locks/offered.ts'
import type { MeshNode } from './mesh.ts'
import type { MeshStatus } from './observe/mesh-status.ts'
import type { MeshMetrics } from './observe/metrics.ts'

/**
 * This process as a node of a mesh. Each lock, semaphore, group and election is known by its name at all nodes.
 *
 * ```js
 * const mesh = await join()
 * await mesh.locks.request('invoices', async (lock) => charge(lock.fence, lock.signal))
 * await mesh.leave()
 * ```
 */
export interface Mesh extends Offered {
  /** The name of this node. */
  readonly id: string
  /** The current state of this node. */
  readonly status: MeshStatus
  /** The running recordings, with their files. */
  readonly recordings: readonly { readonly name: string; readonly file: string }[]

  /** The counts of this node since it joined, and its current state. */
  metrics(): MeshMetrics
  /**
   * Writes what this node sees of one lock into a new file, for `turnwise replay`, until you call the returned function or
   * the node leaves. `log` gets the reason if the recording ends earlier.
   */
  record(name: string, file: string, log?: (line: string) => void): () => Promise<void>
  /** Begins another view, in which every member forgets unused names. Holders keep their locks. */
  forget(): Promise<void>

  /** Adds a node and its address. Call it at every node. */
  addPeer(id: string, address: string): void
  /** Removes a node that will not return. A voter must first stop voting: by `changeVoters`, or by its own `leave`. */
  removePeer(id: string): void
  /**
   * Resolves when exactly these nodes vote, which needs a majority of the old voters and of the new. A later call at this
   * node supersedes an earlier one.
   */
  changeVoters(ids: readonly string[]): Promise<void>
  /**
   * An operator's order, for a mesh that has lost a majority of its disks for good: a new first view, which begins as soon
   * as all of its voters are running. All holders lose their locks. Refused while a majority answers.
   */
  orderGenesis(genesis: Genesis): Promise<void>
  /**
   * Releases all locks and leaves. The others need not wait for a lease. With `drain` callers of this node first finish what
   * they hold. A later `leave` without `drain` or `forGood` ends the wait of an earlier one.
   */
  leave(options?: LeaveOptions): Promise<void>
  /** Leaves, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** A program that could reach the inner parts of a node could break its promises. */
export function surfaceOf(node: MeshNode): Mesh {
  return Object.freeze<Mesh>({
    get id() {
      return node.id
    },
    locks: node.locks,
    get status() {
      return node.status
    },
    get recordings() {
      return node.recordings
    },
    semaphore: (name, permits, options) => node.semaphore(name, permits, options),
    limit: (name, options) => node.limit(name, options),
    group: (name, names) => node.group(name, names),
    election: (name) => node.election(name),
    once: (...given: readonly unknown[]) => node.once(...given) as Promise<never>,
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
