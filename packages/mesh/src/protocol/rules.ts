/**
 * The decisions on which safety rests, one function for each, numbered as in docs/mesh-protocol.md. The protocol asks them here
 * and nowhere else, so that a test can put a mistake in the place of one and see that the judges catch it
 * (`packages/mesh/broken/`). Nothing in the product replaces them: no option leads here, and the package does not export this
 * module.
 */
import { type Fence, grantFence } from './fence.ts'
import type { Payload } from './messages.ts'
import {
  debtFor,
  type Id,
  includesSession,
  isMajority,
  type Member,
  namesVoter,
  type Promised,
  type Roster,
  type Session,
  type ViewRecord,
  type Voter,
  type VoterId,
} from './record.ts'
import { type Closing, isFrozen, type Node, persist, type Turn } from './state.ts'

/** An entry of this node in the table of a view. */
export interface OwnEntry {
  readonly name: string
  readonly seat: number
}

export const rules = {
  /** R4: the moment from which an acknowledged lease counts. */
  leaseFrom: (sent: number, _received: number): number => sent,
  /** R2: how long a voter counts on its own clock for a lease on another. */
  debt: debtFor,
  /** R2: whether a voter that accepted this record acknowledges the session. */
  acknowledges: includesSession,
  /** R2, R13: whether acks for the session have stopped, since a record without it waits to be accepted. */
  closes: (closing: Closing | null, session: Session): boolean =>
    closing !== null && !includesSession(closing.record, session),
  /** R13: until when accepting waits, from what is owed now to those left out. */
  owedAtLast: (_closing: Closing, owed: number): number => owed,
  /** R13: whether accepting waits any longer. */
  waits: (until: number, now: number): boolean => until > now,
  /** R5, R11: whether a node asks for nothing and lets nobody in, since it promised a higher epoch or has no view. */
  freezes: isFrozen,
  /** R11: whether it is silent in its old view. */
  isSilent: isFrozen,
  /** R17: what is handled of a message of another view. */
  ofAnotherView: (_payload: Payload): Payload | null => null,
  /** R10: which PREPARE is promised. */
  promises: (promised: Promised, epoch: number, _ballot: string): boolean => epoch > promised.epoch,
  /** R10: a promise is on disk before it is told. */
  keepPromise: (turn: Turn, promised: Promised): void => persist(turn, { promised }),
  /** R13: so is an accepted record. */
  keepAccepted: (turn: Turn, accepted: Roster): void => persist(turn, { accepted }),
  /** R9: the epoch of a new ballot, from the highest promised epoch known. */
  nextEpoch: (highest: number, _begun: number): number => highest + 1,
  /** R12: when there are enough promises, from H and who promised. */
  enoughPromises: isMajority,
  /** R12: whether a session that began a view and reports is taken in. */
  takesIn: includesSession,
  /** R12: the members of a record, from those who reported. */
  members: (reported: readonly Member[], _highest: Roster): readonly Member[] => reported,
  /** R12, R13: what speaks against a view that does not fit its settings. */
  misfit: (why: string | null): string | null => why,
  /** R13: whether a record is refused because it is below the promise. */
  refusesLower: (epoch: number, promised: Promised): boolean => epoch < promised.epoch,
  /** R14: when a record is chosen. */
  enoughAccepts: isMajority,
  /** R14: whether a record of this epoch is chosen, from the highest epoch known to be: a lower one may never have been. */
  isChosen: (epoch: number, chosen: number): boolean => epoch === chosen,
  /** R14: whether a member begins a view of this epoch: only if it promised none since. */
  mayBegin: ({ durable }: Node, epoch: number): boolean => epoch === durable.promised.epoch,
  /** R14: what instances start from: the record, with its table. */
  startsFrom: (record: ViewRecord): ViewRecord => record,
  /** R14: gives back the entries of the table that nobody holds any more, each once. */
  releaseEntries: (
    _turn: Turn,
    entries: readonly OwnEntry[],
    giveBackEntry: (entry: OwnEntry) => void,
  ): void => entries.forEach(giveBackEntry),
  /** R19: whom a restarted voter owes: everybody else of its accepted record. */
  owesAfterRestart: (accepted: Roster, voterId: VoterId): readonly Member[] =>
    namesVoter(accepted, voterId)
      ? accepted.members.filter(({ session }) => session.voterId !== voterId)
      : [],
  /** R19: whether a lease is put on disk before it is acknowledged. */
  remembersLease: (lease: number, longest: number): boolean => lease > longest,
  /** R19: whether it may be forgotten, after so long without one like it. */
  mayFade: (waited: number, debt: number): boolean => waited > debt,
  /** R19: the session of a start, from that of the last one. */
  newSession: (k: number): number => k + 1,
  /** R21: whether so many of the configured voters are enough for the first view, to promise and to accept. */
  enoughForFirst: (count: number, all: number): boolean => count === all,
  /** R21: whether a disk may be a lost one, so that what that one acknowledged is to be waited for. */
  mayBeLost: ({ config, durable }: Node, { oldVoters }: Roster): boolean =>
    durable.accepted === null && oldVoters === null && config.firstStart === undefined,
  /** R22: before GONE is said. */
  beforeGone: (turn: Turn, loseEverything: (turn: Turn) => void): void => loseEverything(turn),
  /** "Fences" in docs/mesh-protocol.md: the epoch comes first. */
  fence: (epoch: number, grant: number): Fence | null => grantFence(epoch, grant),
  /** "Instances" in docs/mesh-protocol.md: the place of the home among the members, from the view alone. */
  home: (_turn: Turn, _name: string, _ids: readonly Id[], home: number): number => home,
  /** R23: which old voters count beside new ones. */
  oldVoters: (voters: readonly Voter[]): readonly Voter[] | null => voters,
  /** R23: whether the old voters go, from who has begun the joint view. */
  isSettled: (members: readonly Member[], hasBegun: (member: Member) => boolean): boolean =>
    members.every(hasBegun),
  /** R8, liveness only: whether a content voter ignores those who should not propose. */
  heedsRank: (): boolean => true,
} as const

export type Rules = typeof rules
