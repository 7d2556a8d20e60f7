/** `connect`: the locks of a daemon on this machine, for a program that is no member itself. */
import { InvalidInput } from '@turnwise/core/invalid-input'
import { unknownOption } from '../join-options.ts'
import type { Election } from '../locks/election.ts'
import { notSupported } from '../locks/errors.ts'
import { followCalls } from '../locks/holders.ts'
import type { LeaveOptions } from '../locks/leaving.ts'
import type { Limit, LimitOptions } from '../locks/limit.ts'
import type { LockManager } from '../locks/lock-manager.ts'
import type { Semaphore } from '../locks/semaphore.ts'
import { shown } from '../transport/checks.ts'
import { Client } from './line-client.ts'
import { Visitor } from './visitor.ts'

/** The options of `connect`. */
export interface ConnectOptions {
  /** The control socket of a running `turnwise node`. */
  readonly socket: string
  /**
   * Whether a request that is made inside the callback of another belongs to it, so that deadlocks are found without `holder`. As of
   * `join`. Default false.
   */
  readonly nesting?: boolean
}

/**
 * The locks of a daemon on this machine. This process is no member: its locks are those of the daemon's node.
 *
 * ```js
 * await using daemon = await connect({ socket: '/run/turnwise/socket' })
 * await daemon.locks.request('invoices', async (lock) => charge(lock.fence, lock.signal))
 * ```
 */
export interface DaemonLocks {
  /** The name of the daemon's node. */
  readonly id: string
  /** Locks by name, with the interface of the Web Locks API. */
  readonly locks: LockManager

  /**
   * Up to `permits` callers at a time, on any nodes. `algorithm`: one of the catalogue that lets several in. Another number
   * of permits, or another algorithm, is another semaphore.
   */
  semaphore(name: string, permits: number, options?: { algorithm?: string | null }): Semaphore
  /** Up to `concurrent` callers at a time, on any nodes. Keys of this client take turns. */
  limit(name: string, options: LimitOptions): Limit
  /** One leader at a time among all who campaign under this name. */
  election(name: string): Election
  /** Gives back all locks, and closes the connection. With `drain` callers first finish what they hold. */
  leave(options?: Omit<LeaveOptions, 'forGood'>): Promise<void>
  /** Leaves, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Uses the locks of a daemon, `turnwise node`, over its control socket. Rejects with NoDaemonError if none answers. If
 * the daemon ends, everything held is lost, and everyone who waits is rejected.
 */
export async function connect(options: ConnectOptions): Promise<DaemonLocks> {
  const socket = readSocket(options)
  const nesting = options.nesting === true ? await followCalls() : null
  const visitor = new Visitor(await Client.open(socket), undefined, nesting)
  return Object.freeze<DaemonLocks & { once(): Promise<never> }>({
    id: visitor.id,
    locks: visitor.locks,
    semaphore: (name, permits, given) => visitor.semaphore(name, permits, given),
    limit: (name, given) => visitor.limit(name, given),
    election: (name) => visitor.election(name),
    once: () =>
      Promise.reject(notSupported('a client of a daemon has no once: what ran is remembered by members')),
    leave: (given) => visitor.leave(given),
    [Symbol.asyncDispose]: () => visitor.leave(),
  })
}

const OPTIONS: readonly (keyof ConnectOptions)[] = ['socket', 'nesting']

function readSocket(options: ConnectOptions): string {
  const given: object = options ?? {}
  const stranger = Object.keys(given).find((name) => !(OPTIONS as readonly string[]).includes(name))
  if (stranger !== undefined) throw new InvalidInput(unknownOption(stranger, 'connect', OPTIONS))
  const { socket, nesting = false } = given as { readonly socket?: unknown; readonly nesting?: unknown }
  if (typeof nesting !== 'boolean') throw new InvalidInput(`nesting: ${shown(nesting)} is not true or false`)
  if (typeof socket === 'string' && socket !== '') return socket
  throw new InvalidInput(`socket ${shown(socket)} is not the path of a control socket`)
}
