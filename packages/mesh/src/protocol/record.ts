import type { Mode, ResourceId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import type { Fence } from './fence.ts'

/** The name of a node in the configuration. */
export type Id = string
/** A random number, made when a state directory is first used. The same id with another disk is another voter. */
export type VoterId = string

/** One life of a process. `k` rises at every start and at every R7. Locks, leases and membership belong to a session. */
export interface Session {
  readonly voterId: VoterId
  readonly k: number
}

export interface Voter {
  readonly id: Id
  readonly voterId: VoterId
}

/** How far a voter has come. On its disk these numbers never go back. */
export interface Progress {
  readonly k: number
  readonly promised: number
  readonly accepted: number
}

/** A progress as its voter stated it. The voter recognises its own words by `mark` (R20), which is empty without marks. */
export interface Word extends Progress {
  readonly mark: string
}

export interface Member {
  readonly id: Id
  readonly session: Session
  /** A mark of the session alone. A node with this record on disk can prove to the member that the session existed. */
  readonly mark?: string
  /** Where it listens. Present in a view that was decided at a register. */
  readonly address?: string
  /** The zone that it stated, if it stated one. */
  readonly zone?: string
}

export interface Claim {
  /** Which seat of the node is inside. A lock has only seat 0. */
  readonly seat: number
  readonly mode: Mode
  readonly fence: Fence
  /** Of a group: the numbers of the names that it holds. Absent for all other kinds. */
  readonly resources?: readonly ResourceId[]
}

/** Those of one group that have a name in common with another. Only one of them can be right. */
export function overlapping<Held extends Pick<Claim, 'resources'>>(claims: readonly Held[]): Held[] {
  return claims.filter((one) =>
    claims.some((other) => other !== one && one.resources?.some((each) => other.resources?.includes(each))),
  )
}

/** A holder of a name when a view begins. */
export interface Holder extends Claim {
  readonly id: Id
}

export type Table = Readonly<Record<string, readonly Holder[]>>

export function holdersOf(table: Table, name: string): readonly Holder[] {
  return (Object.hasOwn(table, name) ? table[name] : undefined) ?? []
}

/** The bounds of T, in milliseconds, for a node's own setting and for values from others. */
export const SHORTEST_LEASE = 50
export const LONGEST_LEASE = 600_000

/**
 * Instances of all members are built from these settings, so they are equal without a message. The names of the fields are those
 * on disk, in cells and on the wire, so they carry no unit.
 */
export interface Settings {
  readonly algorithm: string
  /** T, in milliseconds on the holder's clock. */
  readonly lease: number
  /** ρ, a fraction: the rate of every clock is within 1 ± ρ of real time. */
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
  /**
   * If others voted before them: the last view in which both sets voted (R23), or the first view by an operator's order (R26).
   * These voters may not know what was remembered before it.
   */
  readonly since?: number
  /** A caller chose the voters (R23). Otherwise they are spread over zones. */
  readonly isChosen?: true
}

export interface ViewRecord extends Roster {
  readonly table: Table
}

export interface Promised {
  readonly epoch: number
  readonly ballot: string
}

/** On disk: written and synced before any message that depends on it leaves. */
export interface Durable {
  readonly voterId: VoterId
  readonly k: number
  readonly promised: Promised
  readonly accepted: Roster | null
  /** The longest lease that this voter may still owe, in milliseconds, for R19. Nodes may be set to different leases. */
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

/** The voters, in a joint view those of both sets. */
export function votersOf({ voters, oldVoters }: Roster): readonly Voter[] {
  return oldVoters === null ? voters : [...voters, ...oldVoters]
}

export function namesVoter(roster: Roster, voterId: VoterId): boolean {
  return votersOf(roster).some((voter) => voter.voterId === voterId)
}

/** All ids that a record names, as voter or member. */
export function idsIn(roster: Roster): Id[] {
  return [...votersOf(roster), ...roster.members].map(({ id }) => id)
}

/** More than half of its voters and, if present, more than half of its old voters, counted by voterId. */
export function isMajority({ voters, oldVoters }: Roster, among: readonly VoterId[]): boolean {
  const most = (set: readonly Voter[]) =>
    2 * set.filter(({ voterId }) => among.includes(voterId)).length > set.length
  return most(voters) && (oldVoters === null || most(oldVoters))
}

/** The largest value that a majority of each set of voters reaches; of two sets the smaller one. */
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

/** D: what a voter counts on its own clock for a lease of T on another: T·(1+ρ)/(1-ρ). */
export function debtFor(leaseMs: number, driftFraction: number): number {
  return (leaseMs * (1 + driftFraction)) / (1 - driftFraction)
}

/**
 * R19: a voter's stamp says a time up to which it may have acknowledged heartbeats. This is the stamp that must be in place before an
 * ack leaves at `now`. `until` is what it says already. It is `ahead` of the ack, so that not every ack has to write it.
 */
export function stampFor(until: number, now: number, ahead: number): number {
  return now <= until ? until : now + ahead
}

export function withoutTable(record: ViewRecord): Roster {
  const { table: _, ...roster } = record
  return roster
}
