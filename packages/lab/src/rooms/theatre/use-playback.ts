import { useEffect, useRef, useState } from 'react'
import { nextEntry, previousEntry } from '../../run/moment.ts'
import type { Recording } from '../../run/recording.ts'
import { advance, type Cursor, SPEEDS } from './pace.ts'

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

export function usePlayback(recording: Recording | null, start: number | null): Playback {
  const [wanted, setWanted] = useState<Cursor>({ position: start ?? 0, share: 0 })
  const [isPlaying, setIsPlaying] = useState(start === null)
  const [speed, setSpeed] = useState(1)
  const last = recording?.happenings.length ?? 0
  const isGrowing = recording === null || !recording.isWhole
  // Another run may be shorter, and one that is still coming may not have come so far.
  const cursor = recording === null || wanted.position <= last ? wanted : { position: last, share: 0 }
  const shown = useRef(cursor)
  shown.current = cursor
  useEffect(() => {
    if (!isPlaying || recording === null) return undefined
    let before: number | null = null
    let frame = requestAnimationFrame(function tick(now) {
      const next = advance(recording, shown.current, before === null ? 0 : now - before, speed)
      before = now
      shown.current = next
      setWanted(next)
      if (next.position >= recording.happenings.length && recording.isWhole) setIsPlaying(false)
      else frame = requestAnimationFrame(tick)
    })
    return () => cancelAnimationFrame(frame)
  }, [isPlaying, recording, speed])
  const seek = (position: number) => {
    setIsPlaying(false)
    setWanted({ position: Math.max(0, isGrowing ? position : Math.min(last, position)), share: 0 })
  }
  return {
    cursor,
    isPlaying,
    speed,
    toggle() {
      if (!isPlaying && cursor.position >= last) setWanted({ position: 0, share: 0 })
      setIsPlaying(!isPlaying)
    },
    pause: () => setIsPlaying(false),
    seek,
    jump: (position) => setWanted({ position, share: 0 }),
    // Between two happenings, back is to the one that was last.
    step: (by) => seek(cursor.position + (by < 0 && cursor.share > 0 ? by + 1 : by)),
    toEntry(direction) {
      if (recording === null) return
      seek(
        direction === 1 ? nextEntry(recording, cursor.position) : previousEntry(recording, cursor.position),
      )
    },
    changeSpeed(by) {
      const index = SPEEDS.findIndex((known) => known >= speed)
      setSpeed(SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, index + by))])
    },
    setSpeed,
  }
}
