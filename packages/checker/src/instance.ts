import type { AnyProtocol, ResourceId } from '@turnwise/core/algorithm'
import type { Setup } from '@turnwise/core/setup'
import type { PropertyName } from './property.ts'

/** The subject of a search: one algorithm or election in one small world, with what may happen in it. */
export interface Instance<Protocol extends AnyProtocol = AnyProtocol> {
  /** The rules. */
  readonly algorithm: Protocol
  /** What all nodes have in common. */
  readonly setup: Setup
  /** How often each node may ask, or call an election; null for any number of times. */
  readonly requests: number | null
  /** Whether a channel keeps the order of its messages. */
  readonly channels: 'fifo' | 'unordered'
  /**
   * `bounded`: a time-out fires only when nothing else can happen but a request or a fault, as if delays had a
   * bound that time-outs exceed; a round trip does not wait for those inside to leave. `any`: at any moment. The
   * node's own pace is never held back.
   */
  readonly timing: 'bounded' | 'any'
  /** Which requests ask to share: none (the default), any, or all. */
  readonly readers?: 'none' | 'some' | 'all'
  /** Whether a node that is inside exclusively may go on as a reader, if the algorithm has a rule for that; not by default. */
  readonly downgrades?: boolean
  /** Whether a request may be for an update, and such a node may upgrade, if the algorithm has a rule for that; not by default. */
  readonly updates?: boolean
  /** How many priorities a request may have: 0, 1, and so on. 1 by default: all requests are equal. */
  readonly priorities?: number
  /** For each node the sets of resources of which it asks for one; absent where there is one lock. */
  readonly sets?: readonly (readonly (readonly ResourceId[])[])[]
  /** Whether a node that runs again after a crash still has its memory; `'kept'` by default. */
  readonly memory?: 'kept' | 'lost' | 'either'
  /**
   * Worlds in which a clock passes this are not entered; fences do not count. Clocks are then kept as they are: a shift would hide
   * how far they went. Absent where clocks have no bound.
   */
  readonly clock?: number
  /**
   * Worlds in which more messages than this are under way from one node to another are not entered, so that runs of any length
   * have finitely many worlds. Absent where channels have no bound.
   */
  readonly room?: number
  /**
   * Distances between neighbouring values of a clock count up to this: larger ones are one world. What holds of all runs is proved, and what fails
   * may hold. Absent where all distances count.
   */
  readonly gaps?: number
  /**
   * From some worlds the steps of one node alone are explored, where that is enough for the properties of single worlds (`Reduction`).
   * Absent where all steps are.
   */
  readonly reduced?: true
  /** Messages are received at once when the algorithm says that they are settled (`Settling`). Absent where they wait as others do. */
  readonly settled?: true
  /** The properties to decide; the others may fail. Where `rules` may fail, a run ends when a handler breaks one. All by default. */
  readonly only?: readonly PropertyName[]
  /** The trouble that may come. */
  readonly budgets: Budgets
}

/** How often, in all, each kind of trouble may come. */
export interface Budgets {
  /** Nodes that crash. */
  readonly crashes: number
  /** Messages that are lost. */
  readonly drops: number
  /** Messages that arrive twice. */
  readonly duplicates: number
  /** Requests that are given up before their turn. */
  readonly withdrawals: number
  /** Suspicions of a node that has not crashed. */
  readonly suspicions: number
  /** How many crashed nodes run again. While this is above 0, every crashed node will. */
  readonly restarts: number
  /** How many channels fail. */
  readonly unlinks: number
  /** How many channels recover or are new. While this is above 0, a failed channel will recover. */
  readonly links: number
  /** How many nodes join that were absent or have left. */
  readonly joins: number
  /** How many nodes leave in good order. */
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
