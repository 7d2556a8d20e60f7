/** Where it is remembered for which fire times a job has run: in cells of a meeting place, or at the voters. */
import type { Held } from '../locks/held.ts'
import type { Runs } from '../protocol/runs.ts'

/** What is remembered of one name, as it was read under its lock. */
export interface Page {
  readonly runs: Runs
  /** Resolves when others will find the same, whoever answers them. Rejects as `write` does. */
  confirm(): Promise<void>
  /**
   * Resolves when this is remembered instead, and will be after any crash that the memory survives. Rejects with LockLostError if another
   * holder has written meanwhile: nothing is changed then. Rejects with RunUnknownError if it is not known whether this is remembered.
   */
  write(runs: Runs): Promise<void>
}

export interface Memory {
  /**
   * `held`: the lock of this name, which nobody else may have while it is read and written. Rejects if the
   * memory cannot be reached.
   */
  open(name: string, held: Held, skew: number): Promise<Page>
}
