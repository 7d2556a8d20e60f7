/** Where the fire times for which a job has run are remembered: in cells of a meeting place, or at the voters. */

import { type Finding, find, type Run, type Runs, withRun } from '../protocol/runs.ts'
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

/** A fire time of a job. */
export interface Fired {
  readonly name: string
  readonly time: number
  readonly skew: number
}

/** What is remembered about one fire time, as read under the lock of its name. */
export interface Entry {
  readonly finding: Finding
  /** As `Page.confirm`. */
  confirm(): Promise<void>
  /** Notes this run, and forgets those noted before `since`. Resolves and rejects as `Page.write`. */
  note(run: Run, since: number): Promise<void>
}

/** The memory as `once` uses it. A client of a daemon has one too, and sends no more than one run. */
export interface Book {
  open(fired: Fired, held: Held): Promise<Entry>
}

export function bookOf(memory: Memory): Book {
  return {
    async open({ name, time, skew }, held) {
      const page = await memory.open(name, held, skew)
      let { runs } = page
      return {
        finding: find(runs, time, skew),
        confirm: () => page.confirm(),
        async note(run, since) {
          const next = withRun(runs, run, since)
          await page.write(next)
          runs = next
        },
      }
    },
  }
}
