/**
 * The protocol of the control socket: JSON, one object per line. Each side first names its version. Then the client asks. Every
 * question has a ticket, larger than all before, which its answer repeats. A hold is identified by the ticket of its request,
 * until the client releases it or its connection ends.
 */
import type { Mode, ResourceId } from '@turnwise/core/algorithm'
import type { PlaceStatus } from '../observe/mesh-status.ts'
import type { Fence } from '../protocol/fence.ts'
import type { Survives } from '../protocol/losses.ts'
import type { NameStanding } from '../protocol/messages.ts'
import type { Kind } from '../protocol/names.ts'
import type { Finding } from '../protocol/runs.ts'

export const VERSION = 11

/** In characters. Questions are short, and an answer lists a limited number of names. */
export const LONGEST_QUESTION = 16_384
/** C9: after so many milliseconds of silence, a daemon and a client on different machines consider each other gone. */
export const FAR_SILENCE = 15_000
export const LONGEST_MESSAGE = 4096
export const LONGEST_ANSWER = 64 * 1024 * 1024
export const MOST_NAMES = 10_000
/** How many names `query` can list in one answer. */
export const MOST_SURVEYED = 100_000

/** How many circles are shown to people. */
export const MOST_CIRCLES = 100

/** How many characters of callers' infos fit in one answer, escaped once more and together with the rest. */
export const MOST_INFO = 16 * 1024 * 1024

/** How a client wants to wait. */
export interface Waits {
  /** In milliseconds; null for no limit. */
  readonly timeout: number | null
  readonly priority: number
  readonly waitForQuorum: boolean
  /** What others are shown about the caller, as JSON; null for nothing. */
  readonly info: string | null
  /**
   * The holders that cannot go on before this has ended, the caller itself last. The client chooses their signs. Empty if it
   * names none.
   */
  readonly holders: readonly string[]
}

/** What a client wants to hold. */
export interface Wanted extends Waits {
  readonly what: Kind
  readonly name: string
  /** For a lock. */
  readonly mode: Mode
  /** For a semaphore. */
  readonly permits: number
  /** For a semaphore that names one. */
  readonly algorithm: string | null
  /** `now`: fail instead of waiting. `steal`: take the lock from its holder; only for locks. */
  readonly how: 'wait' | 'now' | 'steal'
  /** For a group. */
  readonly group?: Stay
}

/** Some names of a group. */
export interface Stay {
  /** All names of the group. */
  readonly names: readonly string[]
  /** The numbers of those that the client wants, in the sorted list. */
  readonly resources: readonly ResourceId[]
}

/** The lock of a job that a client wants to run once. It waits for it. */
export interface WantedJob extends Waits {
  /** The name of the job. */
  readonly name: string
}

/** One of several locks. */
export interface Part {
  readonly name: string
  readonly mode: Mode
}

/** Several locks that a client wants to hold: all of them, or none. */
export interface WantedAll extends Waits {
  /** No name is there twice. */
  readonly parts: readonly Part[]
  /** `now`: fail instead of waiting. */
  readonly how: 'wait' | 'now'
}

/** The callers of one node, by name. */
export interface Surveyed {
  readonly id: string
  readonly names: readonly NameStanding[]
}

export type Question =
  /** `lingers`: a command, a process beside the client, works under its locks, and ends shortly after the client (C6). */
  | {
      readonly kind: 'hello'
      readonly version: number
      readonly lingers: boolean
      /** At a door: the name of the client, and its token unless a certificate proves it. */
      readonly client: string | null
      readonly token: string | null
    }
  | { readonly kind: 'status'; readonly ticket: number }
  | { readonly kind: 'locks'; readonly ticket: number }
  | { readonly kind: 'metrics'; readonly ticket: number }
  | ({ readonly kind: 'acquire'; readonly ticket: number } & Wanted)
  /** The ticket is that of the last part. The parts before it have the tickets before it (`ticketsOf`). */
  | ({ readonly kind: 'acquire-all'; readonly ticket: number } & WantedAll)
  | ({ readonly kind: 'acquire-job'; readonly ticket: number } & WantedJob)
  /**
   * I am here, and rely on the answer: for how long may I rely on my holds? `echo`: the number of the daemon's `echo` that this
   * answers (C10); null if it answers none.
   */
  | { readonly kind: 'beat'; readonly ticket: number; readonly echo: number | null }
  /** Releases the hold of the ticket `hold`, or ends its wait. */
  | { readonly kind: 'release'; readonly ticket: number; readonly hold: number }
  /** Changes the hold of the ticket `hold`: to shared at once; to exclusive as soon as possible; or stops waiting for that. */
  | { readonly kind: 'downgrade'; readonly ticket: number; readonly hold: number }
  | { readonly kind: 'upgrade'; readonly ticket: number; readonly hold: number }
  | { readonly kind: 'desist'; readonly ticket: number; readonly hold: number }
  /** Whether the job whose lock is the hold of the ticket `hold` ran for this fire time. Before `note` and `confirm`. */
  | {
      readonly kind: 'look-up'
      readonly ticket: number
      readonly hold: number
      /** Milliseconds since 1970, as all times here; `skew` in milliseconds. */
      readonly time: number
      readonly skew: number
    }
  /** Notes a run for the fire time that was looked up, and forgets those noted before `since`. */
  | {
      readonly kind: 'note'
      readonly ticket: number
      readonly hold: number
      readonly at: number
      readonly isDone: boolean
      readonly since: number
    }
  /** Makes sure that every later `look-up` finds the same. */
  | { readonly kind: 'confirm'; readonly ticket: number; readonly hold: number }
  /** Who holds and who waits, for one key or for all. `hold`: the ticket of a request that waits for this key, for its place. */
  | {
      readonly kind: 'survey'
      readonly ticket: number
      readonly key: string | null
      readonly hold: number | null
    }

export type Answer =
  /** `lease`: in milliseconds. */
  | { readonly kind: 'hello'; readonly version: number; readonly id: string; readonly lease: number }
  | { readonly kind: 'status'; readonly ticket: number; readonly status: NodeStatus }
  | {
      readonly kind: 'locks'
      readonly ticket: number
      readonly names: readonly NameOverview[]
      /** How many names were left out because there are too many. */
      readonly more: number
      /** Deadlocks, one line for each circle of callers. */
      readonly circles: readonly string[]
    }
  /** In the text format of Prometheus. */
  | { readonly kind: 'metrics'; readonly ticket: number; readonly text: string }
  /**
   * C2: the client counts `left` milliseconds from when it sent the question `heard`, the last one that the daemon had read. `fences`: one
   * for each part of the request.
   */
  | {
      readonly kind: 'granted'
      readonly ticket: number
      readonly fences: readonly Fence[]
      readonly left: number
      readonly heard: number
    }
  /** C1: for at least so many milliseconds the client keeps everything that it holds now; 0 if it holds nothing. */
  | { readonly kind: 'beat'; readonly ticket: number; readonly left: number }
  /** `wasHeld`: it was held until now, without a break. */
  | { readonly kind: 'released'; readonly ticket: number; readonly wasHeld: boolean }
  /** `wasHeld`: it was held until now, without a break. */
  | { readonly kind: 'changed'; readonly ticket: number; readonly wasHeld: boolean }
  /** Unasked: the hold of the ticket `hold` is exclusive now. */
  | { readonly kind: 'upgraded'; readonly hold: number; readonly fence: Fence }
  /** Unasked: the hold of the ticket `hold` stays in mode update. `upgrade`: the ticket of the question that failed. */
  | {
      readonly kind: 'not-upgraded'
      readonly hold: number
      readonly upgrade: number
      readonly why: Refusal
      readonly message: string
    }
  | { readonly kind: 'refused'; readonly ticket: number; readonly why: Refusal; readonly message: string }
  | { readonly kind: 'found'; readonly ticket: number; readonly finding: Finding }
  /** To `note` and `confirm`: it is remembered. */
  | { readonly kind: 'noted'; readonly ticket: number }
  /** `ahead`: of the request `hold`; null if it is not known. */
  | {
      readonly kind: 'survey'
      readonly ticket: number
      readonly nodes: readonly Surveyed[]
      readonly ahead: number | null
    }
  /** Unasked: the hold of the ticket `hold` is lost. */
  | { readonly kind: 'lost'; readonly hold: number; readonly why: Refusal; readonly message: string }
  /** Unasked, C10: answer with a `beat`, so that the daemon has read everything that you sent before. */
  | { readonly kind: 'echo'; readonly number: number }
  /** Unasked: the daemon wants to leave. Finish your work and release. */
  | { readonly kind: 'end'; readonly message: string }
  /** Unasked: the daemon cannot use what you sent, and closes the connection. */
  | { readonly kind: 'error'; readonly message: string }

/** Each is an error of the library (`refusals.ts`), except `taken`: the lock is held or awaited, and the caller does not wait. */
export const REFUSALS = [
  'taken',
  'timeout',
  'deadlock',
  'no-quorum',
  'run-unknown',
  'stolen',
  'lost',
  'quota',
  'not-supported',
  'denied',
  'closed',
  'invalid',
  'range',
  'type',
  'failed',
] as const
export type Refusal = (typeof REFUSALS)[number]

export interface NodeStatus {
  readonly id: string
  /** Whether it is a member already. */
  readonly joined: boolean
  readonly epoch: number | null
  readonly members: readonly string[]
  /** The zones of the members that state one. */
  readonly zones: Readonly<Record<string, string>>
  readonly voters: readonly string[]
  readonly peers: readonly string[]
  /** Peers that are not in the view, and voters that are not heard; never this node. */
  readonly missing: readonly string[]
  /** Which losses leave a majority of the voters; null without a view, and at a place. */
  readonly survives: Survives | null
  /** Where the mesh meets; null with peers. At a place there are no voters and no peers. */
  readonly place: PlaceStatus | null
  /** Why it is not served, one line each. */
  readonly trouble: readonly string[]
  /** In milliseconds, as what is left of it. */
  readonly lease: number
  readonly leaseLeft: number
  readonly names: number
  /** Connections to the control socket, and locks held for them. */
  readonly clients: number
  readonly holding: number
  /** Milliseconds since the daemon was started. */
  readonly uptime: number
}

/** A lock, a semaphore, a group or an election. */
export interface NameOverview {
  readonly name: string
  readonly kind: Kind
  readonly holders: readonly Holding[]
  /** In the order of their turns as far as that is known, then the longest waiter first. */
  readonly waiters: readonly Waiting[]
}

/** A caller that holds or waits. */
export interface Caller {
  readonly node: string
  readonly mode: Mode
  /** In milliseconds. */
  readonly age: number
  /** What the caller says about itself, as JSON; null for nothing. Do not trust it. */
  readonly info: string | null
  /** Of a group: the names that it holds or wants. */
  readonly names?: readonly string[]
}

export interface Holding extends Caller {
  readonly fence: string
}

export interface Waiting extends Caller {
  /** How many waiting callers are let in before this one, if nobody else comes and nobody gives up; null if that is not known. */
  readonly ahead: number | null
}

/** The tickets of a request for so many locks, the last of which is that of its question. */
export function ticketsOf(ticket: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => ticket - count + 1 + i)
}
