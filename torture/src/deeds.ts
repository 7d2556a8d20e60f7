/** Where nodes meet, and what can be done to them, to the ways between them and to that place. */
import type { Cut } from '@turnwise/fleet/cut'

/** Where they meet if they do not know each other's names. */
export const PLACES = ['directory', 'postgres', 'etcd'] as const
export type PlaceName = (typeof PLACES)[number]

export type Deed =
  /** SIGKILL. */
  | { readonly do: 'kill'; readonly id: string; readonly meets: Moment | null }
  /** SIGTERM: it leaves the mesh in good order, and ends. */
  | { readonly do: 'leave'; readonly id: string }
  /** SIGSTOP and SIGCONT. */
  | { readonly do: 'stop'; readonly id: string; readonly meets: Moment | null }
  | { readonly do: 'continue'; readonly id: string }
  /** Loads the program of its next process, so that the next start takes a moment and not most of a lease. */
  | { readonly do: 'stand-by'; readonly id: string }
  /** Starts it again, with its state directory or without, and with so many times the lease of the others. */
  | { readonly do: 'start'; readonly id: string; readonly keepsState: boolean; readonly leaseFactor?: number }
  /** A copy of its state directory is kept, and put back later, when it is old. */
  | { readonly do: 'copy'; readonly id: string }
  | { readonly do: 'put-back'; readonly id: string }
  /** Starts it with a copy of another's state directory. */
  | { readonly do: 'clone'; readonly id: string; readonly of: string }
  /** Its disk is full, until it is started again. */
  | { readonly do: 'fill'; readonly id: string }
  /** Its disk is read-only, until it is started again. */
  | { readonly do: 'protect'; readonly id: string }
  /** It asks that these vote, and no others (R23). */
  | {
      readonly do: 'change-voters'
      readonly id: string
      readonly voters: readonly string[]
      readonly meets: Moment | null
    }
  /** Its program does nothing else, for so long: in leases, and in milliseconds when it is written down. */
  | { readonly do: 'block'; readonly id: string; readonly lasts: number }
  /** It asks for many names at once, and holds what it gets for so long. */
  | { readonly do: 'hoard'; readonly id: string; readonly lasts: number }
  /** Its next stay at the lock that all want lasts so long. */
  | { readonly do: 'linger'; readonly id: string; readonly lasts: number }
  /** One way of a link. */
  | {
      readonly do: 'cut'
      readonly from: string
      readonly to: string
      readonly how: Way
      readonly meets: Moment | null
    }
  | { readonly do: 'heal'; readonly from: string; readonly to: string }
  /** The next thing that it asks the engine is lost on its way, or is done and its answer lost; the connection breaks. */
  | { readonly do: 'lose'; readonly id: string; readonly what: 'question' | 'answer' }
  /** The engine at which they meet: ended as by a crash, started with what it had written down, stopped, continued. */
  | { readonly do: 'engine'; readonly what: 'kill' | 'start' | 'stop' | 'continue' }

/** The other end of a way from a node to the engine. */
export const ENGINE = 'engine'
/** One end of all ways to a node: at an engine it tells the others one address, that of a relay. */
export const EVERYONE = 'everyone'

/** How one way of a link can be cut: in the relay, or in the kernel. */
export type Way =
  | Cut
  /** Every packet of that way is dropped: nobody is told, and what waits is sent again by the rules of TCP. */
  | 'dropped'
  /** Of its packets, and of those that answer them, some are. */
  | 'lossy'

/** For so many leases at most a deed waits for whom it is to meet inside. */
export const MOST_WAIT = 2

/**
 * What a deed waits for, though not for ever: that this node is inside anywhere, and means to stay for so many
 * milliseconds yet. Deeds that wait for the same are done together.
 */
export interface Moment {
  readonly inside: string
  readonly still: number
  /** For so long it has been inside. */
  readonly since?: number
}

export interface Step {
  /** Milliseconds since the round began. */
  readonly at: number
  readonly deed: Deed
}
