/** `connect`: the locks of a daemon, for a program that is not a member itself. */
import { InvalidInput } from '@turnwise/core/invalid-input'
import { followCalls } from '../locks/holders.ts'
import type { LeaveOptions } from '../locks/leaving.ts'
import type { Offered } from '../locks/offered.ts'
import { shown, unknownOption } from '../transport/checks.ts'
import { comeBack } from './come-back.ts'
import type { DoorOptions, DoorTls } from './far.ts'
import { Client, type Far } from './line-client.ts'
import { Visitor } from './visitor.ts'

/** The options of `connect`. */
export interface ConnectOptions {
  /** The control socket of a running `turnwise node` on this machine. Give this or `door`. */
  readonly socket?: string
  /** The door of a `turnwise node` on another machine: `locks.example:7440`. With `client`, and `token` or `tls`. */
  readonly door?: string
  /** The name under which the door knows this client. */
  readonly client?: string
  /** The token of this client, as in the door's file. */
  readonly token?: string
  /** The authorities that this client trusts, and a certificate in place of a token. */
  readonly tls?: DoorTls
  /**
   * Milliseconds to wait for a daemon that is not there: at first, and when it has ended. Meanwhile requests wait, and ask the
   * daemon that comes back. What was held is lost. Default 0.
   */
  readonly wait?: number
  /** Ends the first wait for a daemon. */
  readonly signal?: AbortSignal
  /**
   * Whether a request inside the callback of another request belongs to it, so that deadlocks are found without `holder`. As
   * for `join`. Default false.
   */
  readonly nesting?: boolean
}

/**
 * The locks of a daemon. This process is no member: its locks are those of the daemon's node.
 *
 * ```js
 * await using daemon = await connect({ socket: '/run/turnwise/socket' })
 * await daemon.locks.request('invoices', async (lock) => charge(lock.fence, lock.signal))
 * ```
 */
export interface DaemonLocks extends Offered {
  /** The name of the daemon's node. */
  readonly id: string
  /** Releases all locks, and closes the connection. With `drain` callers first finish what they hold. */
  leave(options?: Omit<LeaveOptions, 'forGood'>): Promise<void>
  /** Leaves, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Uses the locks of a daemon, `turnwise node`, over its control socket or through its door. Rejects with NoDaemonError if no
 * daemon answers. If the daemon ends, all locks are lost and all waiting requests are rejected, or wait for it to come back
 * (`wait`).
 */
export async function connect(options: ConnectOptions): Promise<DaemonLocks> {
  if (typeof options === 'string')
    throw new InvalidInput(`connect expects an object of options, got ${shown(options)}`)
  const daemon = await daemonIn(options ?? {})
  const nesting = options.nesting === true ? await followCalls() : null
  const { wait = 0, signal } = options
  const patience = wait === 0 ? null : { wait, open: () => Client.open(daemon) }
  const client = await comeBack(() => Client.open(daemon), wait, signal)
  const visitor = new Visitor(client, undefined, nesting, patience)
  return Object.freeze<DaemonLocks>({
    get id() {
      return visitor.id
    },
    locks: visitor.locks,
    group: visitor.group,
    semaphore: (name, permits, given) => visitor.semaphore(name, permits, given),
    limit: (name, given) => visitor.limit(name, given),
    election: (name) => visitor.election(name),
    once: (...given: readonly unknown[]) => visitor.once(...given) as Promise<never>,
    leave: (given) => visitor.leave(given),
    [Symbol.asyncDispose]: () => visitor.leave(),
  })
}

const OF_DOOR = ['door', 'client', 'token', 'tls'] as const
const OPTIONS: readonly (keyof ConnectOptions)[] = ['socket', ...OF_DOOR, 'wait', 'signal', 'nesting']

function requireWait({ wait = 0, signal }: ConnectOptions): void {
  if (typeof wait !== 'number' || !(wait >= 0))
    throw new InvalidInput(`wait: ${shown(wait)} is not a number of milliseconds from 0 to Infinity`)
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw new InvalidInput(`signal: ${shown(signal)} is not an AbortSignal`)
}

async function daemonIn(options: ConnectOptions): Promise<string | Far> {
  const stranger = Object.keys(options).find((name) => !(OPTIONS as readonly string[]).includes(name))
  if (stranger !== undefined) throw new InvalidInput(unknownOption(stranger, 'connect', OPTIONS))
  const { socket, nesting = false } = options as { readonly socket?: unknown; readonly nesting?: unknown }
  if (typeof nesting !== 'boolean') throw new InvalidInput(`nesting: ${shown(nesting)} is not true or false`)
  requireWait(options)
  const ofDoor = OF_DOOR.find((name) => options[name] !== undefined)
  if (ofDoor !== undefined && socket !== undefined)
    throw new InvalidInput(`${ofDoor} belongs to a daemon on another machine: give socket or door`)
  if (ofDoor !== undefined) {
    const { farDaemon } = await import('./far.ts')
    return farDaemon(options as DoorOptions)
  }
  if (socket === undefined) throw new InvalidInput('give socket, the path of a control socket, or door')
  if (typeof socket === 'string' && socket !== '') return socket
  throw new InvalidInput(`socket ${shown(socket)} is not the path of a control socket`)
}
