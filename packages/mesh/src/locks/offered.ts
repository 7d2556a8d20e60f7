/** What a member and a client of a daemon offer alike. */
import type { Election } from './election.ts'
import type { Group } from './group.ts'
import type { Limit, LimitOptions } from './limit.ts'
import type { LockManager } from './lock-manager.ts'
import type { OnceJob, OnceOptions, OnceResult } from './once.ts'
import type { Semaphore } from './semaphore.ts'

export interface Offered {
  /** Locks by name, with the interface of the Web Locks API. */
  readonly locks: LockManager

  /**
   * Up to `permits` callers at a time, on any nodes. `algorithm`: one of the catalogue that lets several in. Another number
   * of permits, or another algorithm, is another semaphore.
   */
  semaphore(name: string, permits: number, options?: { algorithm?: string | null }): Semaphore
  /**
   * Up to `concurrent` callers at a time, on any nodes. Keys of this process take turns. It uses the semaphore of this name, and with
   * `perKey` one of the name `NAME/KEY` for each key.
   */
  limit(name: string, options: LimitOptions): Limit
  /**
   * A few names of which callers take several at once: all of them or none. For callers that often take the same names together.
   * Another list of names is another group.
   */
  group(name: string, names: readonly string[]): Group
  /** One leader at a time among all who campaign under this name. */
  election(name: string): Election
  /**
   * Runs the job here, unless it has already run for this fire time: of all processes whose timers fire, one runs it. The others
   * wait until it has ended, and learn which node ran it. Through a daemon that is the daemon's node, which also remembers it.
   */
  once<Value>(name: string, fireTime: Date | number, job: OnceJob<Value>): Promise<OnceResult<Awaited<Value>>>
  once<Value>(
    name: string,
    fireTime: Date | number,
    options: OnceOptions,
    job: OnceJob<Value>,
  ): Promise<OnceResult<Awaited<Value>>>
}
