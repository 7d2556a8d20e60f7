import type { LinePart, Message as LockMessage, Mode, ResourceId } from '@turnwise/core/algorithm'
import type { Fence } from './fence.ts'
import type { Advice, Question } from './keeping.ts'
import type { Attendant, Version } from './meeting/cells.ts'
import type { Claim, Id, Promised, Roster, Session, ViewRecord, VoterId, Word } from './record.ts'

/** Messages between nodes. All but `link` may be lost, repeated and reordered: the sender repeats them on the tick. */
export type Message =
  /** HB: I am here. `at` is the sender's clock at sending, and the lease counts from it. Both are in milliseconds. */
  | {
      readonly type: 'heartbeat'
      readonly session: Session
      readonly at: number
      readonly lease: number
      readonly begun: number | null
      readonly accepted: number | null
      readonly promised: number
      /** A mark of the session, `accepted` and `promised`. If the sender ever says less, peers show it this mark (R20). */
      readonly mark: string
      readonly suspects: readonly Id[]
      /** The voters that a caller of the sender wants (R23). Null without a wish. */
      readonly wish: readonly Id[] | null
    }
  /**
   * The part of a heartbeat that a lease needs. Only the lease thread of a voter reads it; programs ignore it. The heartbeat
   * itself travels with the other messages, so that peers notice when the program is silent (R8). `lease`: in milliseconds.
   */
  | { readonly type: 'renew'; readonly session: Session; readonly at: number; readonly lease: number }
  | { readonly type: 'ack'; readonly session: Session; readonly at: number; readonly voterId: VoterId }
  | { readonly type: 'out'; readonly session: Session; readonly epoch: number }
  | { readonly type: 'gone'; readonly session: Session }
  /** The last word of a voterId, sent back to a node that says less. The directory of that node is an old copy (R20). */
  | ({ readonly type: 'stale'; readonly voterId: VoterId } & Word)
  /** `insists`: proposed by order of the host, so no voter ignores it because of rank (R8). */
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
      /** An ack for the other direction, as a LINKACK of the same epoch. */
      readonly upTo?: number
    }
  | { readonly type: 'link-ack'; readonly epoch: number; readonly upTo: number }
  /** What do you remember? If there is a value, store it. */
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

/** Messages between nodes that meet at a register (M1 to M14). */
export type MeetingMessage =
  /** Are you there? `waits`: the sender waits to join, and has heard the receiver. */
  | { readonly type: 'hello'; readonly session: Id; readonly address: string; readonly waits: boolean }
  | { readonly type: 'here'; readonly session: Id }
  /** `version`: of the view that the sender will replace. Absent if there is none. */
  | { readonly type: 'freeze'; readonly epoch: number; readonly version?: Version }
  /** The sender gives up `epoch`: it will not decide it. */
  | { readonly type: 'thaw'; readonly epoch: number }
  | {
      readonly type: 'report'
      readonly epoch: number
      readonly session: Id
      readonly address: string
      readonly begun: number | null
      readonly holds: Readonly<Record<string, readonly Claim[]>>
      /** The zone of the sender. */
      readonly zone?: string
    }
  /** The view had this version, and has had another one with this epoch since. Nobody can decide a later epoch on that version. */
  | { readonly type: 'outdated'; readonly version: Version; readonly epoch: number }
  /** I do not report for `epoch`, but would for an epoch from `above` on. */
  | { readonly type: 'no'; readonly epoch: number; readonly above: number }
  /** BEGIN: this view is decided. */
  | { readonly type: 'view'; readonly record: ViewRecord }
  /** The same for a member that has begun the view `after`: who left, who came, and the table. */
  | ({ readonly type: 'change' } & Difference)
  /** The sender is about to decide this view. It is decided if the register shows this nonce. */
  | ({ readonly type: 'draft'; readonly nonce: string } & Difference)
  | { readonly type: 'has-begun'; readonly epoch: number }
  /** The row of this session may be gone, so read it. */
  | { readonly type: 'look'; readonly session: Id }

/** A view, for a member that has begun the one before. */
export interface Difference {
  readonly epoch: number
  /** The epoch of the view before. */
  readonly after: number
  readonly gone: readonly Id[]
  readonly come: readonly Attendant[]
  readonly table: ViewRecord['table']
}

export interface PromiseMessage {
  readonly type: 'promise'
  readonly epoch: number
  readonly ballot: string
  readonly session: Session
  /** A mark of this session alone, for the record (R20). */
  readonly mark: string
  readonly accepted: Roster | null
  readonly begun: number | null
  readonly holds: Readonly<Record<string, readonly Claim[]>>
  readonly wish: readonly Id[] | null
  /** The zone of the sender. */
  readonly zone?: string
}

/** The payload of a link: in order and once, within one view. */
export type Payload =
  /** A message of the algorithm that serves the lock `name`, from one seat of a node to one of another. */
  | {
      readonly kind: 'lock'
      readonly name: string
      readonly from: number
      readonly to: number
      readonly message: LockMessage
    }
  /** I steal this lock. Drop your hold, and let no caller in until I say that I have it or gave up. */
  | { readonly kind: 'steal'; readonly name: string }
  | { readonly kind: 'stolen'; readonly name: string }
  /** Who holds and who waits at your node? */
  | { readonly kind: 'ask'; readonly name: Asked; readonly ticket: number }
  /** The answer, or a piece of it. `more`: another piece follows. A name may be in several pieces. */
  | {
      readonly kind: 'tell'
      readonly ticket: number
      readonly names: readonly NameStanding[]
      readonly more: boolean
    }

/** One name; or null for all; or only callers that name their holder (`About`). */
export type Asked = string | null | { readonly only: 'holders' }

/** What a caller says about itself. */
export interface About {
  /** Unique among the callers of its node in this session. */
  readonly id: number
  /** When it asked, by the clock of its machine. It only serves as an order that is the same at all members. */
  readonly asked: number
  /** JSON for people. Nothing is decided by it, and nothing verifies it. */
  readonly info: string | null
  /** The callers of its node that cannot go on before it has ended, itself last. Empty if it names none. */
  readonly holders: readonly string[]
}

/** A waiting caller. */
export interface Standing {
  readonly mode: Mode
  /** For how many milliseconds it has waited or held. Clocks of nodes cannot be compared. */
  readonly age: number
  readonly about?: About
  /** Of a group: the numbers of the names that it wants or holds. */
  readonly resources?: readonly ResourceId[]
  /** Of a waiting caller; absent if it is 0. */
  readonly priority?: number
  /** How many of the waiting callers are let in before this one, if nobody else comes and nobody gives up; absent if unknown. */
  readonly ahead?: number
}

/** A holding caller. */
export interface HoldStanding extends Standing {
  readonly fence: Fence
}

/** Who holds a name and who waits for it at one node, in order. */
export interface NameStanding {
  readonly name: string
  readonly held: readonly HoldStanding[]
  readonly pending: readonly Standing[]
  /** For the callers that the algorithm serves. Others wait in front of it, or for an upgrade. */
  readonly line?: ToldLine
  /** Of a group: its seats that wait. */
  readonly seats?: readonly SeatStanding[]
}

/** A seat of a group that has asked for names and waits. Its caller may have gone: then it waits to give them back. */
export interface SeatStanding {
  /** Its number among the seats of all members. It holds for one view. */
  readonly seat: number
  /** The caller that it asked for (`About.id`). */
  readonly caller: number
  readonly resources: readonly ResourceId[]
  /** The numbers of seats that get a name from this one, when it has been inside. */
  readonly behind: readonly number[]
}

/** What a node knows of the line of a name. */
export interface ToldLine extends LinePart {
  /** How many of its callers may follow each other under one hold (R5). */
  readonly follow: number
}

export type MessageOf<Type extends Message['type']> = Extract<Message, { type: Type }>
