/** What a node is told, and what it asks of its host. */
import type { Mode } from '@turnwise/core/algorithm'
import type { Fence } from './fence.ts'
import type { Advice, Question } from './keeping.ts'
import type { Answer, Call } from './meeting/cells.ts'
import type { Asked, Message, NameStanding } from './messages.ts'
import type { Durable, Id, Progress, Roster, ViewRecord, VoterId } from './record.ts'
import type { Caller, CallerId } from './state.ts'

/** Why a hold ended before its release: the lease ran out or the node was left out, or another caller took it. */
export type Loss = 'lapsed' | 'stolen'

/** In the order in which they are to be done: whatever follows a `persist` waits until that is on disk. */
export type Effect =
  | { readonly kind: 'persist'; readonly durable: Durable }
  | { readonly kind: 'send'; readonly to: Id; readonly message: Message }
  /** Ask for a `wake` event when the own clock shows `at`. */
  | { readonly kind: 'wake'; readonly at: number }
  | {
      readonly kind: 'grant'
      readonly name: string
      readonly caller: CallerId
      readonly mode: Mode
      readonly fence: Fence
    }
  /** The caller held it to update, and is alone. */
  | { readonly kind: 'upgraded'; readonly name: string; readonly caller: CallerId; readonly fence: Fence }
  /** The hold is over whatever the caller believes: its signal aborts. */
  | { readonly kind: 'lost'; readonly name: string; readonly caller: CallerId; readonly why: Loss }
  /** A member asks who holds and who waits here: an `answer` is due. */
  | {
      readonly kind: 'asked'
      readonly from: Id
      readonly ticket: number
      readonly name: Asked
      readonly epoch: number
    }
  /** A member's answer to an `ask` of this node. */
  | {
      readonly kind: 'told'
      readonly from: Id
      readonly ticket: number
      readonly names: readonly NameStanding[]
      /** Whether it is not all of it. */
      readonly more: boolean
    }
  /** A record was accepted by a majority, as its proposer knows. For whoever watches. */
  | { readonly kind: 'chosen'; readonly record: Roster }
  | { readonly kind: 'begun'; readonly record: ViewRecord }
  /** R23: the voters that were wished for are the voters, and no others count any more. */
  | { readonly kind: 'voters'; readonly voters: readonly Id[] }
  /** R20: discard the directory, and start anew as another voter. Nothing else comes from this node. */
  | { readonly kind: 'stale-state'; readonly known: Progress }
  /** What cannot be if all follow the protocol: a peer lies, or there is a bug. What was done about it is done. */
  | { readonly kind: 'contradiction'; readonly what: string }
  /** R22, M11: it holds nothing, and is no voter if it left for good. The process may end after some more ticks. */
  | { readonly kind: 'left' }
  /** Ask the register, and bring its answer as an `answered` event. */
  | { readonly kind: 'call'; readonly ticket: number; readonly call: Call }
  /** M9: the session is over and everything lost. The host gives it another by a `session` event. */
  | { readonly kind: 'out'; readonly why: string }
  /** Where the others listen. Whoever is not named is spoken to no more. */
  | {
      readonly kind: 'addresses'
      readonly addresses: Readonly<Record<Id, string>>
      /** Whether these are all. If not, those told before stay. */
      readonly isWhole: boolean
    }
  /** M2: whether the register is to say when something has changed. */
  | { readonly kind: 'hints'; readonly areWanted: boolean }
  /** Ask the kernel whether the process of this session is gone; `life` is what its row names it by. */
  | {
      readonly kind: 'doubt'
      readonly session: Id
      readonly life: string
      readonly address: string
      /** Its connection has just ended: if it is not gone yet, it may be in a moment. */
      readonly isSudden: boolean
    }
  /** A member asks what this voter remembers: an `advise` is due when that is on disk. */
  | {
      readonly kind: 'consulted'
      readonly from: Id
      readonly epoch: number
      readonly since: number
      readonly ticket: number
      readonly question: Question
    }
  /** A voter's answer to a `consult` of this node, in the view that it works in. */
  | {
      readonly kind: 'advised'
      readonly epoch: number
      readonly ticket: number
      readonly voterId: VoterId
      readonly advice: Advice
    }
  /** The view at the register was made with other settings: this node does not join. */
  | { readonly kind: 'unlike'; readonly settings: string }

export type Event =
  /** Hosts may let several tenths of a lease pass at once where there is nothing to do (`nextStep`). */
  | { readonly kind: 'tick'; readonly passed?: number }
  | { readonly kind: 'wake' }
  /** Time has passed, or the clock has jumped, that the clock did not show: nothing that was counted on it holds. */
  | { readonly kind: 'slept' }
  | { readonly kind: 'receive'; readonly from: Id; readonly message: Message }
  | ({ readonly kind: 'request'; readonly name: string } & Caller)
  | { readonly kind: 'release'; readonly name: string; readonly caller: CallerId }
  /** The caller holds it exclusively, or to update, and shares it from now on. */
  | { readonly kind: 'downgrade'; readonly name: string; readonly caller: CallerId }
  /** The caller holds it to update, and waits to be alone; it waits for that no more. */
  | { readonly kind: 'upgrade' | 'desist'; readonly name: string; readonly caller: CallerId }
  /** The caller no longer waits. */
  | { readonly kind: 'cancel'; readonly name: string; readonly caller: CallerId }
  /** Asks every other member who holds and who waits there. */
  | { readonly kind: 'ask'; readonly name: Asked; readonly ticket: number }
  /** To what was `asked`, with the callers that stand in line and are not requested yet. */
  | {
      readonly kind: 'answer'
      readonly to: Id
      readonly ticket: number
      readonly name: Asked
      readonly epoch: number
      readonly inLine: readonly NameStanding[]
    }
  /** No member has a writer that waits for this name: for another lease, callers who share may join those inside. */
  | { readonly kind: 'rejoin'; readonly name: string }
  /** The host wants another view with whoever is there: idle instances are forgotten, counters start again. */
  | { readonly kind: 'renew' }
  /** `forGood`: a voter is first removed from the voters (R22), which needs a majority. */
  | { readonly kind: 'leave'; readonly forGood?: boolean }
  /** R23: these shall vote. A later wish replaces an earlier one of this node. */
  | { readonly kind: 'voters'; readonly wanted: readonly Id[] }
  /** Everyone to speak with from now on, beside those whom the view names. */
  | { readonly kind: 'peers'; readonly peers: readonly Id[] }
  /** R17: the transport has connected to this peer anew. */
  | { readonly kind: 'connected'; readonly peer: Id }
  /** Asks the voters what they remember of a name whose lock this caller holds, and to keep `value` if it is not null. */
  | {
      readonly kind: 'consult'
      readonly ticket: number
      readonly name: string
      readonly caller: CallerId
      readonly step: number
      readonly value: string | null
    }
  /** To what was `consulted`. */
  | {
      readonly kind: 'advise'
      readonly to: Id
      readonly epoch: number
      readonly ticket: number
      readonly advice: Advice
    }
  /** R26: an operator orders a new first view, although there may be records of views before. */
  | { readonly kind: 'genesis'; readonly voters: readonly Id[]; readonly firstEpoch: number }
  /** What the register said to a `call`. */
  | { readonly kind: 'answered'; readonly ticket: number; readonly answer: Answer }
  /** The register has changed: a hint to look, no more (M2). */
  | { readonly kind: 'hint' }
  /** The kernel says that the process of this session is gone: whatever it held is over. */
  | { readonly kind: 'dead'; readonly session: Id }
  /** The connection with this session has ended, which may mean anything. */
  | { readonly kind: 'disconnected'; readonly peer: Id }
  /** M9: a fresh session, under which this node joins anew. */
  | { readonly kind: 'session'; readonly session: Id; readonly address: string }
