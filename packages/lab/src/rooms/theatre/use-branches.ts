import type { Act } from '@turnwise/simulator/hands'
import { useEffect, useRef, useState } from 'react'
import { type Branches, branchOf, handPlace, TRUNK, withHand } from '../../run/forks.ts'
import { type Hand, writeHands } from '../../run/hand.ts'
import { lettersAt } from '../../run/moment.ts'
import { actText } from '../../run/offers.ts'
import type { RunSpec } from '../../run/spec.ts'
import { type Cursor, timeOf } from './playback.ts'
import type { Run } from './use-run.ts'

/** The branches of the run that the address names, and how hands make new ones. */
export function useBranches(spec: RunSpec, hands: readonly Hand[]) {
  const key = JSON.stringify(spec)
  const [kept, setKept] = useState<{ key: string; branches: Branches }>({ key, branches: [TRUNK] })
  const ofRun = kept.key === key ? kept.branches : [TRUNK]
  // An address can name a branch that was made elsewhere.
  const { branches, index } = branchOf(ofRun, {
    hands,
    parent: 0,
    forkedAt: hands[0]?.after ?? 0,
    label: hands.map(({ act }) => actText(act)).join(', '),
  })
  /** The number of events before what hands did last: where the new branch is to be looked at. */
  const fork = useRef<{ readonly hands: string; readonly events: number } | null>(null)

  /** Lays hands on the run at the step that is shown. Returns the hands of the new branch. */
  function act(run: Run, cursor: Cursor, acts: readonly Act[]): Hand[] {
    const { recording } = run
    const at = Math.round(timeOf(recording, cursor))
    const { hands: next, events } = laidOn(run, { position: cursor.position, at }, acts)
    fork.current = { hands: writeHands(next), events }
    const branch = {
      hands: next,
      parent: index,
      forkedAt: cursor.position,
      label: acts.map((one) => actText(one, lettersAt(recording, cursor.position))).join(', '),
    }
    setKept({ key, branches: branchOf(branches, branch).branches })
    return next
  }
  return { branches, index, act, fork }
}

/** The hands of a run after more are laid on it at a moment, in ticks, and how many events come before what they do last. */
export function laidOn(
  { hands, recording }: Pick<Run, 'hands' | 'recording'>,
  { position, at }: { readonly position: number; readonly at: number },
  acts: readonly Act[],
): { readonly hands: Hand[]; readonly events: number } {
  const { after, events } = handPlace(recording, position)
  return {
    hands: acts.reduce((all, act) => withHand(all, { after, at, act }), [...hands]),
    // All that was done together is seen together.
    events: events + acts.length - 1,
  }
}

/** When the run that hands asked for is there, it is shown from what they did. */
export function useForkArrival(
  run: Run | null,
  fork: { current: { readonly hands: string; readonly events: number } | null },
  jump: (position: number) => void,
): void {
  useEffect(() => {
    if (run === null || fork.current === null || fork.current.hands !== writeHands(run.hands)) return
    const { positionOf, happenings, isWhole } = run.recording
    const position = positionOf[fork.current.events]
    if (position === undefined && !isWhole) return
    jump(position ?? happenings.length)
    fork.current = null
    // Only another run is news, or more of it.
  }, [run])
}
