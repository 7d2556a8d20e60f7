import type { AnyProtocol } from '@turnwise/core/algorithm'
import type { Setup } from '@turnwise/core/setup'

/** What is explored: one algorithm or election in one small world, with what may happen in it. */
export interface Instance<Protocol extends AnyProtocol = AnyProtocol> {
  readonly algorithm: Protocol
  readonly setup: Setup
  /** How often each node may ask, or call an election; null for any number of times. */
  readonly requests: number | null
  readonly channels: 'fifo' | 'unordered'
  /**
   * `bounded`: a time-out fires only when nothing else can happen but a request or a fault, as if delays had a
   * bound that time-outs exceed; a round trip does not wait for those inside to leave. `any`: at any moment. The
   * node's own pace is never held back.
   */
  readonly timing: 'bounded' | 'any'
  /** Which requests ask to share: none (if it is not said), each as it likes, or all. */
  readonly readers?: 'none' | 'some' | 'all'
  /** Whether a node that runs again after a crash still has its memory; it does if it is not said. */
  readonly memory?: 'kept' | 'lost' | 'either'
  readonly budgets: Budgets
}

/** How often, in all, each kind of trouble may come. */
export interface Budgets {
  readonly crashes: number
  readonly drops: number
  readonly duplicates: number
  readonly withdrawals: number
  /** Suspicions of a node that has not crashed. */
  readonly suspicions: number
  /** Crashed nodes that run again: as long as there are any left, every crashed node will. */
  readonly restarts: number
  /** Channels that fail, and channels that recover or are new: as long as there are any left, one that failed will. */
  readonly unlinks: number
  readonly links: number
  /** Nodes that join, those of `setup.absent` or such as have left; and nodes that leave in good order. */
  readonly joins: number
  readonly leaves: number
}

export const NO_TROUBLE: Budgets = {
  crashes: 0,
  drops: 0,
  duplicates: 0,
  withdrawals: 0,
  suspicions: 0,
  restarts: 0,
  unlinks: 0,
  links: 0,
  joins: 0,
  leaves: 0,
}
