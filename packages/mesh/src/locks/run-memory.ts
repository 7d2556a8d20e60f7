/** Where the fire times for which a job has run are remembered: in cells of a meeting place, or at the voters. */

import type { Runs } from '../protocol/runs.ts'
import type { Held } from './held.ts'

/** What is remembered for one name, as read under its lock. */
export interface Page {
  readonly runs: Runs
  /** Resolves when every later reader will find the same, whichever voters answer. Rejects as `write` does. */
  confirm(): Promise<void>
  /**
   * Resolves when this is remembered instead, and survives every crash that the memory survives. Rejects with LockLostError if
   * another holder has written meanwhile; nothing is changed then. Rejects with RunUnknownError if it may or may not be
   * remembered.
   */
  write(runs: Runs): Promise<void>
}

export interface Memory {
  /**
   * `held`: the lock of this name, which no other caller may hold while it is read and written. Rejects if the memory cannot be
   * reached.
   */
  open(name: string, held: Held, skew: number): Promise<Page>
}
