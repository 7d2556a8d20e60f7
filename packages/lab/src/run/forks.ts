import { get } from '@turnwise/core/bounds'
import { type Hand, writeHands } from './hand.ts'
import type { Recording } from './recording.ts'

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

/**
 * Where a hand acts that is laid on a run at a position, and how many events come before it. What the judges say of the
 * whole run when it is over is no part of it: a hand laid on the end acts before that, and the run goes on.
 */
export function handPlace(
  { happenings, steps, eventSteps }: Pick<Recording, 'happenings' | 'steps' | 'eventSteps'>,
  position: number,
): { readonly after: number; readonly events: number } {
  let last = position
  while (last > 0 && get(happenings, last - 1).cause.is === 'violation') last -= 1
  const after = last === 0 ? 0 : get(steps, last - 1)
  return { after, events: eventSteps.findLastIndex((done) => done <= after) + 1 }
}

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
