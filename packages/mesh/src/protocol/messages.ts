import type { Message as LockMessage, Mode } from '@turnwise/core/algorithm'
import type { Fence } from './fence.ts'
import type { Advice, Question } from './keeping.ts'
import type { Attendant } from './meeting/cells.ts'
import type { Claim, Id, Promised, Roster, Session, ViewRecord, VoterId, Word } from './record.ts'

/** What passes between nodes. All but `link` may be lost, repeated and reordered: its sender repeats it on the tick. */
export type Message =
  /** HB: I am here. `at` is the sender's clock at sending, and a lease counts from it. */
  | {
      readonly type: 'heartbeat'
      readonly session: Session
      readonly at: number
      readonly lease: number
      readonly begun: number | null
      readonly accepted: number | null
      readonly promised: number
      /** Of its session, `accepted` and `promised`, to be shown to it if it ever says less (R20). */
      readonly mark: string
      readonly suspects: readonly Id[]
      /** The voters that a caller of the sender wants (R23); null without a wish. */
      readonly wish: readonly Id[] | null
    }
  /**
   * Of a heartbeat what the lease needs, for the lease thread of a voter; programs ignore it. The heartbeat itself goes with the work, so
   * that silence there is noticed (R8).
   */
  | { readonly type: 'renew'; readonly session: Session; readonly at: number; readonly lease: number }
  | { readonly type: 'ack'; readonly session: Session; readonly at: number; readonly voterId: VoterId }
  | { readonly type: 'out'; readonly session: Session; readonly epoch: number }
  | { readonly type: 'gone'; readonly session: Session }
  /** The last word of a voterId, sent back to one who says less: its directory is an old copy (R20). */
  | ({ readonly type: 'stale'; readonly voterId: VoterId } & Word)
  /** `insists`: by the host's word, not by rank, so nobody ignores it (R8). */
  | { readonly type: 'prepare'; readonly epoch: number; readonly ballot: string; readonly insists: boolean }
  | PromiseMessage
  | { readonly type: 'refuse'; readonly ballot: string; readonly promised: Promised }
  | { readonly type: 'install'; readonly record: ViewRecord; readonly ballot: string }
  | { readonly type: 'accepted'; readonly epoch: number; readonly ballot: string; readonly voterId: VoterId }
  | { readonly type: 'begin'; readonly epoch: number }
  | { readonly type: 'fetch'; readonly epoch: number }
  | { readonly type: 'copy'; readonly record: ViewRecord; readonly ballot: string }
  | {
      readonly type: 'link'
      readonly epoch: number
      readonly seq: number
      readonly payload: Payload
      /** An ack for the other direction that rides on it, as a LINKACK of the same epoch. */
      readonly upTo?: number
    }
  | { readonly type: 'link-ack'; readonly epoch: number; readonly upTo: number }
  /** Do you remember? And keep this, if there is a value. */
  | {
      readonly type: 'consult'
      readonly epoch: number
      readonly ticket: number
      readonly question: Question
    }
  | {
      readonly type: 'advice'
      readonly epoch: number
      readonly ticket: number
      readonly voterId: VoterId
      readonly advice: Advice
    }
  | MeetingMessage

/** Between nodes that meet at a register (M1 to M14). */
export type MeetingMessage =
  /** Are you there? `waits`: the sender waits to join, and has heard the receiver. */
  | { readonly type: 'hello'; readonly session: Id; readonly address: string; readonly waits: boolean }
  | { readonly type: 'here'; readonly session: Id }
  | { readonly type: 'freeze'; readonly epoch: number }
  | {
      readonly type: 'report'
      readonly epoch: number
      readonly session: Id
      readonly address: string
      readonly begun: number | null
      readonly holds: Readonly<Record<string, readonly Claim[]>>
    }
  /** Not for `epoch`, but for `above` or more. */
  | { readonly type: 'no'; readonly epoch: number; readonly above: number }
  /** BEGIN: this view is decided. */
  | { readonly type: 'view'; readonly record: ViewRecord }
  /** The same for one that has begun the view `after`: who is gone, who came, and the table. */
  | {
      readonly type: 'change'
      readonly epoch: number
      readonly after: number
      readonly gone: readonly Id[]
      readonly come: readonly Attendant[]
      readonly table: ViewRecord['table']
    }
  | { readonly type: 'has-begun'; readonly epoch: number }
  /** The row of the sender is gone: look. */
  | { readonly type: 'look'; readonly session: Id }

export interface PromiseMessage {
  readonly type: 'promise'
  readonly epoch: number
  readonly ballot: string
  readonly session: Session
  /** Of this session alone, for the record (R20). */
  readonly mark: string
  readonly accepted: Roster | null
  readonly begun: number | null
  readonly holds: Readonly<Record<string, readonly Claim[]>>
  readonly wish: readonly Id[] | null
}

/** What passes over a link: in order and once, within one view. */
export type Payload =
  /** A message of the algorithm that serves the lock `name`, from one seat of a node to one of another. */
  | {
      readonly kind: 'lock'
      readonly name: string
      readonly from: number
      readonly to: number
      readonly message: LockMessage
    }
  /** I take this lock: lose what you hold of it, and let nobody in before I say that I have it or gave up. */
  | { readonly kind: 'steal'; readonly name: string }
  | { readonly kind: 'stolen'; readonly name: string }
  /** Who holds and who waits at your node? */
  | { readonly kind: 'ask'; readonly name: Asked; readonly ticket: number }
  /** The answer, or a piece of it: `more` says that another follows. A name may be in several. */
  | {
      readonly kind: 'tell'
      readonly ticket: number
      readonly names: readonly NameStanding[]
      readonly more: boolean
    }

/** For one name, for all, or for those of all who say to whom they belong (`About`). */
export type Asked = string | null | { readonly only: 'holders' }

/** What a caller says of itself. */
export interface About {
  /** Of no other caller of its node, in this session. */
  readonly id: number
  /** When it asked, by the clock of its machine: for an order that is the same at all members, and nothing else. */
  readonly asked: number
  /** As JSON, for people: nothing is decided by it, and nobody vouches for it. */
  readonly info: string | null
  /** The callers of its node that cannot go on before it has ended, and last itself; none if it does not say. */
  readonly holders: readonly string[]
}

/** One who waits. */
export interface Standing {
  readonly mode: Mode
  /** For how many milliseconds: clocks of nodes cannot be compared. */
  readonly age: number
  readonly about?: About
}

/** One who holds. */
export interface HoldStanding extends Standing {
  readonly fence: Fence
}

/** Who holds and who waits for a name at one node, in order. */
export interface NameStanding {
  readonly name: string
  readonly held: readonly HoldStanding[]
  readonly pending: readonly Standing[]
}

export type MessageOf<Type extends Message['type']> = Extract<Message, { type: Type }>
