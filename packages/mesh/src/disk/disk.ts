/** What a voter remembers from one life to the next. */
import { randomUUID } from 'node:crypto'
import { blank, type Durable } from '../protocol/record.ts'
import type { Marks } from '../protocol/state.ts'
import { marksOf, newKey } from './marks.ts'
import { NOTHING, type Remembered } from './memory-file.ts'

export interface Disk {
  /** What was read when it was opened, then what was last put on it. */
  readonly durable: Durable
  /** R20. Undefined if it was written before there were marks, until it is opened again. */
  readonly marks?: Marks | undefined
  /**
   * Resolves after the state is on disk, synced. Writes follow each other; of several calls while one is under way only
   * the last is written, and all of them resolve with it. Rejects if it could not be written: no answer that depends on it
   * may leave, and every later call rejects too, because it is not known what the disk holds.
   */
  persist(durable: Durable): Promise<void>
  /** What was remembered when it was opened, then what was last to be. */
  readonly remembered: Remembered
  /** Resolves after this is on disk, as `persist` does. */
  remember(remembered: Remembered): Promise<void>
  /** Waits for what is under way, and lets go of the directory. */
  close(): Promise<void>
}

/** For a mesh without peers, and for tests: what it remembers is gone with it, so each is another voter (R20). */
export function memoryDisk(durable: Durable = blank(randomUUID())): Disk {
  let current = durable
  let remembered = NOTHING
  return {
    marks: marksOf(newKey()),
    get durable() {
      return current
    },
    persist(next) {
      current = next
      return Promise.resolve()
    },
    get remembered() {
      return remembered
    },
    remember(next) {
      remembered = next
      return Promise.resolve()
    },
    close: () => Promise.resolve(),
  }
}
