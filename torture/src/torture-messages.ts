/**
 * What is told to the referee, and so what stands in its log. Times are milliseconds of the machine's monotonic clock,
 * which all processes of one machine share. Fences are texts: a bigint does not pass as JSON.
 */
import type { Mode, ResourceId } from '@turnwise/core/algorithm'
import type { JoinOptions } from '@turnwise/mesh/join'
import type { Loss } from '@turnwise/mesh/protocol/events'
import type { Deed } from './deeds.ts'

/** What a node tells. A turn is a number that its process gives to each of its requests. */
export type Report =
  | { readonly is: 'joined'; readonly at: number }
  | {
      readonly is: 'asks'
      readonly turn: number
      readonly name: string
      readonly mode: Mode
      readonly at: number
      /** How many may be inside together: absent for a lock. */
      readonly permits?: number
      /** Of a group: the numbers of the names that it wants. */
      readonly resources?: readonly ResourceId[]
    }
  /** It found at that time that it holds the lock, and until when its lease runs as far as it knows. */
  | {
      readonly is: 'granted'
      readonly turn: number
      readonly fence: string
      readonly at: number
      readonly until: number
      /** For how many milliseconds it means to stay. */
      readonly stays: number
    }
  /** Told before the release, so what is logged ends no later than what is true. */
  | { readonly is: 'releases'; readonly turn: number; readonly at: number }
  /** It found at that time that it holds the lock no more. */
  | { readonly is: 'loses'; readonly turn: number; readonly at: number; readonly why?: Loss }
  /** It does not want the lock any more, or was told that it cannot have it. */
  | { readonly is: 'gives-up'; readonly turn: number; readonly at: number; readonly why: string }
  | Beat
  | { readonly is: 'trouble'; readonly at: number; readonly text: string }

/** Several times a second: how the node stands, and of what it is inside the end of its lease. */
export interface Beat {
  readonly is: 'beats'
  readonly at: number
  readonly epoch: number | null
  readonly members: readonly string[]
  readonly hasLease: boolean
  readonly holds: readonly { readonly turn: number; readonly until: number }[]
}

/** What a node does at the register, with the fence of its turn. */
export type Access =
  | {
      readonly is: 'reads'
      readonly turn: number
      readonly name: string
      readonly mode: Mode
      readonly fence: string
    }
  | {
      readonly is: 'writes'
      readonly turn: number
      readonly name: string
      readonly fence: string
      readonly value: number
    }

/** The outcome: the value now, or a refusal because a higher fence was here. */
export interface Reply {
  readonly turn: number
  readonly taken: boolean
  readonly value: number
}

/** What the process that does all this to the nodes tells. */
export type Order =
  /** Told before it is done. */
  | { readonly is: 'does'; readonly at: number; readonly deed: Deed }
  /** A process of a node has begun, or ended by itself. */
  | {
      readonly is: 'begins'
      readonly at: number
      readonly id: string
      readonly life: number
      /** With whose disk, if not with its own as it left it. */
      readonly disk?: 'clone' | 'old-copy'
    }
  | {
      readonly is: 'ends'
      readonly at: number
      readonly id: string
      readonly life: number
      readonly why: string
    }
  | { readonly is: 'round'; readonly at: number; readonly number: number }
  /** The process through which all that nodes say to each other passes was held up, until then, or the engine where they meet. */
  | { readonly is: 'stalled'; readonly at: number; readonly milliseconds: number }
  /** All is repaired. */
  | { readonly is: 'calm'; readonly at: number; readonly number: number }

/** The first line of a connection: which process of which node this is; null for the one that orders. */
export interface Hello {
  readonly id: string | null
  readonly life: number
}

/** One line of the log, in the order in which the referee heard it. */
export type Entry =
  | (Report & { readonly id: string; readonly life: number })
  | (Access & Reply & { readonly id: string; readonly life: number })
  | Order

/** One name, and how it is used. */
export interface Lock {
  readonly name: string
  /** How many callers each node has for it. */
  readonly callers: number
  /** How many of 100 requests share. */
  readonly shared: number
  /** How many of 100 requests that do not share steal it. */
  readonly steals: number
  /** How many may be inside together: 1 for a lock, more for a semaphore, which guards no register. */
  readonly permits: number
  /** Of a group: its names, of which each request takes some. Those with different names are inside together, so it guards no register. */
  readonly group?: readonly string[]
  /**
   * 1: it is asked for all the time. More: a caller has so many short turns in a row, and then none for up to three leases.
   * Most of the time nobody waits then, and the node that was inside last goes in again without a message.
   */
  readonly burst: number
}

/** How a node proves who it is, as `join` takes it; nothing if it need not. */
export interface Credentials {
  readonly secret?: string
  readonly tls?: { readonly ca: string; readonly cert: string; readonly key: string }
}

/** What a process of a node is started with. */
export interface MemberOptions {
  readonly id: string
  readonly life: number
  readonly leaseMs: number
  readonly seed: number
  /** What it gives to `join`: only what can be told to a process. */
  readonly joining: JoinOptions
  readonly locks: readonly Lock[]
  /** The port at which it listens. */
  readonly referee: number
  /** Where it writes what it sees of each lock. */
  readonly traces: string
  /** It takes what it was once given for its own, whatever became of its lease: for tests of the judges. */
  readonly ignoresLoss?: boolean | undefined
}

/**
 * To a process of a node: from now on it writes what it sees elsewhere; or what its program is to do, for so
 * many milliseconds; or whom it wants to vote.
 */
export type MemberWord =
  | { readonly traces: string }
  | { readonly block: number }
  | { readonly hoard: number }
  | { readonly linger: number }
  | { readonly voters: readonly string[] }

/** How many names one that hoards asks for. */
export const HOARD = 2000

/** The longest stay of a caller, in leases. */
export const LONGEST_STAY = 2
