/** Who hears what happens at a node. */
import type { Effect } from '../protocol/events.ts'
import type { Asked } from './attendance.ts'

export type Told = Exclude<Effect, { kind: 'persist' | 'send' | 'wake' } | Asked>

export interface Watcher {
  /** In the order in which they happened, and never while an event is handled. */
  told(effect: Told): void
  /** Once per tick, after it. */
  ticked(now: number): void
  /** The disk or the lease thread failed. No message that depends on it was sent, and the node does nothing more. */
  failed(error: Error): void
  /** The lease was renewed. `left` is how many milliseconds of it were left, 0 or less if it had ended. */
  renewed?(left: number): void
  /** The machine slept, or its clock jumped. All holds are lost. */
  slept?(): void
  /** R18: links have room again, and a caller waits for it. Never called while an event is handled. */
  eased?(): void
}
