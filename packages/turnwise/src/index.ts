/**
 * Locks between processes and machines, without a lock server.
 *
 * ```js
 * import { join } from 'turnwise'
 *
 * const mesh = await join({ id: 'a', peers: { a: '10.0.0.1:7101', b: '10.0.0.2:7101', c: '10.0.0.3:7101' }, stateDir: './state' })
 * await mesh.locks.request('invoices', async (lock) => charge(lock.fence, lock.signal))
 * ```
 */
export { InvalidInput } from '@turnwise/core/invalid-input'
export { type ConnectOptions, connect, type DaemonLocks } from '@turnwise/mesh/daemon/connect'
export type { DoorTls } from '@turnwise/mesh/daemon/far'
export type { Genesis } from '@turnwise/mesh/host/genesis'
export { type JoinOptions, join } from '@turnwise/mesh/join'
export type { Election, Leader } from '@turnwise/mesh/locks/election'
export {
  DeadlockError,
  HeldTooLongError,
  LockLostError,
  LockStolenError,
  LockTimeoutError,
  NoDaemonError,
  NoQuorumError,
  RunUnknownError,
} from '@turnwise/mesh/locks/errors'
export type { Group, GroupOptions, HeldGroup } from '@turnwise/mesh/locks/group'
export type { Held } from '@turnwise/mesh/locks/held'
export type { LeaveOptions } from '@turnwise/mesh/locks/leaving'
export type { Limit, LimitOptions, LimitRequest } from '@turnwise/mesh/locks/limit'
export type { Lock, LockInfo, LockManager, LockManagerSnapshot } from '@turnwise/mesh/locks/lock-manager'
export type { OnWait, Wait, WaitedFor } from '@turnwise/mesh/locks/on-wait'
export type { OnceJob, OnceOptions, OnceResult, OnceRun } from '@turnwise/mesh/locks/once'
export type { LockOptions, WaitingOptions, WaitOptions } from '@turnwise/mesh/locks/options'
export type { Semaphore } from '@turnwise/mesh/locks/semaphore'
export type { HeldLocks, LockRequest, SeveralOptions } from '@turnwise/mesh/locks/several'
export type { UpgradeOptions } from '@turnwise/mesh/locks/upgrade'
export type { HistogramReading } from '@turnwise/mesh/observe/histogram'
export type { Details, Log, Logger } from '@turnwise/mesh/observe/logger'
export type { MeshStatus, PlaceStatus } from '@turnwise/mesh/observe/mesh-status'
export type { MeshMetrics, PrefixMetrics } from '@turnwise/mesh/observe/metrics'
export type { SecurityOptions, TlsOptions } from '@turnwise/mesh/security/security'
export type { Mesh } from '@turnwise/mesh/surface'
