import { type Hand, writeHands } from './hand.ts'

/** One way in which a run went on. */
export interface Branch {
  readonly hands: readonly Hand[]
  /** The branch from which it was forked, by its place in the list; null for the run without hands. */
  readonly parent: number | null
  /** The position at which it leaves its parent. */
  readonly forkedAt: number
  /** What was done there: "crash 2". */
  readonly label: string
}

/** All branches of one run, in the order in which they were made. */
export type Branches = readonly Branch[]

export const TRUNK: Branch = { hands: [], parent: null, forkedAt: 0, label: 'as it goes' }

/** A hand in the past leaves out what hands did later: they belong to the other branch, which stays. */
export function withHand(hands: readonly Hand[], hand: Hand): Hand[] {
  return [
    ...hands.filter(({ after, at }) => after < hand.after || (after === hand.after && at <= hand.at)),
    hand,
  ]
}

/** The branch with these hands, known or new. */
export function branchOf(
  branches: Branches,
  branch: Branch,
): { readonly branches: Branches; readonly index: number } {
  const name = writeHands(branch.hands)
  const index = branches.findIndex(({ hands }) => writeHands(hands) === name)
  return index >= 0 ? { branches, index } : { branches: [...branches, branch], index: branches.length }
}
