/**
 * The decisions on which the safety of what voters remember depends (`keeping.ts`). As in `rules.ts`, tests replace them by mistakes
 * (`packages/mesh/broken/`), and nothing in the product does.
 */
import type { Ballot } from './keeping.ts'
import { isMajority } from './record.ts'

export const keepingRules = {
  /** Whether a voter accepts this ballot. */
  heeds: (promised: Ballot | null, ballot: Ballot): boolean =>
    promised === null || compareBallots(ballot, promised) >= 0,
  /** Whether these voters are enough, to ask and to store. */
  enough: isMajority,
  /** Whether a value stored in this view is the latest. Earlier voters may have stored one that these voters do not know. */
  isLatest: (under: number, since: number): boolean => under >= since,
  /**
   * `since` of the record without the old voters, after the joint view `joint`. Values stored in that view are at a majority
   * of the new voters.
   */
  era: (joint: number, _before: number | undefined): number => joint,
  /** Whether these were the first voters, so that no earlier voters can have stored a value. */
  knowsAll: (since: number): boolean => since === 0,
}

export type KeepingRules = typeof keepingRules

export function compareBallots(a: Ballot, b: Ballot): number {
  return a.fence.epoch - b.fence.epoch || a.fence.counter - b.fence.counter || a.step - b.step
}
