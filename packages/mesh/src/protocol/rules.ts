/**
 * The decisions on which safety rests, one function or flag per rule, so that a broken variant is one line. Hosts use
 * `SOUND`; nothing but tests of the judges has a reason to pass another.
 */
import { debtFor, includesSession, isMajority, type Promised, type Roster, type Session } from './record.ts'

export interface Rules {
  /** R4: the moment from which an acknowledged lease counts, from the heartbeat's sending and the ack's receipt. */
  readonly leaseFrom: (sent: number, received: number) => number
  /** R2: how long a voter counts on its own clock for a lease on another. */
  readonly debt: (lease: number, drift: number) => number
  /** R2: whether a voter that accepted this record acknowledges the session. */
  readonly acknowledges: (accepted: Roster, session: Session) => boolean
  /** R2, R13: whether acks for those left out stop while their lease is waited for. */
  readonly closes: boolean
  /** R13: whether accepting waits for what is owed to those left out. */
  readonly waits: boolean
  /** R5, R11: whether a node that promised a higher epoch lets nobody in. */
  readonly freezes: boolean
  /** R11: whether a frozen node is silent in its old view. */
  readonly silentWhenFrozen: boolean
  /** R17: whether messages of another epoch are dropped. */
  readonly dropsOtherEpochs: boolean
  /** R10: which PREPARE is promised. */
  readonly promises: (promised: Promised, epoch: number, ballot: string) => boolean
  /** R10, R13: what is on disk before an answer leaves. */
  readonly promiseIsDurable: boolean
  readonly acceptIsDurable: boolean
  /** R9: the epoch of a new ballot, from the highest promised epoch known and the own view. */
  readonly nextEpoch: (highest: number, begun: number) => number
  /** R12: when there are enough promises, from H and who promised. */
  readonly enoughPromises: (highest: Roster, among: readonly string[]) => boolean
  /** R12: whether a session that began a view and reports is taken in. */
  readonly takesIn: (highest: Roster, session: Session) => boolean
  /** R12: whether only those who reported are members. */
  readonly leavesOutSilent: boolean
  /** R12, R13: whether a view is proposed, accepted and begun only if it fits its settings. */
  readonly fits: boolean
  /** R13: whether a record below the promise is refused. */
  readonly refusesLower: boolean
  /** R14: when a record is chosen. */
  readonly enoughAccepts: (record: Roster, among: readonly string[]) => boolean
  /** R14: whether a record of this epoch is chosen, from the highest epoch known to be: a lower one may never have been. */
  readonly isChosen: (epoch: number, chosen: number) => boolean
  /** R14: whether a member begins only the epoch it promised last. */
  readonly beginsOnlyPromised: boolean
  /** R14: whether instances start from the table. */
  readonly readsTable: boolean
  /** R14: whether an entry of the table that is no longer held is released once, however it ended. */
  readonly releasesOnce: boolean
  /** R19: whether a restarted voter owes everybody of its accepted record. */
  readonly owesAfterRestart: boolean
  /** R19: whether the longest lease it acknowledged is on disk. */
  readonly remembersLease: boolean
  /** R19: whether it stays there until every debt as long as it is over. */
  readonly fadesLate: boolean
  /** R19: whether a start is a new session. */
  readonly newSession: boolean
  /** R21: whether the first view needs every configured voter, to promise and to accept. */
  readonly genesisByAll: boolean
  /** R21: whether a voter with an empty disk waits until what a lost one may have acknowledged is over. */
  readonly blankWaits: boolean
  /** R22: whether holds are dropped before GONE is sent. */
  readonly dropsBeforeGone: boolean
  /** Section 4: whether the fence begins with the epoch. */
  readonly fenceHasEpoch: boolean
  /** Section 5: whether `home` is computed from the view, not from whom a node suspects. */
  readonly homeFromView: boolean
  /** R23: whether a change of voters goes through a joint view. */
  readonly jointViews: boolean
  /** R23: whether the old voters stay until every member of the joint view has begun it. */
  readonly settlesFirst: boolean
  /** R8, liveness only: whether a content voter ignores those who should not propose. */
  readonly ignoresDisturbers: boolean
  /** R8, liveness only: whether a member behind a link that works one way is left out. */
  readonly leavesOutUnreachable: boolean
}

export const SOUND: Rules = {
  leaseFrom: (sent) => sent,
  debt: debtFor,
  acknowledges: includesSession,
  closes: true,
  waits: true,
  freezes: true,
  silentWhenFrozen: true,
  dropsOtherEpochs: true,
  promises: (promised, epoch) => epoch > promised.epoch,
  promiseIsDurable: true,
  acceptIsDurable: true,
  nextEpoch: (highest) => highest + 1,
  enoughPromises: isMajority,
  takesIn: includesSession,
  leavesOutSilent: true,
  fits: true,
  refusesLower: true,
  enoughAccepts: isMajority,
  isChosen: (epoch, chosen) => epoch === chosen,
  beginsOnlyPromised: true,
  readsTable: true,
  releasesOnce: true,
  owesAfterRestart: true,
  remembersLease: true,
  fadesLate: true,
  newSession: true,
  genesisByAll: true,
  blankWaits: true,
  dropsBeforeGone: true,
  fenceHasEpoch: true,
  homeFromView: true,
  jointViews: true,
  settlesFirst: true,
  ignoresDisturbers: true,
  leavesOutUnreachable: true,
}
