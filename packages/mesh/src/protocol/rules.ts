/**
 * The decisions on which safety depends, one function for each, numbered as in docs/mesh-protocol.md. The protocol takes these
 * decisions only here. So a test can replace one by a mistake and see that the judges catch it (`packages/mesh/broken/`). Nothing
 * in the product replaces them: no option leads here, and the package does not export this module.
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
  stampFor,
  type ViewRecord,
  type Voter,
  type VoterId,
} from './record.ts'
import { type Closing, type Handling, isFrozen, type Node, persist, rivalsOf } from './state.ts'

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
  /** R2, R13: whether acks for the session have stopped, because a record without it waits to be accepted. */
  closes: (closing: Closing | null, session: Session): boolean =>
    closing !== null && !includesSession(closing.record, session),
  /** R13: until when accepting waits. `owed` is what the sessions that are left out are owed now. */
  owedAtLast: (_closing: Closing, owed: number): number => owed,
  /** R13: whether accepting must still wait. */
  waits: (until: number, now: number): boolean => until > now,
  /** R5, R11: whether a node requests nothing and lets no caller in, because it promised a higher epoch or has no view. */
  freezes: isFrozen,
  /** R11: whether it sends and handles no message of its old view. */
  isSilent: isFrozen,
  /** R17: what a node handles of a message from another view: nothing. */
  ofAnotherView: (_payload: Payload): Payload | null => null,
  /** R10: whether a PREPARE is promised. */
  promises: (promised: Promised, epoch: number, _ballot: string): boolean => epoch > promised.epoch,
  /** R10: puts a promise on disk before it is told. */
  keepPromise: (handling: Handling, promised: Promised): void => persist(handling, { promised }),
  /** R13: puts an accepted record on disk before it is told. */
  keepAccepted: (handling: Handling, accepted: Roster): void => persist(handling, { accepted }),
  /** R9: the epoch of a new ballot, from the highest known promise. */
  nextEpoch: (highest: number, _begun: number): number => highest + 1,
  /** R12: whether these promises are enough, given H. */
  enoughPromises: isMajority,
  /** R12: whether a session that began a view and reports may be a member. */
  takesIn: includesSession,
  /** R12: the members of a record, from the sessions that reported. */
  members: (reported: readonly Member[], _highest: Roster): readonly Member[] => reported,
  /** R12, R13: why a view does not fit its settings, or null. */
  misfit: (why: string | null): string | null => why,
  /** R13: whether a record is refused because it is below the promise. */
  refusesLower: (epoch: number, promised: Promised): boolean => epoch < promised.epoch,
  /** R14: whether these accepts make a record chosen. */
  enoughAccepts: isMajority,
  /** R14: whether a record of this epoch is chosen, given the highest chosen epoch. A lower one may never have been chosen. */
  isChosen: (epoch: number, chosen: number): boolean => epoch === chosen,
  /** R14: whether a member may begin a view of this epoch: only if it has promised nothing higher. */
  mayBegin: ({ durable }: Node, epoch: number): boolean => epoch === durable.promised.epoch,
  /** R14: instances start from the record with its table. */
  startsFrom: (record: ViewRecord): ViewRecord => record,
  /** R14: releases the table entries that no caller holds any more, each once. */
  releaseEntries: (
    _turn: Handling,
    entries: readonly OwnEntry[],
    giveBackEntry: (entry: OwnEntry) => void,
  ): void => entries.forEach(giveBackEntry),
  /** R19: the members that a restarted voter owes: all others of its accepted record. */
  owesAfterRestart: (accepted: Roster, voterId: VoterId): readonly Member[] =>
    namesVoter(accepted, voterId)
      ? accepted.members.filter(({ session }) => session.voterId !== voterId)
      : [],
  /** R19: what the voter's stamp says before an ack leaves. Hosts with a stamp call the same function. */
  stamp: stampFor,
  /** R19: whether a lease must be put on disk before it is acknowledged. */
  remembersLease: (leaseMs: number, longest: number): boolean => leaseMs > longest,
  /** R19: whether the longest lease may be lowered after this time without one as long. */
  mayFade: (waited: number, debt: number): boolean => waited > debt,
  /** R19: the session of this start, from that of the last one. */
  newSession: (k: number): number => k + 1,
  /** R21: whether so many of the configured voters are enough for the first view, to promise and to accept. */
  enoughForFirst: (count: number, all: number): boolean => count === all,
  /** R21: whether this blank disk may replace a lost one, so that accepting must wait for what the lost one acknowledged. */
  mayBeLost: ({ config, durable }: Node, { oldVoters }: Roster): boolean =>
    durable.accepted === null && oldVoters === null && config.firstStart === undefined,
  /** R21: whether a node without a record takes no part in a first view, because a peer was told other voters for one. */
  isContested: (node: Node): boolean => rivalsOf(node).length > 0,
  /** R21: whether a voter still waits for peers that may have been told other voters. */
  mayBeContested: ({ id, config: { peers, voters, settings }, heard, started }: Node, now: number): boolean =>
    voters.includes(id) &&
    now < started + debtFor(settings.lease, settings.drift) &&
    peers.some((peer) => heard[peer] === undefined && !voters.includes(peer)),
  /** R22: what happens before GONE is sent. */
  beforeGone: (handling: Handling, loseEverything: (handling: Handling) => void): void =>
    loseEverything(handling),
  /** "Fences" in docs/mesh-protocol.md: the epoch comes first. */
  fence: (epoch: number, grant: number): Fence | null => grantFence(epoch, grant),
  /** "Instances" in docs/mesh-protocol.md: the home's number among the members, from the view alone. */
  home: (_turn: Handling, _name: string, _ids: readonly Id[], home: number): number => home,
  /** R23: which old voters count beside new ones. */
  oldVoters: (voters: readonly Voter[]): readonly Voter[] | null => voters,
  /** R23: whether the old voters go, given which members have begun the joint view. */
  isSettled: (members: readonly Member[], hasBegun: (member: Member) => boolean): boolean =>
    members.every(hasBegun),
  /** R8, liveness only: whether a voter whose view works ignores nodes that should not propose. */
  heedsRank: (): boolean => true,
} as const

export type Rules = typeof rules
