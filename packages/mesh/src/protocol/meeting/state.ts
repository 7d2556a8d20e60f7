/** What a node has beside its locks when a register decides views: its row, what it saw of the others', and the change it proposes. */
import { dictionary } from '../dictionary.ts'
import type { MessageOf } from '../messages.ts'
import type { Claim, Id, ViewRecord } from '../record.ts'
import type { Turn } from '../state.ts'
import type { Attendant, Call, Row, Version, View } from './cells.ts'

/** The first members of a view watch the rows of all (M2). */
export const WATCHERS = 3

export interface Meeting {
  /** Where this session listens, and what the kernel knows its life by. */
  address: string
  readonly life: string
  /** Seconds since 2025 when this node started, for the first epoch (M12). */
  readonly seconds: number
  readonly asksKernel: boolean
  standing: 'arriving' | 'waiting' | 'member' | 'out'
  row: OwnRow
  nextTicket: number
  /** What each call that is not answered is for. */
  calls: Record<number, Purpose>
  /** The view as it was read last; null if there was none. Undefined before the first answer. */
  view: SeenView | null | undefined
  /** When the answer came that first showed this version of it (M3), or the last that showed none: that has no version. */
  viewKnownAt: number
  seen: Record<Id, SeenRow>
  /** Before then none of these looks dead, unless it is seen anew. */
  aliveUntil: number
  /** When the last list came; a list that came much later begins all counts anew (M2). */
  listedAt: number
  /** When that was asked for, and when one was asked for last. */
  listedFrom: number
  listAskedAt: number
  /** Sessions whose rows were looked for and not there, and when the read that showed it was asked; those the kernel says are gone. */
  gone: Record<Id, number>
  /** Who said HELLO or HERE to this session, and when. */
  heard: Record<Id, HeardOf>
  attempt: Attempt | null
  attempts: number
  reasonSince: number | null
  notBefore: number
  /** Somebody asked for another view, or a link asks for one. */
  isWanted: boolean
  /** When this node began its view, for M14. */
  begunAt: number
  /** When this node last heard of a change of view, or began one. After a while without it looks at the register (M10). */
  heardOfChangeAt: number
  /** The proposer that this node was frozen by. */
  frozenBy: Id | null
  lookedAt: number
  /** Since when it knows that a view names it that it has not begun. */
  namedSince: number | null
  /** The view that this node decided, and who has not said yet that it has begun it (M8). */
  telling: Telling | null
  /** M9: who could not hear the last session of this node, and until when it waits for their word. */
  cut: { ids: Id[]; readonly until: number } | null
  /** Whether hints of the register are asked for: by those alone who list. */
  isHinted: boolean
  /** When a `wake` is due that was asked for. */
  wakesAt: number
  /** What the register said when it could not be asked, for whoever waits (M13). */
  trouble: string | null
}

export interface Telling {
  readonly record: ViewRecord
  /** The same for those who have begun the view before it; null if there is none. */
  readonly change: MessageOf<'change'> | null
  /** Whether each of those who are left has. */
  left: Record<Id, boolean>
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
  /** The last outcome is unknown, and so is what the row holds: it is read before anything else. */
  isUnsure: boolean
  /** T after the sending of the attempt whose beat is in the row. */
  until: number
}

export interface SeenView extends View {
  readonly version: Version
}

export interface SeenRow extends Row {
  readonly version: Version
  /** When the answer came that first showed this beat, and the last that did. */
  readonly since: number
  readonly shownAt: number
}

export interface HeardOf {
  readonly at: number
  readonly address: string
  /** Since when it has waited to join, and heard this session; null if it does not. */
  readonly waitsSince: number | null
}

export interface Report {
  readonly address: string
  readonly begun: number | null
  readonly holds: Readonly<Record<string, readonly Claim[]>>
}

/** A change of view that this node proposes (M5 to M7). */
export interface Attempt {
  stage: 'reading' | 'probing' | 'freezing' | 'deciding'
  readonly started: number
  /** When this stage began. */
  since: number
  /** Whether the view was read since. What was known before says nothing of a register that is away (M13). */
  hasRead: boolean
  /** What the register had: null if there was no view. */
  before: SeenView | null
  /** Who must have reported, or be over. */
  members: readonly Attendant[]
  /** Who has answered since the attempt began. */
  answered: Record<Id, true>
  /** The tick at which everything was said last that is repeated. */
  saidAt: number
  /** Ticks until it is said again. */
  pause: number
  epoch: number
  /** Epochs that others said are not enough. */
  floor: number
  reports: Record<Id, Report>
  /** When the last of the members had reported, or was over. */
  completeAt: number | null
  record: ViewRecord | null
  /** What is written, to the letter: an unsure `cas` is repeated with the same. */
  value: string
  /** Whether a `cas` of it had no answer: then one that is refused says nothing of that. */
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
  /** The own row, and that of another that is over. */
  | { readonly kind: 'delete' }
  | { readonly kind: 'remove' }

export interface MeetingOptions {
  /** Whether the kernel can say that a process is gone. Then those who watch connect to all, to hear of it at once. */
  readonly asksKernel?: boolean
  readonly address: string
  readonly life: string
  readonly seconds: number
}

export function newMeeting(
  { address, life, seconds, asksKernel = false }: MeetingOptions,
  now: number,
): Meeting {
  return {
    address,
    life,
    seconds,
    asksKernel,
    standing: 'arriving',
    row: noRow(),
    nextTicket: 1,
    calls: dictionary() as Record<number, Purpose>,
    view: undefined,
    viewKnownAt: Number.NEGATIVE_INFINITY,
    seen: dictionary(),
    aliveUntil: now,
    listedAt: Number.NEGATIVE_INFINITY,
    listedFrom: Number.NEGATIVE_INFINITY,
    listAskedAt: Number.NEGATIVE_INFINITY,
    gone: dictionary(),
    heard: dictionary(),
    attempt: null,
    attempts: 0,
    reasonSince: null,
    notBefore: now,
    isWanted: false,
    begunAt: Number.NEGATIVE_INFINITY,
    heardOfChangeAt: now,
    frozenBy: null,
    lookedAt: now,
    namedSince: null,
    telling: null,
    cut: null,
    isHinted: false,
    wakesAt: Number.NEGATIVE_INFINITY,
    trouble: null,
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
    until: Number.NEGATIVE_INFINITY,
  }
}

/** One event at a node that meets others at a register. */
export interface MeetingTurn extends Turn {
  readonly meeting: Meeting
}

export function ask({ meeting, effects }: MeetingTurn, purpose: Purpose, call: Call): void {
  const ticket = meeting.nextTicket
  meeting.nextTicket += 1
  meeting.calls[ticket] = purpose
  effects.push({ kind: 'call', ticket, call })
}

/** Whether such a question is under way. */
export function isAsked({ calls }: Meeting, kind: Purpose['kind'], session?: Id): boolean {
  return Object.values(calls).some(
    (purpose) =>
      purpose.kind === kind &&
      (session === undefined || ('session' in purpose && purpose.session === session)),
  )
}

/** The purpose of the call that this answers; null for one of an earlier session. */
export function purposeOf({ calls }: Meeting, ticket: number): Purpose | null {
  const purpose = calls[ticket] ?? null
  delete calls[ticket]
  return purpose
}

/** Once, however often it is asked for until then. */
export function wakeAt({ meeting, now, effects }: MeetingTurn, at: number): void {
  if (meeting.wakesAt > now && meeting.wakesAt <= at) return
  meeting.wakesAt = at
  effects.push({ kind: 'wake', at })
}
