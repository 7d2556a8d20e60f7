import type { Act } from '@turnwise/simulator/hands'
import { useEffect, useRef } from 'react'
import { type Hand, writeHands } from '../../run/hand.ts'
import type { CommonTimeline } from '../../run/timeline.ts'
import { timeOf } from './playback.ts'
import { laidOn } from './use-branches.ts'
import type { Playback } from './use-playback.ts'
import type { Run } from './use-run.ts'

/** Which of two runs. */
export type Which = 0 | 1

/** Has a run played with these hands; `position` is where both are shown meanwhile. */
export type OnHands = (which: Which, hands: readonly Hand[], position: number) => void

interface Shown {
  readonly runs: readonly [Run, Run]
  readonly timeline: CommonTimeline
  readonly playback: Playback
}

/** Lays hands on one of two runs at the moment that is shown. When it has been played with them, it is shown from what they did. */
export function useTwoHands({ runs, timeline, playback }: Shown, onHands: OnHands) {
  const fork = useRef<{ which: Which; hands: string; events: number } | null>(null)
  useEffect(() => {
    if (fork.current === null) return
    const { which, hands, events } = fork.current
    const { recording, hands: laid } = runs[which]
    if (hands !== writeHands(laid)) return
    const position = recording.positionOf[events] ?? recording.happenings.length
    const hasCome = (timeline.places.at(-1)?.[which] ?? 0) >= position
    if (!hasCome || (recording.positionOf[events] === undefined && !recording.isWhole)) return
    fork.current = null
    playback.seek(timeline.positionOf(which, position))
    // Only other runs are news, or more of them.
  }, [timeline])
  return (which: Which, acts: readonly Act[]) => {
    const { cursor } = playback
    const position = timeline.places[cursor.position]?.[which] ?? 0
    const { hands, events } = laidOn(
      runs[which],
      { position, at: Math.round(timeOf(timeline, cursor)) },
      acts,
    )
    fork.current = { which, hands: writeHands(hands), events }
    onHands(which, hands, cursor.position)
  }
}
