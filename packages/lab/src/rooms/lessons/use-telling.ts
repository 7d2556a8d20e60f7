import { get } from '@turnwise/core/bounds'
import { useEffect, useState } from 'react'
import { type PlacedStep, readingTime, stepAt } from '../../lessons/lesson.ts'
import type { Playback } from '../theatre/use-playback.ts'

export interface Telling {
  /** Whether it goes on by itself when a sentence has been read. */
  readonly isGoing: boolean
  toggle(): void
  /** Goes to where a sentence belongs, at once; from then on the reader goes. */
  goTo(step: PlacedStep): void
  /** Goes on to the next sentence: playing if it goes by itself, else at once. */
  goOn(): void
}

/**
 * Plays from one sentence to the next and leaves time to read each. A visitor who stops, steps or drags the run takes
 * it over; then the sentence follows the position of the run.
 */
export function useTelling(
  playback: Playback,
  steps: readonly PlacedStep[],
  startsByItself: boolean,
  /** Whether the next sentence waits for the reader: there is a question before it. */
  isAsked: (step: number) => boolean,
): Telling {
  const [isGoing, setIsGoing] = useState(startsByItself)
  const { position } = playback.cursor
  const current = stepAt(steps, position)
  const [target, setTarget] = useState<number | null>(null)
  const isPlaying = playback.isPlaying
  // Arrived: the run stops where the sentence belongs.
  useEffect(() => {
    if (target === null || !isPlaying || position < target) return
    setTarget(null)
    playback.seek(target)
  }, [target, isPlaying, position, playback])
  const next = steps[current + 1]
  const isHeld = next === undefined || isAsked(current + 1)
  const playOn = () => {
    if (next === undefined) return
    setTarget(next.position)
    if (!isPlaying) playback.toggle()
  }
  useEffect(() => {
    if (!isGoing || isPlaying || isHeld) return undefined
    const timer = setTimeout(playOn, readingTime(get(steps, current)))
    return () => clearTimeout(timer)
    // `playback` is new with every frame, and is not what this waits for.
  }, [isGoing, isPlaying, current, steps, isHeld])
  const goTo = (step: PlacedStep) => {
    setIsGoing(false)
    setTarget(null)
    playback.seek(step.position)
  }
  return {
    isGoing: isGoing && current < steps.length - 1,
    toggle() {
      if (isPlaying) playback.pause()
      setTarget(null)
      setIsGoing(!isGoing)
    },
    goTo,
    goOn() {
      if (isGoing) playOn()
      else if (next !== undefined) goTo(next)
    },
  }
}
