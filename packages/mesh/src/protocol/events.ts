/** The events that a node receives, and the effects that it asks of its host. */
import type { Mode, ResourceId } from '@turnwise/core/algorithm'
import type { Fence } from './fence.ts'
import type { Advice, Question } from './keeping.ts'
import type { Answer, Call } from './meeting/cells.ts'
import type { Asked, Message, NameStanding } from './messages.ts'
import type { Durable, Id, Progress, Roster, ViewRecord, VoterId } from './record.ts'
import type { Caller, CallerId } from './state.ts'

/** Why a hold ended before its release. Lapsed: the lease ran out or the node was left out. Stolen: another caller took it. */
export type Loss = 'lapsed' | 'stolen'

/** The host performs effects in order. Effects after a `persist` wait until it is on disk. */
export type Effect =
  | { readonly kind: 'persist'; readonly durable: Durable }
  | { readonly kind: 'send'; readonly to: Id; readonly message: Message }
  /** Ask for a `wake` event when the node's own clock shows `at`. */
  | { readonly kind: 'wake'; readonly at: number }
  | {
      readonly kind: 'grant'
      readonly name: string
      readonly caller: CallerId
      readonly mode: Mode
      readonly fence: Fence
      /** Of a group: the numbers of the names that it holds. */
      readonly resources?: readonly ResourceId[]
    }
  /** A caller that held the lock in mode update is exclusive now. */
  | { readonly kind: 'upgraded'; readonly name: string; readonly caller: CallerId; readonly fence: Fence }
  /** The hold is over, whatever the caller believes. Its signal aborts. */
  | { readonly kind: 'lost'; readonly name: string; readonly caller: CallerId; readonly why: Loss }
  /** A member asks who holds and who waits here. The host owes it an `answer`. */
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
      /** Whether there is more that this answer does not contain. */
      readonly more: boolean
    }
  /** The proposer knows that a majority accepted this record. For observers. */
  | { readonly kind: 'chosen'; readonly record: Roster }
  | { readonly kind: 'begun'; readonly record: ViewRecord }
  /** R23: the wished voters are the voters now, and no others count. */
  | { readonly kind: 'voters'; readonly voters: readonly Id[] }
  /** R20: discard the directory, and start again as another voter. This node does nothing more. */
  | { readonly kind: 'stale-state'; readonly known: Progress }
  /** Something happened that the protocol excludes: a peer lies, or there is a bug. The node has already reacted. */
  | { readonly kind: 'contradiction'; readonly what: string }
  /** R22, M11: the node holds nothing, and does not vote if it left for good. The process may end after some more ticks. */
  | { readonly kind: 'left' }
  /** Ask the register, and bring its answer as an `answered` event. */
  | { readonly kind: 'call'; readonly ticket: number; readonly call: Call }
  /** M9: the session is over and all its holds are lost. The host provides another one in a `session` event. */
  | { readonly kind: 'out'; readonly why: string }
  /** Where the other members listen. The host closes connections to nodes that are not named. */
  | {
      readonly kind: 'addresses'
      /** Null for a node that it shall no longer speak with. */
      readonly addresses: Readonly<Record<Id, string | null>>
      /** Whether the list is complete. If not, earlier addresses stay. */
      readonly isWhole: boolean
    }
  /** M2: whether the register shall send a hint when something has changed. */
  | { readonly kind: 'hints'; readonly areWanted: boolean }
  /** Ask the kernel whether the process of this session has ended. `life` identifies the process in the row. */
  | {
      readonly kind: 'doubt'
      readonly session: Id
      readonly life: string
      readonly address: string
      /** The connection has just ended. If the process has not ended yet, it may in a moment. */
      readonly isSudden: boolean
    }
  /** A member asks what this voter remembers. The host owes an `advise` when it is on disk. */
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
  /** The view at the register has other settings, so this node does not join. */
  | { readonly kind: 'unlike'; readonly settings: string }

export type Event =
  /** `passed`: hosts may let several ticks pass at once when nothing is to be done (`nextStep`). */
  | { readonly kind: 'tick'; readonly passed?: number }
  | { readonly kind: 'wake' }
  /** The clock stood still or jumped, so times measured with it no longer count. */
  | { readonly kind: 'slept' }
  | { readonly kind: 'receive'; readonly from: Id; readonly message: Message }
  | ({ readonly kind: 'request'; readonly name: string } & Caller)
  | { readonly kind: 'release'; readonly name: string; readonly caller: CallerId }
  /** The caller holds it exclusively or in mode update, and shares it from now on. */
  | { readonly kind: 'downgrade'; readonly name: string; readonly caller: CallerId }
  /** The caller holds it in mode update, and waits to be exclusive; or it stops waiting for that. */
  | { readonly kind: 'upgrade' | 'desist'; readonly name: string; readonly caller: CallerId }
  /** The caller no longer waits. */
  | { readonly kind: 'cancel'; readonly name: string; readonly caller: CallerId }
  /** Asks every other member who holds and who waits. */
  | { readonly kind: 'ask'; readonly name: Asked; readonly ticket: number }
  /** Answers `asked`. `inLine`: callers that wait at this host and were not requested yet, or all callers that name their holder. */
  | {
      readonly kind: 'answer'
      readonly to: Id
      readonly ticket: number
      readonly name: Asked
      readonly epoch: number
      readonly inLine: readonly NameStanding[]
    }
  /** No member has a waiting writer for this name. Callers that share may join those inside for another lease. */
  | { readonly kind: 'rejoin'; readonly name: string }
  /** The host wants another view with the live nodes: idle instances are forgotten, and counters start again. */
  | { readonly kind: 'renew' }
  /** `forGood`: a voter is first removed from the voters (R22). This needs a majority. */
  | { readonly kind: 'leave'; readonly forGood?: boolean }
  /** R23: these nodes shall vote. It replaces an earlier wish of this node. */
  | { readonly kind: 'voters'; readonly wanted: readonly Id[] }
  /** All peers from now on. Members of the view count besides. */
  | { readonly kind: 'peers'; readonly peers: readonly Id[] }
  /** R21: of the peers that this node has met, those whose configured voters have no node in common with its own. */
  | { readonly kind: 'rivals'; readonly rivals: readonly Id[] }
  /** R17: the transport has connected to this peer again. */
  | { readonly kind: 'connected'; readonly peer: Id }
  /** Asks the voters what they remember for a name whose lock this caller holds. If `value` is not null they keep it. */
  | {
      readonly kind: 'consult'
      readonly ticket: number
      readonly name: string
      readonly caller: CallerId
      readonly step: number
      readonly value: string | null
    }
  /** Answers `consulted`. */
  | {
      readonly kind: 'advise'
      readonly to: Id
      readonly epoch: number
      readonly ticket: number
      readonly advice: Advice
    }
  /** R26: an operator orders a new first view, although records of earlier views may exist. */
  | { readonly kind: 'genesis'; readonly voters: readonly Id[]; readonly firstEpoch: number }
  /** The answer of the register to a `call`. */
  | { readonly kind: 'answered'; readonly ticket: number; readonly answer: Answer }
  /** The register has changed. This is only a hint to read it (M2). */
  | { readonly kind: 'hint' }
  /** The kernel says that the process of this session has ended, and with it all its holds. */
  | { readonly kind: 'dead'; readonly session: Id }
  /** The connection with this session has ended. The process may still run. */
  | { readonly kind: 'disconnected'; readonly peer: Id }
  /** M9: a fresh session, under which this node joins again. */
  | { readonly kind: 'session'; readonly session: Id; readonly address: string }
