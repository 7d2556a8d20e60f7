/**
 * The decisions on which safety rests where a register decides views, one function for each, numbered as in docs/meeting-places.md. As with
 * `../rules.ts`, tests put mistakes in their place (`packages/mesh/broken/`), and nothing in the product replaces them.
 */
import { type Claim, debtFor, type Id } from '../record.ts'
import type { Node } from '../state.ts'
import type { SeenRow } from './state.ts'

type Holds = Readonly<Record<string, readonly Claim[]>>

export const meetingRules = {
  /** M1: the moment from which a lease counts whose beat is in the row. */
  leaseFrom: (sent: number, _answered: number): number => sent,
  /** M1: whether a renewal of unknown outcome is looked up before it counts. */
  believesUnknown: (): boolean => false,
  /** M1: whether a refused renewal is looked up. */
  heedsRefusal: (): boolean => true,
  /** M2: the moment from which the beat of a row counts, from when the list was asked for and when its answer came. */
  seenFrom: (_askedAt: number, cameAt: number): number => cameAt,
  /** M3: how long a beat counts here for a lease elsewhere. */
  debt: debtFor,
  /** M3: whether the lease of a row is over, D after its beat was first seen. */
  isOver: ({ sealed, since }: SeenRow, now: number, debt: number): boolean => sealed && now >= since + debt,
  /** M3: whether a row that is missing in a list is taken for gone without being read. */
  believesList: (): boolean => false,
  /** M3: whether a row that a read did not find is over: only if that was asked after the view was known. */
  isGone: (askedAt: number, viewKnownAt: number): boolean => askedAt >= viewKnownAt,
  /** M6: whether a member freezes for an epoch. */
  heeds: (begun: number, frozenFor: number, epoch: number): boolean => begun < epoch && frozenFor <= epoch,
  /** M6: what it is frozen for then. */
  freezesFor: (epoch: number, _before: number): number => epoch,
  /** M7: whether a report counts for this attempt. */
  counts: (reported: number, epoch: number): boolean => reported === epoch,
  /** M7: whether one that reported stays, although its row was sealed meanwhile. */
  staysIn: (isOver: boolean, _isSealed: boolean): boolean => !isOver,
  /** M7: what is in the table of one that reported. */
  holdsOf: (reported: Holds, _proposer: Node, _id: Id): Holds => reported,
  /** M7: whether an unknown outcome for the view is looked up before it counts. */
  believesDecision: (): boolean => false,
  /** M8: whether a member begins a view. */
  mayBegin: ({ begun, durable }: Node, epoch: number): boolean =>
    durable.promised.epoch <= epoch && (begun?.epoch ?? 0) < epoch,
  /** M9: whether a session that is out drops what it holds. */
  dropsHolds: (): boolean => true,
  /** M12: no epoch is lower. */
  leastEpoch: (seconds: number): number => seconds,
} as const

export type MeetingRules = typeof meetingRules
