/** The state of one node, plain data, and what one event at it may do. */
import type { Mode } from '@turnwise/core/algorithm'
import type { Effect } from './events.ts'
import type { Fence } from './fence.ts'
import type { Ledger } from './ledger.ts'
import type { Meeting } from './meeting/state.ts'
import type { About, Message, NameStanding, Payload, PromiseMessage } from './messages.ts'
import {
  type Durable,
  type Id,
  idsIn,
  type Progress,
  type Roster,
  type Session,
  type Settings,
  type ViewRecord,
  type VoterId,
  type Word,
} from './record.ts'

export interface Config {
  /** Everyone this node speaks with, itself included. */
  readonly peers: readonly Id[]
  /** Who must have promised before there is a first view (R21). */
  readonly voters: readonly Id[]
  readonly settings: Settings
  /** How many callers of this node in a row may have a lock under one hold of the algorithm, from 1 to 16 (R5). Default 1. */
  readonly localTurns?: number
  /** An estimate, for R8's "freeze late" and for how long a proposer waits for the slower ones: liveness only. */
  readonly roundTrip: number
  /** R26: below this no first view begins. Where nobody knows what was used before: 2^35 plus the seconds since 1970. */
  readonly firstEpoch?: number
  /** R21, an operator's explicit word: nothing ran here before, and these voters are enough for the first view. */
  readonly firstStart?: readonly Id[] | undefined
  /** R18: with so many unacknowledged messages on one link nothing more is asked, and without progress the view ends. */
  readonly linkLimit?: number
  /** R20. Undefined in the first life of a node whose directory is older than marks: then voters are believed without. */
  readonly marks?: Marks | undefined
}

/** By which a node knows its own words when others show them to it: of a key on its disk, which copies of that disk share. */
export interface Marks {
  of(said: Progress): string
  isOwn(word: Word): boolean
}

/** A first view that is not the configured one, by an operator's word: R21, R26. */
export interface Order {
  readonly voters: readonly Id[]
  readonly firstEpoch: number
  /** Whether it counts although there are records of views before. */
  readonly overrides: boolean
}

/** Whoever asks for a lock at this node; the host chooses the number or name. */
export type CallerId = string | number

/** A caller that waits at this node for a name. */
export interface Caller {
  readonly caller: CallerId
  readonly mode: Mode
  /** A larger number goes first among callers of this node, and among nodes if the algorithm has priorities. */
  readonly priority: number
  /** Takes the lock from whoever holds it. */
  readonly steals: boolean
  /** Does not wait if somebody else does, and so is not told of as waiting. */
  readonly probes?: true
  /** What is told of it; most callers say nothing. */
  readonly about?: About
}

export interface Waiting extends Caller {
  /** When it began to wait. */
  readonly since: number
}

/** What a caller holds; `fence` is what it was let in with, `since` when. */
export interface Hold extends Waiting {
  readonly fence: Fence
  /** Of an update: whether it waits to be alone. */
  readonly upgrades?: boolean
}

/** One process of the algorithm that serves a name in one view. */
export interface Instance {
  /** The algorithm's own state, opaque here. */
  readonly state: object
  phase: 'idle' | 'waiting' | 'inside'
  mode: Mode
  /** The algorithm's number of the grant, while inside and not yet passed to a caller; null otherwise. */
  grant: number | null
  /** Whether it is inside to update, and was asked to upgrade. */
  upgrades?: boolean
  /** How many random numbers it has drawn; most algorithms draw none. */
  draws?: number
}

/** A place from which this node enters a name: one for a lock, as many as there are permits for a semaphore. */
export interface Seat {
  instance: Instance | null
  /** Several only if all of them share. */
  holds: Hold[]
  /** Until when callers who share may come in with those who are inside, so that a writer elsewhere gets its turn. */
  joinUntil: number
}

export interface LocalName {
  waiting: Waiting[]
  readonly seats: readonly Seat[]
}

/** One link per peer and view (R17): what was sent and is not acknowledged, and what is expected. */
export interface Link {
  nextOut: number
  unacked: { readonly seq: number; readonly payload: Payload }[]
  nextIn: number
  /** What was the first unacknowledged at the last tick; 0 for none. */
  oldest: number
  /** For how many ticks it has been full, and the same was the first. */
  unmoved: number
}

/** An answer that is being told, piece by piece. */
export interface Telling {
  readonly to: Id
  readonly ticket: number
  /** Names of this node, and then callers that do not wait for one yet. */
  readonly names: readonly string[]
  readonly inLine: readonly NameStanding[]
  /** How many of both have been told, or are in pieces. */
  at: number
  /** What is told next: very many callers may wait for one name. */
  pieces: NameStanding[][]
}

export interface Heard {
  at: number
  /** Its T. */
  lease: number
  /** How long it may be silent before it is suspected: S, or longer where one of the two does not vote (R1). */
  patience: number
  /** When this session was first heard. */
  since: number
  session: Session
  begun: number | null
  accepted: number | null
  promised: number
  suspects: readonly Id[]
  wish: readonly Id[] | null
  /** Since when it says that it does not hear each of its suspects. */
  doubts: Readonly<Record<Id, number>>
  /** Since when it has promised more than this node; null if it has not. */
  aheadSince: number | null
}

export interface Installed {
  readonly record: ViewRecord
  readonly ballot: string
}

/** A record that waits to be accepted; `until` is the debt as it was when INSTALL came, `to` is its proposer. */
export interface Closing extends Installed {
  readonly to: Id
  readonly until: number
}

export interface Proposal {
  readonly epoch: number
  readonly ballot: string
  readonly started: number
  promises: Record<Id, PromiseMessage>
  /** Who has promised the epoch to another ballot, and so never reports to this one. */
  readonly refusers: Id[]
  /** Null while promises are gathered. */
  record: ViewRecord | null
  accepts: VoterId[]
  readonly order: Order | null
  /** Whether the record is a first one (R21). */
  isFirst: boolean
  readonly insists: boolean
}

export interface Node {
  /** Of a node that meets others at a register: its session, so another one after M9. */
  id: Id
  config: Config
  /** In memory; what is on disk is the last `persist`. */
  durable: Durable
  // Member
  begun: ViewRecord | null
  installed: Installed | null
  /** The highest epoch known to be chosen. */
  chosen: number
  /** Whoever said so last. */
  herald: Id | null
  acked: Record<VoterId, number>
  deadline: number
  /** Until when others were told that the deadline is not before (R14). */
  promised: number
  names: Map<string, LocalName>
  /** Names with a seat that is inside and whose caller may not go in before the next ack (R5). */
  gated: Set<string>
  /** Names that callers wait for and that were not asked for yet, since a link is full (R18). */
  unasked: Set<string>
  /** How many callers hold something. */
  holding: number
  /** Names that members are stealing, and who. */
  thefts: Map<string, readonly Id[]>
  /** Names nobody uses: the states of their instances as text, and each text once. */
  resting: Map<string, string>
  restingTexts: Map<string, string>
  /** Names used since the last tick, and since the one before. */
  used: Set<string>
  stirring: Set<string>
  links: Record<Id, Link>
  /** Peers whose link is full (R18). */
  full: Set<Id>
  /** The long report or record that was sent to each last, and the tick before which it is not sent again. */
  underWay: Record<Id, { readonly what: string; readonly until: number }>
  tellings: Telling[]
  left: boolean
  // Voter
  owed: Record<string, number>
  closing: Closing | null
  /** The longest lease that members use, as far as they are heard. */
  inUse: number
  /** Since when nothing as long as the longest lease on disk is in use; null if something is. */
  fadingSince: number | null
  heard: Record<Id, Heard>
  /** Sessions that said they are gone, and the last word of each voterId. */
  gone: Record<string, true>
  known: Record<VoterId, Word>
  // Proposer
  proposal: Proposal | null
  ballots: number
  /** The last sign of life of whoever we promised. */
  stirred: number
  /** Since when there is a reason to change the view; null without one. */
  reasonSince: number | null
  /** Backoff: no proposal before. */
  notBefore: number
  ticks: number
  // What callers and operators want
  /** R23: the voters that a caller of this node wants; null when that is settled. In memory: whoever wishes repeats it. */
  wish: readonly Id[] | null
  order: Order | null
  /** R22: it leaves for good as soon as it is no voter any more. */
  isLeaving: boolean
  /** R20: its directory is an old copy; nothing is done any more. */
  isStale: boolean
  started: number
  /** Since when no majority of voters is heard; null while one is (R26). */
  noQuorumSince: number | null
  /** What decides views for it: a register (M1 to M14), or voters (R1 to R26) if null. */
  meeting: Meeting | null
}

/** One event at one node: handlers change `node` and record effects. `now` is the node's own clock. */
export interface Turn {
  readonly node: Node
  readonly now: number
  /** What a thread beside this one has acknowledged; null if there is none. */
  readonly ledger: Ledger | null
  readonly effects: Effect[]
  /** Messages to oneself, and from one seat of this node to another: handled before the event is over (R18). */
  readonly toSelf: Message[]
  readonly between: { readonly epoch: number; readonly payload: Extract<Payload, { kind: 'lock' }> }[]
}

export function send(turn: Turn, to: Id, message: Message): void {
  if (to === turn.node.id) turn.toSelf.push(message)
  else turn.effects.push({ kind: 'send', to, message })
}

export function sendToAll(turn: Turn, message: Message): void {
  for (const peer of peersOf(turn.node)) send(turn, peer, message)
}

/** Everyone to speak with: those given, and whoever a record names. */
export function peersOf({ id, config, begun, durable: { accepted } }: Node): readonly Id[] {
  const named = [begun, accepted].flatMap((roster) => (roster === null ? [] : idsIn(roster)))
  return [...new Set([...config.peers, id, ...named])]
}

export function persist(turn: Turn, change: Partial<Durable>): void {
  turn.node.durable = { ...turn.node.durable, ...change }
  turn.effects.push({ kind: 'persist', durable: turn.node.durable })
}

export function sessionOf({ durable: { voterId, k } }: Node): Session {
  return { voterId, k }
}

export function newTurn(node: Node, now: number, ledger: Ledger | null = null): Turn {
  return { node, now, ledger, effects: [], toSelf: [], between: [] }
}

/** The later one of what was begun and what was accepted. */
export function lastView({ begun, durable: { accepted } }: Node): Roster | null {
  if (begun === null || accepted === null) return begun ?? accepted
  return accepted.epoch > begun.epoch ? accepted : begun
}

/** A promise never goes back, so a view once frozen at a node is over for it. */
export function isFrozen({ begun, durable }: Node): boolean {
  return begun === null || begun.epoch !== durable.promised.epoch
}

/** How often hosts let time pass. */
export function tickOf({ config }: Node): number {
  return config.settings.lease / 10
}

/** S: a peer unheard for so long is suspected. */
export function suspicion({ config }: Node): number {
  return config.settings.lease / 2
}

export function isLive(node: Node, id: Id, now: number): boolean {
  if (id === node.id) return true
  const heard = node.heard[id]
  return heard !== undefined && !isSilent(heard, now)
}

export function isSilent({ at, patience }: Heard, now: number): boolean {
  return now - at >= patience
}

/** By GONE, or by a higher session of the same voterId: it holds nothing, and nothing is owed to it. */
export function isEnded(node: Node, { voterId, k }: Session): boolean {
  return `${voterId}.${k}` in node.gone || (node.known[voterId]?.k ?? 0) > k
}
