/** What passes between `turnwise up` and the processes that it starts. */

import type { JoinOptions } from '@turnwise/mesh/join'
import type { PlaceStatus } from '@turnwise/mesh/observe/mesh-status'

/** Times are milliseconds of the machine's monotonic clock, which all processes of one machine share. */
export type Word =
  | { readonly is: 'joined'; readonly at: number }
  | { readonly is: 'failed'; readonly message: string }
  | { readonly is: 'asks'; readonly name: string; readonly at: number }
  /** The fence is a text: a bigint does not pass as JSON. */
  | {
      readonly is: 'enters'
      readonly name: string
      readonly at: number
      readonly fence: string
      readonly waitedMs: number
    }
  /** It held the lock until this moment. */
  | { readonly is: 'leaves'; readonly name: string; readonly at: number }
  /** It found that it holds the lock no more. */
  | { readonly is: 'loses'; readonly name: string; readonly at: number }
  | Beat

/** Several times a second: how the member stands. */
export interface Beat {
  readonly is: 'beats'
  readonly at: number
  readonly epoch: number | null
  readonly members: readonly string[]
  /** In milliseconds. */
  readonly leaseLeft: number
  readonly sent: number
  /** Where it meets the others, as it finds it. */
  readonly place: PlaceStatus | null
  /** What it was inside of, and held, at this moment. */
  readonly holds: readonly string[]
}

/** What a member joins. Of peers: by the address at which it finds each, its own is where it listens, the others' are relays. */
export type Joining = Pick<
  JoinOptions,
  'at' | 'mesh' | 'listen' | 'peers' | 'stateDir' | 'firstStart' | 'zone'
>

/** What a member is started with. */
export interface MemberOptions {
  readonly id: string
  /** Of all members. */
  readonly ids: readonly string[]
  readonly joining: Joining
  readonly algorithm: string
  readonly leaseMs: number
  readonly names: readonly string[]
  readonly seed: number
  /** A directory in which every lock is recorded; null if none is. */
  readonly record: string | null
  /** The file of its audit. */
  readonly audit: string
}
