/**
 * The decisions on which safety depends where a register decides views, one function for each, numbered as in
 * docs/meeting-places.md. As in `../rules.ts`, tests replace them by mistakes (`packages/mesh/broken/`), and nothing in the
 * product does.
 */
import { type Claim, debtFor, type Id } from '../record.ts'
import type { Node } from '../state.ts'
import type { Version } from './cells.ts'
import type { Reported, SeenRow } from './meeting-state.ts'

/** The view as a call with this ticket has read it. */
interface Shown {
  readonly version: Version
  readonly epoch: number
  readonly ticket: number
}

type Holds = Readonly<Record<string, readonly Claim[]>>

export const meetingRules = {
  /** M1: the moment from which a lease counts, when its beat is in the row. */
  leaseFrom: (sent: number, _answered: number): number => sent,
  /** M1: whether a renewal with an unknown outcome counts without reading the row. */
  believesUnknown: (): boolean => false,
  /** M1: whether a refused renewal makes the node read its row. */
  heedsRefusal: (): boolean => true,
  /** M2: the moment from which a row's beat counts: when the list was asked for, or when its answer came. */
  seenFrom: (_askedAt: number, cameAt: number): number => cameAt,
  /** M3: how long a beat counts on this clock for a lease on another. */
  debt: debtFor,
  /** M3: whether the lease of a row is over: it is sealed, and its beat was first seen D ago. */
  isOver: ({ sealed, since }: SeenRow, now: number, debt: number): boolean => sealed && now >= since + debt,
  /** M3: whether a row that a list lacks counts as gone without being read. */
  believesList: (): boolean => false,
  /** M3: whether a row that a read did not find is over: only if the read was asked after the view was known. */
  isGone: (askedAt: number, viewKnownAt: number): boolean => askedAt >= viewKnownAt,
  /** M6: whether a member freezes for an epoch. */
  heeds: (begun: number, frozenFor: number, epoch: number): boolean => begun < epoch && frozenFor <= epoch,
  /** M6: the epoch that it is frozen for then. */
  freezesFor: (epoch: number, _before: number): number => epoch,
  /** M6: the lowest epoch that a proposer may freeze members for, after it has tried others. */
  untried: (tried: number): number => tried + 1,
  /** M6: whether a proposer that ends an attempt gives its epoch up: not if it may have decided it. */
  givesUp: (mayBeDecided: boolean): boolean => !mayBeDecided,
  /** M6: whether a node thaws: if every proposer has given up every epoch that it reported for. */
  thaws: (reports: number): boolean => reports === 0,
  /**
   * M6: whether a report is void, because no view was or will be made from it. The view was read after the report. It had
   * another version than the one that the proposer replaces, and a lower epoch than the one that it decides.
   */
  isOutdated: (report: Reported, read: Shown): boolean =>
    report.version !== null &&
    report.version !== read.version &&
    report.epoch > read.epoch &&
    report.ticket <= read.ticket,
  /** M6: whether a version counts as outdated if the outcome of the rewrite is unknown. */
  believesOutdating: (): boolean => false,
  /** M7: whether a report counts for this attempt. */
  counts: (reported: number, epoch: number): boolean => reported === epoch,
  /** M7: whether a member that reported stays, even if its row was sealed meanwhile. */
  staysIn: (isOver: boolean, _isSealed: boolean): boolean => !isOver,
  /** M7: the table entries of a member that reported. */
  holdsOf: (reported: Holds, _proposer: Node, _id: Id): Holds => reported,
  /** M7: whether a write of the view with an unknown outcome counts without reading the view. */
  believesDecision: (): boolean => false,
  /** M8: whether a draft was decided: the view at the register has its nonce. */
  isDecided: (draft: string, view: string): boolean => draft === view,
  /** M8: whether a member begins a view. */
  mayBegin: ({ begun, durable }: Node, epoch: number): boolean =>
    durable.promised.epoch <= epoch && (begun?.epoch ?? 0) < epoch,
  /** M9: whether a session that is out drops its holds. */
  dropsHolds: (): boolean => true,
  /** M12: the lowest epoch allowed. */
  leastEpoch: (seconds: number): number => seconds,
} as const

export type MeetingRules = typeof meetingRules
