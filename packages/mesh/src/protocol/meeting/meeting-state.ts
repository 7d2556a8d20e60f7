/**
 * The additional state of a node when a register decides views: its row, the rows of others, and the change that it proposes. Times
 * are milliseconds of the node's own clock.
 */
import { dictionary } from '../dictionary.ts'
import type { MessageOf } from '../messages.ts'
import type { Claim, Id, ViewRecord } from '../record.ts'
import type { Handling } from '../state.ts'
import type { Attendant, Call, Row, Version, View } from './cells.ts'

/** How many of the first members watch the rows of all (M2). */
export const WATCHERS = 3

export interface Meeting {
  /** Where this session listens, and how the kernel can identify its process. */
  address: string
  readonly life: string
  /** Seconds since 2025 when this node started, for the lowest epoch (M12). */
  readonly seconds: number
  readonly asksKernel: boolean
  /** Whether others shall wait for the lease, however a session ends that held something. */
  readonly waitsOut: boolean
  standing: 'arriving' | 'waiting' | 'member' | 'out'
  row: OwnRow
  nextTicket: number
  /** The purpose of each call that is not answered. */
  calls: Record<number, Purpose>
  /** The view as last read; null if there was none. Undefined before the first answer. */
  view: SeenView | null | undefined
  /**
   * When the answer came that first showed this version of the view (M3). An absent view has no version: then the last such
   * answer.
   */
  viewKnownAt: number
  /** Since when it has known a view with other settings, of which it does not know yet whether a member is left. */
  unlikeSince: number | null
  seen: Record<Id, SeenRow>
  /** Until then no seen row can look dead, unless one is seen again. */
  aliveUntil: number
  /** When the last list came. A list that comes much later restarts all counts (M2). */
  listedAt: number
  /** When that list was asked for, and when a list was last asked for. */
  listedFrom: number
  listAskedAt: number
  /** How many lists have failed since the last answer. */
  listsFailed: number
  /** Sessions that are gone. If a read did not find the row: when it was asked. If the kernel said so: infinity. */
  gone: Record<Id, number>
  /** Sessions that sent HELLO or HERE to this one, and when. */
  heard: Record<Id, HeardOf>
  attempt: Attempt | null
  attempts: number
  /** Attempts without a view, since this node has begun one. */
  failures: number
  reasonSince: number | null
  notBefore: number
  /** The host or a link asks for another view. */
  isWanted: boolean
  /** When this node began its view, for M14. */
  begunAt: number
  /** When this node last heard of a change of view, or began one. After some time without, it reads the register (M10). */
  heardOfChangeAt: number
  /** The proposer that froze this node. */
  frozenBy: Id | null
  /** The reports of this node since it began its view, by proposer and epoch. A view may be made from each of them. */
  reported: Record<string, Reported>
  /** Since when the proposers of all of them seem lost; null if one does not. */
  lostSince: number | null
  /** When this node last read the view to find out what became of them. */
  lostLookAt: number
  /** Versions of the view that are outdated since this node began its view, and the epoch that the view had then. */
  outdated: Record<Version, number>
  /** For each proposer the highest epoch that it has given up. */
  givenUp: Record<Id, number>
  /** The highest epoch for which this session has frozen others. */
  tried: number
  lookedAt: number
  /** How often this session has read the view because it was stuck (M10). */
  looks: number
  /** Since when it has known of a view that names it and that it has not begun. */
  namedSince: number | null
  /** The view that this node decided, and the members that have not said yet that they have begun it (M8). */
  telling: Telling | null
  /** A view that a proposer was about to decide (M8). */
  draft: { readonly record: ViewRecord; readonly nonce: string } | null
  /** M9: members that could not hear the last session of this node, and until when it waits for them. */
  cut: { ids: Id[]; readonly until: number } | null
  /** Whether it has asked for hints of the register. Only nodes that list rows do. */
  isHinted: boolean
  /** When the `wake` is due that was asked for. */
  wakesAt: number
  /** What the register said when a call failed, for callers that wait (M13). */
  trouble: string | null
  /** Whether the last write failed. */
  isUnwritten: boolean
}

export interface Telling {
  readonly record: ViewRecord
  /** The same as a difference, for members that have begun the view before it; null if there is none. */
  readonly change: MessageOf<'change'> | null
  /** The members that have not begun it yet, and whether `change` is enough for each. */
  left: Record<Id, boolean>
  /** When a member last said so, or all that are left were told. */
  heardAt: number
}

export interface OwnRow {
  version: Version | null
  /** The highest beat of any attempt. */
  beat: number
  /** When each attempt was sent whose outcome may still count. */
  sent: Record<number, number>
  /** When the last attempt was sent. */
  triedAt: number
  isAsking: boolean
  /** The last outcome is unknown, so the row is read before anything else. */
  isUnsure: boolean
  /** M9: the session is over, but somebody relies on its lease. So others wait for it. */
  isReliedOn: boolean
  /** T after the sending of the attempt whose beat is in the row. */
  until: number
  /** Since when each renewal that counts was sent at most T/2 after the one before. */
  steadySince: number
}

export interface SeenView extends View {
  readonly version: Version
}

export interface SeenRow extends Row {
  readonly version: Version
  /** When the answer came that first showed this beat, and the last one that did. */
  readonly since: number
  readonly shownAt: number
}

export interface HeardOf {
  readonly at: number
  readonly address: string
  /** Since when it has waited to join and has heard this session; null if it does not wait. */
  readonly waitsSince: number | null
}

export interface Report {
  readonly address: string
  readonly begun: number | null
  readonly holds: Readonly<Record<string, readonly Claim[]>>
  readonly zone?: string
}

/** A report of this node (M6). Its proposer decides with it by a `cas` on `version`, or never. */
export interface Reported {
  readonly by: Id
  readonly epoch: number
  /** Null if there was no view. */
  readonly version: Version | null
  /** Calls from this one on were made after the report. */
  readonly ticket: number
  /** Whether the connection to the proposer has ended since. */
  isLost: boolean
}

/** A change of view that this node proposes (M5 to M7). */
export interface Attempt {
  stage: 'reading' | 'probing' | 'freezing' | 'deciding'
  readonly started: number
  /** When this stage began. */
  since: number
  /** When a member last answered or reported in this stage, or when it began. A crowd answers for as long as it needs. */
  heardAt: number
  /** Whether the view was read since the attempt began. Earlier knowledge says nothing while the register is away (M13). */
  hasRead: boolean
  /** The view at the register; null if there was none. */
  before: SeenView | null
  /** The members that must report or be over. */
  members: readonly Attendant[]
  /** Sessions that have answered since the attempt began. */
  answered: Record<Id, true>
  /** The tick at which messages were last repeated. */
  saidAt: number
  /** Ticks until they are repeated. */
  pause: number
  epoch: number
  /** The lowest epoch that others would report for. */
  floor: number
  /** The members that were silent when all were last looked at, at which tick, and until when nothing is due. */
  awaited: { readonly ids: Id[]; readonly ticks: number; readonly until: number } | null
  /** How often each member answered and then did not report. */
  late: Record<Id, number>
  /** How often all members were asked again, because their answers were old. */
  rounds: number
  /** How many milliseconds the last member took to answer. */
  roundTrip: number
  reports: Record<Id, Report>
  /** When the last member had reported or was over. */
  completeAt: number | null
  record: ViewRecord | null
  /** The exact text that is written. An unsure `cas` is repeated with the same text. */
  value: string
  /** Whether a `cas` of it had no answer. Then a later refusal does not mean that it failed. */
  isUnsure: boolean
}

export type Purpose =
  | { readonly kind: 'create'; readonly beat: number }
  | { readonly kind: 'renew'; readonly beat: number }
  | { readonly kind: 'check' }
  | { readonly kind: 'view'; readonly askedAt: number }
  | { readonly kind: 'rows'; readonly askedAt: number }
  | { readonly kind: 'row'; readonly session: Id; readonly askedAt: number; readonly isSudden: boolean }
  | { readonly kind: 'seal'; readonly session: Id; readonly row: Row }
  | { readonly kind: 'decide'; readonly nonce: string }
  | { readonly kind: 'confirm'; readonly nonce: string }
  | { readonly kind: 'outdate'; readonly version: Version; readonly epoch: number }
  /** `delete`: this session's own row. `remove`: the row of another session that is over. */
  | { readonly kind: 'delete' }
  | { readonly kind: 'remove' }

export interface MeetingOptions {
  /** Whether the kernel can say that a process has ended. Then the watchers connect to all members, to hear of it at once. */
  readonly asksKernel?: boolean
  /** Whether others shall wait for the lease, however a session ends that held something. */
  readonly waitsOut?: boolean
  readonly address: string
  readonly life: string
  readonly seconds: number
}

export function newMeeting(
  { address, life, seconds, asksKernel = false, waitsOut = false }: MeetingOptions,
  now: number,
): Meeting {
  return {
    address,
    life,
    seconds,
    asksKernel,
    waitsOut,
    standing: 'arriving',
    row: noRow(),
    nextTicket: 1,
    calls: dictionary() as Record<number, Purpose>,
    view: undefined,
    viewKnownAt: Number.NEGATIVE_INFINITY,
    unlikeSince: null,
    seen: dictionary(),
    aliveUntil: now,
    listedAt: Number.NEGATIVE_INFINITY,
    listedFrom: Number.NEGATIVE_INFINITY,
    listAskedAt: Number.NEGATIVE_INFINITY,
    listsFailed: 0,
    gone: dictionary(),
    heard: dictionary(),
    attempt: null,
    attempts: 0,
    failures: 0,
    reasonSince: null,
    notBefore: now,
    isWanted: false,
    begunAt: Number.NEGATIVE_INFINITY,
    heardOfChangeAt: now,
    frozenBy: null,
    reported: dictionary(),
    lostSince: null,
    lostLookAt: Number.NEGATIVE_INFINITY,
    outdated: dictionary(),
    givenUp: dictionary(),
    tried: 0,
    lookedAt: now,
    looks: 0,
    namedSince: null,
    telling: null,
    draft: null,
    cut: null,
    isHinted: false,
    wakesAt: Number.NEGATIVE_INFINITY,
    trouble: null,
    isUnwritten: false,
  }
}

export function noRow(): OwnRow {
  return {
    version: null,
    beat: 0,
    sent: {},
    triedAt: Number.NEGATIVE_INFINITY,
    isAsking: false,
    isUnsure: false,
    isReliedOn: false,
    until: Number.NEGATIVE_INFINITY,
    steadySince: Number.POSITIVE_INFINITY,
  }
}

/** One event at a node that meets others at a register. */
export interface MeetingHandling extends Handling {
  readonly meeting: Meeting
}

export function ask({ meeting, effects }: MeetingHandling, purpose: Purpose, call: Call): void {
  const ticket = meeting.nextTicket
  meeting.nextTicket += 1
  meeting.calls[ticket] = purpose
  effects.push({ kind: 'call', ticket, call })
}

/** Whether such a call is under way. */
export function isAsked({ calls }: Meeting, kind: Purpose['kind'], session?: Id): boolean {
  return Object.values(calls).some(
    (purpose) =>
      purpose.kind === kind &&
      (session === undefined || ('session' in purpose && purpose.session === session)),
  )
}

/** The purpose of the call that this answers; null if the call was made by an earlier session. */
export function purposeOf({ calls }: Meeting, ticket: number): Purpose | null {
  const purpose = calls[ticket] ?? null
  delete calls[ticket]
  return purpose
}

/** Asks for one wake, however often it is called until then. */
export function wakeAt({ meeting, now, effects }: MeetingHandling, at: number): void {
  if (meeting.wakesAt > now && meeting.wakesAt <= at) return
  meeting.wakesAt = at
  effects.push({ kind: 'wake', at })
}
