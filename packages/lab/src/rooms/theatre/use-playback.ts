import { get } from '@turnwise/core/bounds'
import { useEffect, useRef, useState } from 'react'
import { nextEntry, previousEntry } from '../../run/moment.ts'
import type { Timeline } from '../../run/timeline.ts'
import { FrameGate } from './frame-gate.ts'
import { advance, type Cursor, SPEEDS } from './playback.ts'

/** Where the run is shown and how it goes on. */
export interface Playback {
  readonly cursor: Cursor
  readonly isPlaying: boolean
  readonly speed: number
  readonly toggle: () => void
  readonly pause: () => void
  /** Goes there and stops. */
  readonly seek: (position: number) => void
  /** Goes there and goes on as it did. */
  readonly jump: (position: number) => void
  readonly step: (by: number) => void
  readonly toEntry: (direction: 1 | -1) => void
  readonly changeSpeed: (by: number) => void
  readonly setSpeed: (speed: number) => void
}

export function usePlayback(recording: Timeline | null, start: number | null): Playback {
  const [wanted, setWanted] = useState<Cursor>({ position: start ?? 0, share: 0 })
  const [isPlaying, setIsPlaying] = useState(start === null)
  const [speed, setSpeed] = useState(1)
  const last = recording?.happenings.length ?? 0
  // Another run may be shorter, and one that is still coming may not have come so far.
  const within = (at: Cursor) =>
    recording === null || at.position <= last ? at : { position: last, share: 0 }
  const { latest, go } = useGoing(wanted, setWanted)
  usePlaying(isPlaying ? recording : null, speed, (elapsed, run) => {
    const next = advance(run, within(latest.current), elapsed, speed)
    latest.current = next
    setWanted(next)
    if (next.position >= run.happenings.length && run.isWhole) setIsPlaying(false)
  })
  const seek = (position: number) => {
    setIsPlaying(false)
    const most = recording?.isWhole === true ? last : Number.MAX_SAFE_INTEGER
    go({ position: Math.max(0, Math.min(most, position)), share: 0 })
  }
  return {
    cursor: within(wanted),
    isPlaying,
    speed,
    toggle() {
      if (!isPlaying && within(latest.current).position >= last) go({ position: 0, share: 0 })
      setIsPlaying(!isPlaying)
    },
    pause: () => setIsPlaying(false),
    seek,
    jump: (position) => go({ position, share: 0 }),
    // Between two happenings, back is to the one that was last.
    step(by) {
      const { position, share } = within(latest.current)
      seek(position + (by < 0 && share > 0 ? by + 1 : by))
    },
    toEntry(direction) {
      if (recording === null) return
      const { position } = within(latest.current)
      seek(direction === 1 ? nextEntry(recording, position) : previousEntry(recording, position))
    },
    changeSpeed(by) {
      const index = SPEEDS.findIndex((known) => known >= speed)
      setSpeed(get(SPEEDS, Math.max(0, Math.min(SPEEDS.length - 1, index + by))))
    },
    setSpeed,
  }
}

/** Goes somewhere, at most once per frame; `latest` is where it was last asked to go, which may not be drawn yet. */
function useGoing(first: Cursor, draw: (cursor: Cursor) => void) {
  const latest = useRef(first)
  const gate = useRef<FrameGate | null>(null)
  const go = (to: Cursor) => {
    latest.current = to
    gate.current ??= new FrameGate()
    gate.current.pass(() => draw(latest.current))
  }
  return { latest, go }
}

/** Tells with every frame how many milliseconds have gone by, as long as there is a recording to play. */
function usePlaying(
  recording: Timeline | null,
  speed: number,
  goOn: (elapsed: number, run: Timeline) => void,
): void {
  const current = useRef(goOn)
  current.current = goOn
  useEffect(() => {
    if (recording === null) return undefined
    let before: number | null = null
    let frame = requestAnimationFrame(function tick(now) {
      frame = requestAnimationFrame(tick)
      current.current(before === null ? 0 : now - before, recording)
      before = now
    })
    return () => cancelAnimationFrame(frame)
  }, [recording, speed])
}
