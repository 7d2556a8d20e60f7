/**
 * Locks of a daemon on this machine, and nothing else: this loads quickly, for programs that do not live long.
 *
 * ```js
 * import { connect } from 'turnwise/connect'
 *
 * await using daemon = await connect({ socket: '/var/lib/turnwise/control/socket' })
 * await daemon.locks.request('invoices', async (lock) => charge(lock.fence, lock.signal))
 * ```
 */
export { type ConnectOptions, connect, type DaemonLocks } from '@turnwise/mesh/daemon/connect'
export type { DoorTls } from '@turnwise/mesh/daemon/far'
