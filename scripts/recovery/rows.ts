import type { Message, NodeId } from '@turnwise/core/algorithm'
import type { RunWishes } from '@turnwise/simulator/configuration'
import type { Watch } from './watch.ts'

/** With which every cell is played. */
export const RANDOM_SEEDS: readonly number[] = Array.from({ length: 40 }, (_, i) => i + 1)

/** What a recovery has to get over. */
export const SITUATIONS = {
  holder: 'the holder of the token fails',
  waiting: 'a node that waits fails',
  path: 'a node fails to which the token is under way',
  two: 'two start the recovery at once',
} as const

export type Situation = keyof typeof SITUATIONS

export interface Moment {
  readonly nodes: readonly NodeId[]
  readonly at: number
}

/** What is shown by runs of the simulator, each with the failure at a moment that fits. */
export interface Shown {
  /** What the run is, beside the failure. */
  wishes(seed: number): RunWishes
  /** Who fails when, where that is not looked for in a run without failures. */
  moment?(seed: number): Moment
  /** Who stands so, where that is not told by the token. */
  who?(watch: Watch): readonly NodeId[]
  /** The most messages that only a recovery sends, with n nodes. */
  readonly most: Bound
}

export interface Bound {
  readonly formula: string
  of(nodes: number): number
}

export interface Row {
  readonly algorithm: string
  /** How a failure is written: for good, or with the return that the algorithm needs. */
  failure(node: NodeId, at: number, seed: number): readonly string[]
  /** The types of messages that nobody sends unless something fails, or is presumed to have. */
  readonly messages: readonly string[]
  /** How many of these the start of every run costs. */
  atStart?(nodes: number): number
  /** Whether with this message its sender starts a recovery. */
  starts(message: Message, from: NodeId): boolean
  /** A reason where the algorithm does not claim it. */
  readonly cells: Readonly<Record<Situation, Shown | string>>
  /** What else has to be known to read it. */
  readonly note?: string
  /** The runs show more than the facts claim. */
  readonly claimsLess?: true
  /** What a partition does, and the scenario that shows it. */
  readonly partition: {
    readonly outcome: 'two tokens' | 'no second token' | 'nobody enters'
    readonly shownBy: string
  }
}
