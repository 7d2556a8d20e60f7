/** The state of one node, as plain data with its own clock in milliseconds, and the context of one event. */
import type { Mode, ResourceId } from '@turnwise/core/algorithm'
import { DERIVED, type Derived, derived } from './derived.ts'
import type { Effect } from './events.ts'
import type { Fence } from './fence.ts'
import type { Place } from './instances.ts'
import type { Ledger } from './ledger.ts'
import type { Meeting } from './meeting/meeting-state.ts'
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
  /** All nodes that this node speaks with, itself included. */
  readonly peers: readonly Id[]
  /** The voters that must promise before there is a first view (R21). */
  readonly voters: readonly Id[]
  readonly settings: Settings
  /** How many callers of this node may follow each other under one hold of the algorithm, from 1 to 16 (R5). Default 1. */
  readonly localTurns?: number
  /** Which members are near this node: those that state the same zone. */
  readonly zone?: string
  /** Whether voters are spread over zones, as long as no caller has chosen others. */
  readonly spreadsVoters?: boolean
  /** An estimate, in milliseconds, for R8's "freeze late" and for how long a proposer waits for slower nodes. Liveness only. */
  readonly roundTrip: number
  /** R21: the lowest epoch of a first view, from the clock. R26: as the operator orders it. */
  readonly firstEpoch?: number
  /** R21, stated by an operator: nothing ran here before, and these voters are enough for the first view. */
  readonly firstStart?: readonly Id[] | undefined
  /** R21: peers that were told voters for the first view of whom none is a voter here. */
  readonly rivals?: readonly Id[]
  /** R18: with so many unacknowledged messages on one link the node asks for nothing more. Without progress the view ends. */
  readonly linkLimit?: number
  /** R20. Undefined in the first life of a node whose directory is older than marks. Then it believes voters without a mark. */
  readonly marks?: Marks | undefined
}

/** How a node recognises its own words when others show them. The marks come from a key on its disk, which copies share. */
export interface Marks {
  of(said: Progress): string
  isOwn(word: Word): boolean
}

/** An operator's order of a first view other than the configured one: R21, R26. */
export interface Order {
  readonly voters: readonly Id[]
  readonly firstEpoch: number
  /** Whether it counts although records of earlier views exist. */
  readonly overrides: boolean
}

/** Identifies a caller at this node. The host chooses the number or name. */
export type CallerId = string | number

/** A caller that waits at this node for a name. */
export interface Caller {
  readonly caller: CallerId
  readonly mode: Mode
  /** Higher numbers go first, among the callers of this node and, if the algorithm has priorities, among nodes. */
  readonly priority: number
  /** Takes the lock from its holder. */
  readonly steals: boolean
  /** Does not wait if the lock is taken, so it is not reported as waiting. */
  readonly probes?: true
  /** What is reported about it. Most callers say nothing. */
  readonly about?: About
  /** Of a group: the numbers of the names that it wants together. */
  readonly resources?: readonly ResourceId[]
}

export interface Waiting extends Caller {
  /** When it began to wait. */
  readonly since: number
  /** How many more urgent callers have come in before it, if any has. */
  passed?: number
}

/** A caller that holds. `fence` is the fence of its grant, `since` the time of it. */
export interface Hold extends Waiting {
  readonly fence: Fence
  /** For mode update: whether it waits to be exclusive. */
  readonly upgrades?: boolean
}

/** One process of the algorithm that serves a name in one view. */
export interface Instance {
  /** The state of the algorithm, opaque here. */
  readonly state: object
  phase: 'idle' | 'waiting' | 'inside'
  mode: Mode
  /** The algorithm's number of the grant, from entering until a caller is let in; null otherwise. */
  grant: number | null
  /** Whether it is inside in mode update, and was asked to upgrade. */
  upgrades?: boolean
  /** Of a group: the caller for which it was asked, until it is released. */
  caller?: CallerId | undefined
  /** The names that it was asked for, as long. */
  wants?: readonly ResourceId[] | undefined
  /** Whether that caller has given up. */
  isLeft?: boolean
  /** How many random numbers it has drawn. Most algorithms draw none. */
  draws?: number
  [DERIVED]?: Place
}

/** A place from which this node enters a name (`seatsOf`). */
export interface Seat {
  instance: Instance | null
  /** Several only if they share. */
  holds: Hold[]
  /** Until when callers that share may join those inside. The limit gives writers of other nodes their turn. */
  joinUntil: number
}

export interface LocalName {
  waiting: Waiting[]
  readonly seats: readonly Seat[]
}

/** One link per peer and view (R17): the unacknowledged messages, and the numbers that come next. */
export interface Link {
  nextOut: number
  unacked: { readonly seq: number; readonly payload: Payload }[]
  nextIn: number
  /** The first unacknowledged number at the last tick; 0 for none. */
  oldest: number
  /** For how many ticks that number has not changed. With voters it counts only while the link is full. */
  unmoved: number
}

/** An answer that is sent piece by piece. */
export interface Telling {
  readonly to: Id
  readonly ticket: number
  /** Names of this node, then callers that its host has not requested yet. */
  readonly names: readonly string[]
  readonly inLine: readonly NameStanding[]
  /** How many of both are sent or in `pieces`. */
  at: number
  /** The pieces that are sent next. Very many callers may wait for one name. */
  pieces: NameStanding[][]
}

export interface Heard {
  at: number
  /** T of that peer, in milliseconds. */
  lease: number
  /** Milliseconds for which it may be silent before it is suspected: S, or longer if one of the two does not vote (R1). */
  patience: number
  /** When this session was first heard. */
  since: number
  session: Session
  begun: number | null
  accepted: number | null
  promised: number
  suspects: readonly Id[]
  wish: readonly Id[] | null
  /** Since when it has said that it does not hear each of its suspects. */
  doubts: Readonly<Record<Id, number>>
  /** Since when it has promised more than this node; null if it has not. */
  aheadSince: number | null
}

export interface Installed {
  readonly record: ViewRecord
  readonly ballot: string
}

/** A record that waits to be accepted. `until` is the debt when INSTALL came, `to` is the proposer. */
export interface Closing extends Installed {
  readonly to: Id
  readonly until: number
}

export interface Proposal {
  readonly epoch: number
  readonly ballot: string
  readonly started: number
  promises: Record<Id, PromiseMessage>
  /** Nodes that promised the epoch to another ballot, and so never report to this one. */
  readonly refusers: Id[]
  /** Null until the ballot is decided. */
  record: ViewRecord | null
  accepts: VoterId[]
  readonly order: Order | null
  /** Whether the record is a first one (R21). */
  isFirst: boolean
  readonly insists: boolean
}

export interface Node {
  /** At a register this is the session, so it changes after M9. */
  id: Id
  config: Config
  /** In memory. The disk has the last `persist`. */
  durable: Durable
  // Member
  begun: ViewRecord | null
  installed: Installed | null
  /** The highest epoch known to be chosen. */
  chosen: number
  /** The node that said so last. */
  herald: Id | null
  acked: Record<VoterId, number>
  deadline: number
  /** The latest deadline that clients of a daemon were promised (R14). */
  promised: number
  names: Map<string, LocalName>
  /** Names with a seat that is inside, but whose caller must wait for the next ack (R5). */
  gated: Set<string>
  /** Names that callers wait for, but that were not requested yet because a link is full (R18). */
  unasked: Set<string>
  /** How many holds the callers of this node have. */
  holding: number
  /** Names that members are stealing, with the thieves. */
  thefts: Map<string, readonly Id[]>
  /** Names that no caller uses: the states of their instances as text, with one copy of each text. */
  resting: Map<string, string>
  restingTexts: Map<string, string>
  /** Names used since the last tick, and those of the tick before. */
  used: Set<string>
  stirring: Set<string>
  links: Record<Id, Link>
  /** Peers whose link is full (R18). */
  full: Set<Id>
  /** For each peer the long report or record that was sent last, and the tick from which it may be sent again. */
  underWay: Record<Id, { readonly what: string; readonly until: number }>
  tellings: Telling[]
  left: boolean
  // Voter
  owed: Record<string, number>
  closing: Closing | null
  /** The longest lease that heard members use, in milliseconds. */
  inUse: number
  /** Since when every lease in use is shorter than the longest one on disk; null if one is as long. */
  fadingSince: number | null
  heard: Record<Id, Heard>
  /** Sessions that sent GONE, and the last word of each voterId. */
  gone: Record<string, true>
  known: Record<VoterId, Word>
  // Proposer
  proposal: Proposal | null
  ballots: number
  /** The last sign of life of the proposer that this node promised. */
  stirred: number
  /** Since when there is a reason to change the view; null without one. */
  reasonSince: number | null
  /** Backoff: no proposal before this time. */
  notBefore: number
  ticks: number
  // Wishes of callers and operators
  /** R23: the voters that a caller of this node wants; null when there is no open wish. In memory only: the caller repeats it. */
  wish: readonly Id[] | null
  order: Order | null
  /** R22: it leaves for good as soon as it no longer votes. */
  isLeaving: boolean
  /** R20: its directory is an old copy, and the node ignores every event. */
  isStale: boolean
  /** When its process started, or last distrusted its clock. */
  started: number
  /** Since when no majority of voters is heard; null while one is (R26). */
  noQuorumSince: number | null
  /** The register that decides views for it (M1 to M14). Null if voters do (R1 to R26). */
  meeting: Meeting | null
  [DERIVED]?: Derived
}

/** One event at one node: handlers change `node` and record effects. `now` is the node's own clock. */
export interface Handling {
  readonly node: Node
  readonly now: number
  /** The debts of the lease thread; null without one. */
  readonly ledger: Ledger | null
  readonly effects: Effect[]
  /** Messages to oneself, and between seats of this node. They are handled before the event is over (R18). */
  readonly toSelf: Message[]
  readonly between: { readonly epoch: number; readonly payload: Extract<Payload, { kind: 'lock' }> }[]
}

export function send(handling: Handling, to: Id, message: Message): void {
  if (to === handling.node.id) handling.toSelf.push(message)
  else handling.effects.push({ kind: 'send', to, message })
}

export function sendToAll(handling: Handling, message: Message): void {
  for (const peer of peersOf(handling.node)) send(handling, peer, message)
}

/** All nodes to speak with: configured peers, and nodes that a record names. */
export function peersOf(node: Node): readonly Id[] {
  const { id, config, begun, durable } = node
  const { accepted } = durable
  const known = derived(node)
  const last = known.peers
  // Every heartbeat asks.
  if (last?.configured === config.peers && last.begun === begun && last.accepted === accepted) return last.all
  const named = [begun, accepted].flatMap((roster) => (roster === null ? [] : idsIn(roster)))
  const all = [...new Set([...config.peers, id, ...named])]
  known.peers = { configured: config.peers, begun, accepted, all }
  return all
}

export function persist(handling: Handling, change: Partial<Durable>): void {
  handling.node.durable = { ...handling.node.durable, ...change }
  handling.effects.push({ kind: 'persist', durable: handling.node.durable })
}

export function sessionOf({ durable: { voterId, k } }: Node): Session {
  return { voterId, k }
}

/** The zone of this node, as its messages tell it. */
export function zoneOf({ config: { zone } }: Node): { readonly zone?: string } {
  return zone === undefined ? {} : { zone }
}

export function newHandling(node: Node, now: number, ledger: Ledger | null = null): Handling {
  return { node, now, ledger, effects: [], toSelf: [], between: [] }
}

/** The later of the begun and the accepted record. */
export function lastView({ begun, durable: { accepted } }: Node): Roster | null {
  if (begun === null || accepted === null) return begun ?? accepted
  return accepted.epoch > begun.epoch ? accepted : begun
}

/** With voters a promise never goes back, so a view that is frozen at a node is over for it. At a register it may thaw (M6). */
export function isFrozen({ begun, durable }: Node): boolean {
  return begun === null || begun.epoch !== durable.promised.epoch
}

/** The length of a tick. */
export function tickOf({ config }: Node): number {
  return config.settings.lease / 10
}

/** S: a peer that is silent for this long is suspected. */
export function suspicion({ config }: Node): number {
  return config.settings.lease / 2
}

/** R21: the rivals that are still peers. */
export function rivalsOf(node: Node): readonly Id[] {
  const peers = peersOf(node)
  return (node.config.rivals ?? []).filter((id) => peers.includes(id))
}

export function isLive(node: Node, id: Id, now: number): boolean {
  if (id === node.id) return true
  const heard = node.heard[id]
  return heard !== undefined && !isSilent(heard, now)
}

export function isSilent({ at, patience }: Heard, now: number): boolean {
  return now - at >= patience
}

/** By GONE, or by a higher session of the same voterId: the session holds nothing, and nothing is owed to it. */
export function isEnded(node: Node, { voterId, k }: Session): boolean {
  return `${voterId}.${k}` in node.gone || (node.known[voterId]?.k ?? 0) > k
}
