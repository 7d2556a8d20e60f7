/** Who hears what happens at a node. */
import type { Effect } from '../protocol/events.ts'
import type { Asked } from './attendance.ts'

export type Told = Exclude<Effect, { kind: 'persist' | 'send' | 'wake' } | Asked>

export interface Watcher {
  /** In the order in which they happened; never while an event is being handled. */
  told(effect: Told): void
  /** Once per tick, after it. */
  ticked(now: number): void
  /** The disk failed, or the lease thread: nothing that depends on it was said, and nothing more is done. */
  failed(error: Error): void
  /** The lease was renewed, with so many milliseconds left of it; none or less if it had ended. */
  renewed?(left: number): void
  /** The machine slept, or its clock jumped: nothing is held any more. */
  slept?(): void
  /** R18: links have room again, which somebody waits for. Never while an event is being handled. */
  eased?(): void
}
