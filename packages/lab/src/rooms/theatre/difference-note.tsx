import { useEffect, useMemo, useRef } from 'react'
import {
  aftermathOf,
  aftermathText,
  type Difference,
  differenceText,
  firstDifference,
} from '../../run/difference.ts'
import type { CommonTimeline } from '../../run/timeline.ts'
import { type KeyGroup, useKeys } from '../../shell/key-bindings.ts'
import { ruleOf } from './beside.ts'
import type { Run } from './use-run.ts'

/** Where two runs of one algorithm part; null for runs of two algorithms, and undefined while nobody knows yet. */
export type Parting = { readonly difference: Difference | null | undefined } | null

export function useParting([first, second]: readonly [Run, Run]): Parting {
  return useMemo(() => {
    if (ruleOf(first.spec.algorithm) !== ruleOf(second.spec.algorithm)) return null
    return { difference: firstDifference(first.recording, second.recording) }
  }, [first, second])
}

/** The position of the common axis at which the first step of the two that differ has happened. */
function positionOf(timeline: CommonTimeline, { position, steps }: Difference): number {
  const places = steps.flatMap((step, which) =>
    step === null ? [] : [timeline.positionOf(which === 0 ? 0 : 1, position)],
  )
  return Math.min(...places)
}

interface Props {
  readonly runs: readonly [Run, Run]
  readonly parting: Parting
  readonly timeline: CommonTimeline
  readonly onSeek: (position: number) => void
  /** Whether the address names no moment: then the runs are shown where they part. */
  readonly isOpen: boolean
}

/** Where two runs of one algorithm part, why, and how each goes on. */
export function DifferenceNote({ runs, parting, timeline, onSeek, isOpen }: Props) {
  const difference = parting?.difference
  const goThere = () => {
    if (difference !== null && difference !== undefined) onSeek(positionOf(timeline, difference))
  }
  useDifferenceKey(goThere)
  const isKnown = difference !== null && difference !== undefined && timeline.isWhole
  useEffect(() => {
    if (isKnown && isOpen) goThere()
    // Once for each pair of runs.
  }, [isKnown, timeline])
  const aftermath = useAftermath(runs, isKnown)
  if (parting === null || difference === undefined) return null
  if (difference === null) return <p className="difference">Both runs are the same, step by step.</p>
  return (
    <p className="difference">
      <button type="button" onClick={goThere} title="Go there (d)">
        ≠ {difference.position}
      </button>
      <span>
        {differenceText(difference)} {aftermath}
      </span>
    </p>
  )
}

/** All events are counted for it, so not with every frame. */
function useAftermath([first, second]: readonly [Run, Run], isKnown: boolean): string {
  return useMemo(
    () => (isKnown ? aftermathText(aftermathOf(first.recording, second.recording)) : ''),
    [first, second, isKnown],
  )
}

function useDifferenceKey(goThere: () => void): void {
  const latest = useRef(goThere)
  latest.current = goThere
  const keys = useMemo<KeyGroup>(
    () => ({
      title: 'Difference',
      keys: [{ keys: ['d'], does: 'to where the runs part', run: () => latest.current() }],
    }),
    [],
  )
  useKeys(keys)
}
