/** What the tests and their processes say to each other. Times are milliseconds of `hrtime`, one clock for the whole machine. */
import type { JoinOptions } from '../../src/join.ts'
import type { OnceResult } from '../../src/locks/once.ts'
import type { LockOptions } from '../../src/locks/options.ts'
import type { Message } from '../../src/protocol/messages.ts'
import type { Mesh } from '../../src/surface.ts'

export type Command =
  | { readonly do: 'join'; readonly options: JoinOptions }
  /** Answered with the number of the hold and its fence when the lock is acquired. */
  | { readonly do: 'acquire'; readonly name: string; readonly options?: LockOptions }
  /** The same for these names of a group. */
  | {
      readonly do: 'acquire in group'
      readonly name: string
      readonly names: readonly string[]
      readonly wanted: readonly string[]
    }
  | { readonly do: 'release'; readonly hold: number }
  /** Takes the lock and releases it again and again, until `rest`, which is answered with how often. */
  | { readonly do: 'work'; readonly name: string }
  | { readonly do: 'rest' }
  /** Asks for so many names at once, in one turn of the event loop; answered with how often each outcome came, by its code. */
  | { readonly do: 'burst'; readonly names: number; readonly whose?: string }
  /** Takes so many locks with names of so many letters, and keeps them. Answered with how many it has. */
  | { readonly do: 'gather'; readonly names: number; readonly letters: number }
  /** How many of those it still has. */
  | { readonly do: 'gathered' }
  /** How many locks are held in the whole mesh, by the answers of all. */
  | { readonly do: 'query' }
  /** Sends a write to the register with the fence of the hold, and only then answers. */
  | { readonly do: 'write'; readonly hold: number }
  /** Finds that it holds the lock, is stopped before it can write, and writes when it goes on. */
  | { readonly do: 'stop, then write'; readonly hold: number }
  /** Keeps the event loop busy, at most until there is this file, then looks at the hold at once. `asks`: for locks, meanwhile. */
  | {
      readonly do: 'block'
      readonly hold: number
      readonly ms: number
      readonly until?: string
      readonly asks?: boolean
    }
  /** Its wall clock shows so many milliseconds more from now on; as if it had been set, or the machine had slept. */
  | { readonly do: 'jump'; readonly ms: number }
  /** Dies when this kind of message was sent so many times more; at 0 just before the next. Not with a lease thread. */
  | { readonly do: 'die'; readonly at: Message['type']; readonly after: number }
  /** Fires, and says so when the job begins. With `hangs` the job never ends. */
  | {
      readonly do: 'once'
      readonly name: string
      readonly time: number
      readonly at: 'most' | 'least'
      readonly hangs?: boolean
    }
  | { readonly do: 'status' }
  | { readonly do: 'addPeer'; readonly id: string; readonly address: string }
  | { readonly do: 'removePeer'; readonly id: string }
  | { readonly do: 'changeVoters'; readonly ids: readonly string[] }
  | { readonly do: 'leave'; readonly forGood?: boolean }

/** What each command is answered with. */
export interface Answers {
  readonly join: null
  readonly acquire: { readonly hold: number; readonly fence: string }
  readonly 'acquire in group': { readonly hold: number; readonly fence: string }
  readonly release: null
  readonly work: null
  readonly rest: number
  readonly burst: Readonly<Record<string, number>>
  readonly gather: number
  readonly gathered: number
  readonly query: number
  readonly write: null
  readonly 'stop, then write': null
  readonly block: AfterBlock
  readonly jump: null
  readonly die: null
  readonly once: Told<OnceResult<string>>
  readonly status: Mesh['status']
  readonly addPeer: null
  readonly removePeer: null
  readonly changeVoters: null
  readonly leave: null
}

/** As it comes over a line. */
type Told<Result> = Result extends { readonly at: Date }
  ? Omit<Result, 'at'> & { readonly at: string }
  : Result

export interface AfterBlock {
  readonly isHeld: boolean
  readonly aborted: boolean
  /** The name of what `assertHeld` threw, or none. */
  readonly thrown: string | null
  /** Whether the listener at the signal had run before anything else of the program did. */
  readonly toldFirst: boolean
}

/** One line on the standard output of a process, beside its answers. */
export type Line =
  | { readonly kind: 'loaded' }
  | { readonly kind: 'log'; readonly text: string }
  | { readonly kind: 'write'; readonly name: string; readonly fence: string }
  | { readonly kind: 'stopping' }
  | { readonly kind: 'running' }
  | Happening

/** What the witness judges by. */
export type Happening =
  | ({
      readonly kind: 'granted'
      readonly name: string
      readonly fence: string
      /** Of a group: the places of what it has in the sorted list of names. */
      readonly resources?: readonly number[]
    } & Moment)
  /** Written before the release, so what is recorded ends no later than what is true. */
  | ({ readonly kind: 'releasing' } & Moment)
  | ({ readonly kind: 'lost'; readonly why: string } & Moment)
  /** The lease has been renewed. */
  | ({ readonly kind: 'renewed' } & Moment)

export interface Moment {
  readonly hold: number
  readonly at: number
  /** Until when the lease runs, as known then. */
  readonly until: number
}

export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
