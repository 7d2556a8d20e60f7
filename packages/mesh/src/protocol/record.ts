import type { Mode } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import type { Fence } from './fence.ts'

/** The name of a node in the configuration. */
export type Id = string
/** Made at random when a state directory is first used: same id, other disk, other voter. */
export type VoterId = string

/** One life of a process: `k` rises at every start and at every R7. Locks, leases and membership belong to it. */
export interface Session {
  readonly voterId: VoterId
  readonly k: number
}

export interface Voter {
  readonly id: Id
  readonly voterId: VoterId
}

/** How far a voter has come; on its disk none of it ever goes back. */
export interface Progress {
  readonly k: number
  readonly promised: number
  readonly accepted: number
}

/** The same as its voter said it, with the mark by which that voter knows its own words (R20); empty without one. */
export interface Word extends Progress {
  readonly mark: string
}

export interface Member {
  readonly id: Id
  readonly session: Session
  /** Of a word that says nothing but this session: whoever has this record on disk can prove that it was. */
  readonly mark?: string
  /** Where it listens, in a view that was decided at a register. */
  readonly address?: string
}

export interface Claim {
  /** Which seat of the node is inside: 0 for a lock. */
  readonly seat: number
  readonly mode: Mode
  readonly fence: Fence
}

/** Who holds a name when a view begins. */
export interface Holder extends Claim {
  readonly id: Id
}

export type Table = Readonly<Record<string, readonly Holder[]>>

export function holdersOf(table: Table, name: string): readonly Holder[] {
  return (Object.hasOwn(table, name) ? table[name] : undefined) ?? []
}

/** T, in milliseconds, from and to: what a node may be set to, and what is believed of others. */
export const SHORTEST_LEASE = 50
export const LONGEST_LEASE = 600_000

/** What instances of all members are built from, so that they are equal without a message. */
export interface Settings {
  readonly algorithm: string
  /** T, on the holder's clock. */
  readonly lease: number
  /** ρ: rates of clocks are within 1 ± ρ. */
  readonly drift: number
}

/** A view record without its table: what a voter keeps on disk. */
export interface Roster {
  readonly epoch: number
  readonly voters: readonly Voter[]
  /** Present in a joint view, while the voters change (R23). */
  readonly oldVoters: readonly Voter[] | null
  readonly members: readonly Member[]
  readonly settings: Settings
  /** The view with which these voters came, if others voted before them: what those remembered, these may not know. */
  readonly since?: number
}

export interface ViewRecord extends Roster {
  readonly table: Table
}

export interface Promised {
  readonly epoch: number
  readonly ballot: string
}

/** On disk, written and synced, before any message that depends on it leaves. */
export interface Durable {
  readonly voterId: VoterId
  readonly k: number
  readonly promised: Promised
  readonly accepted: Roster | null
  /** The longest lease this voter ever acknowledged, for R19: nodes may be set to different ones. */
  readonly longest: number
}

export const NO_PROMISE: Promised = { epoch: 0, ballot: '' }

/** A voter that has never run. */
export function blank(voterId: VoterId): Durable {
  return { voterId, k: 0, promised: NO_PROMISE, accepted: null, longest: 0 }
}

export function sessionKey({ voterId, k }: Session): string {
  return `${voterId}.${k}`
}

export function sameSession(a: Session, b: Session): boolean {
  return a.voterId === b.voterId && a.k === b.k
}

export function includesSession({ members }: Roster, session: Session): boolean {
  return members.some((member) => sameSession(member.session, session))
}

/** Those of both sets, in a joint view. */
export function votersOf({ voters, oldVoters }: Roster): readonly Voter[] {
  return oldVoters === null ? voters : [...voters, ...oldVoters]
}

export function namesVoter(roster: Roster, voterId: VoterId): boolean {
  return votersOf(roster).some((voter) => voter.voterId === voterId)
}

/** Everyone a record names, as voter or member. */
export function idsIn(roster: Roster): Id[] {
  return [...votersOf(roster), ...roster.members].map(({ id }) => id)
}

/** More than half of its voters and, if present, more than half of its old voters, counted by voterId. */
export function isMajority({ voters, oldVoters }: Roster, among: readonly VoterId[]): boolean {
  const most = (set: readonly Voter[]) =>
    2 * set.filter(({ voterId }) => among.includes(voterId)).length > set.length
  return most(voters) && (oldVoters === null || most(oldVoters))
}

/** The largest value that a majority of the record reaches: per set of voters, then the smaller one. */
export function reachedByMajority(
  { voters, oldVoters }: Roster,
  value: Readonly<Record<VoterId, number>>,
): number {
  const reached = (set: readonly Voter[]) =>
    get(
      set.map(({ voterId }) => value[voterId] ?? Number.NEGATIVE_INFINITY).toSorted((a, b) => b - a),
      Math.floor(set.length / 2),
    )
  return Math.min(reached(voters), oldVoters === null ? Number.POSITIVE_INFINITY : reached(oldVoters))
}

/** D, what a voter counts on its own clock for a lease of T on another: T·(1+ρ)/(1-ρ). */
export function debtFor(lease: number, drift: number): number {
  return (lease * (1 + drift)) / (1 - drift)
}

export function withoutTable(record: ViewRecord): Roster {
  const { table: _, ...roster } = record
  return roster
}
