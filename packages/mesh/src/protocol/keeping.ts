/**
 * What voters remember for callers, name by name. Each name is a register of one value, decided as in CASPaxos (Rystsov 2018): who wants to
 * change it first has a majority promise to heed nothing lower, takes the latest value that one of these has, and puts another in its place at
 * a majority. Ballots are fences of the lock under which this is done, so they rise from holder to holder, nobody duels, and a holder that was
 * stopped and lost its lock is refused. docs/mesh-details.md, under "What voters remember", says why it is safe while voters change.
 */
import type { Fence } from './fence.ts'
import { isMajority, type Roster, type VoterId } from './record.ts'

/** A step of one holder of the lock. */
export interface Ballot {
  readonly fence: Fence
  /** Counts the steps of this holder: what it said first must not undo what it said later. */
  readonly step: number
}

/** A value as a voter has it. */
export interface Kept {
  readonly ballot: Ballot
  /** The view in which it was put there. */
  readonly under: number
  readonly value: string
}

/** What a voter has on disk of one name. */
export interface Shelf {
  /** Nothing below is heeded. */
  readonly promised: Ballot
  readonly kept: Kept | null
}

/** To promise, and with a value to keep it. */
export interface Question {
  /** The key of the lock that is held. */
  readonly name: string
  readonly ballot: Ballot
  /** Null if it only asks. */
  readonly value: string | null
}

/** What a voter says to it, when it is on disk. */
export interface Advice {
  /** `full`: it remembers as many names as it can. */
  readonly outcome: 'heeded' | 'refused' | 'full'
  readonly kept: Kept | null
  /** Since which view it knows these voters, 0 if there were no others, and when it learned of them (`Roster.since`). */
  readonly since: number
  readonly at: number
}

/** The decisions on which safety rests. As with `rules.ts` tests put mistakes in their place, and nothing in the product does. */
export const keepingRules = {
  /** Whether a voter heeds this ballot. */
  heeds: (promised: Ballot | null, ballot: Ballot): boolean =>
    promised === null || compareBallots(ballot, promised) >= 0,
  /** Whether so many voters are enough, to ask and to keep. */
  enough: isMajority,
  /** Whether a value that was put there in this view is the latest: before these voters, others may have put one that they do not know. */
  isLatest: (under: number, since: number): boolean => under >= since,
  /** Whether nothing was put there before these voters came. */
  knowsAll: (since: number): boolean => since === 0,
}

export type KeepingRules = typeof keepingRules

export function compareBallots(a: Ballot, b: Ballot): number {
  return a.fence.epoch - b.fence.epoch || a.fence.counter - b.fence.counter || a.step - b.step
}

/** Of so many names at most. */
export const MOST_NAMES = 200
/** Characters. */
export const LONGEST_VALUE = 131_072

/** What a voter does with a question, in the view `under`: what is to be on disk before it answers, and the outcome. */
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
  /** Too few have answered. */
  | { readonly kind: 'open' }
  /** Somebody has a later ballot, so the lock is lost. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'full' }
  | {
      readonly kind: 'heeded'
      readonly latest: Kept | null
      /** Nothing is known of what was put there up to this time, by the clock of a voter; null if all is. */
      readonly before: number | null
    }

/** What the answers of voters, in the view of this record, say together. */
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
