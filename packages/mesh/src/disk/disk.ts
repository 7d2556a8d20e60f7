/** What a voter remembers from one life to the next. */
import { randomUUID } from 'node:crypto'
import type { Stamp } from '../lease/stamp.ts'
import { blank, type Durable } from '../protocol/record.ts'
import type { Marks } from '../protocol/state.ts'
import { marksOf, newKey } from './marks.ts'
import { NOTHING, type Remembered } from './memory-file.ts'

export interface Disk {
  /** What was read at opening, then what was last written. */
  readonly durable: Durable
  /** R20. Undefined until the next opening if the directory is older than marks. */
  readonly marks?: Marks | undefined
  /** R19: up to when the last life acknowledged. Undefined for a disk that no other life had. */
  readonly stamp?: Stamp | undefined
  /**
   * Resolves when the state is on disk and synced. Writes follow each other. Of several calls during a write only the last is
   * written, and all of them resolve with it. If a write fails, this call and every later one reject, because the content of
   * the disk is unknown. Messages that depend on it must not leave.
   */
  persist(durable: Durable): Promise<void>
  /** What was remembered at opening, then what was last passed to `remember`. */
  readonly remembered: Remembered
  /** Resolves when this is on disk, as `persist` does. */
  remember(remembered: Remembered): Promise<void>
  /** Waits for pending writes, and releases the directory. */
  close(): Promise<void>
}

/** For a mesh without peers, and for tests. Nothing outlives it, so each one is another voter (R20). */
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
