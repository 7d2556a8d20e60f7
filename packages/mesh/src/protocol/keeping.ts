/**
 * What voters remember for callers. Each name is a register of one value, decided as in CASPaxos (Rystsov 2018). To change a
 * value, a caller first has a majority promise to refuse lower ballots. It takes the latest value that this majority has, and
 * then stores a new one at a majority. Ballots are fences of the lock that the caller holds. So they rise from holder to holder,
 * two callers never compete, and a holder that was stopped and lost its lock is refused. docs/mesh-details.md, under "What voters
 * remember", says why this is safe while voters change.
 */
import type { Fence } from './fence.ts'
import { compareBallots, keepingRules } from './keeping-rules.ts'
import type { Roster, VoterId } from './record.ts'

/** A step of one holder of the lock. */
export interface Ballot {
  readonly fence: Fence
  /** Counts the steps of this holder, so that a late copy of an earlier step cannot undo a later one. */
  readonly step: number
}

/** A value that a voter stores. */
export interface Kept {
  readonly ballot: Ballot
  /** The epoch of the view in which it was stored. */
  readonly under: number
  readonly value: string
}

/** What a voter has on disk for one name. */
export interface Shelf {
  /** Lower ballots are refused. */
  readonly promised: Ballot
  readonly kept: Kept | null
}

/** Asks for a promise, and to store a value if there is one. */
export interface Question {
  /** The key of the lock that the caller holds. */
  readonly name: string
  readonly ballot: Ballot
  /** Null to only ask. */
  readonly value: string | null
}

/** The answer of a voter, sent when it is on disk. */
export interface Advice {
  /** `full`: the voter already remembers as many names as it can. */
  readonly outcome: 'heeded' | 'refused' | 'full'
  readonly kept: Kept | null
  /** The view since which these voters know all (`Roster.since`), or 0 if there never were others; and when this voter learned of it. */
  readonly since: number
  readonly at: number
}

/** How many names a voter remembers at most. */
export const MOST_NAMES = 200
/** In characters. */
export const LONGEST_VALUE = 131_072

/** How a voter answers a question in the view `under`: the outcome, and what must be on disk before it answers. */
export function consider(
  shelf: Shelf | null,
  { ballot, value }: Question,
  under: number,
  isFull = false,
): { readonly shelf: Shelf | null; readonly outcome: Advice['outcome'] } {
  if (shelf === null && isFull) return { shelf, outcome: 'full' }
  if (!keepingRules.heeds(shelf?.promised ?? null, ballot)) return { shelf, outcome: 'refused' }
  const kept = value === null ? (shelf?.kept ?? null) : { ballot, under, value }
  return { shelf: { promised: ballot, kept }, outcome: 'heeded' }
}

export type Verdict =
  /** Too few voters have answered. */
  | { readonly kind: 'open' }
  /** A voter has a later ballot, so the caller has lost the lock. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'full' }
  | {
      readonly kind: 'heeded'
      readonly latest: Kept | null
      /** Values stored up to this time, by a voter's clock, may be missing. Null if none can be. */
      readonly before: number | null
    }

/** Combines the answers of voters in the view of this record. */
export function judge(roster: Roster, answers: ReadonlyMap<VoterId, Advice>): Verdict {
  const all = [...answers.values()]
  for (const kind of ['refused', 'full'] as const)
    if (all.some(({ outcome }) => outcome === kind)) return { kind }
  if (!keepingRules.enough(roster, [...answers.keys()])) return { kind: 'open' }
  const latest = all.reduce<Kept | null>((best, { kept }) => laterOf(best, kept), null)
  const { since = 0 } = roster
  if (keepingRules.knowsAll(since) || (latest !== null && keepingRules.isLatest(latest.under, since)))
    return { kind: 'heeded', latest, before: null }
  return { kind: 'heeded', latest, before: Math.max(...all.map(({ at }) => at)) }
}

function laterOf(a: Kept | null, b: Kept | null): Kept | null {
  if (a === null || b === null) return a ?? b
  return compareBallots(b.ballot, a.ballot) > 0 ? b : a
}
