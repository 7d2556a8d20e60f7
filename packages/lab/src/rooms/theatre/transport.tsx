import { memo, type ReactNode, useLayoutEffect, useMemo, useRef } from 'react'
import type { Recording } from '../../run/recording.ts'
import type { Timeline } from '../../run/timeline.ts'
import { SPEEDS } from './playback.ts'
import type { Playback } from './use-playback.ts'

/** What the controls need of a run. */
type Controlled = Timeline & Pick<Recording, 'isCut' | 'stays'>

/** Play, stop, step and scrub, with every entry on the bar. */
export function Transport({
  recording,
  playback,
  found,
  children,
}: {
  recording: Controlled
  playback: Playback
  /** Positions to mark on the bar. */
  found: readonly number[] | null
  children: ReactNode
}) {
  const { cursor, speed } = playback
  const last = recording.happenings.length
  return (
    <div className="transport" role="group" aria-label="Playing">
      <Buttons playback={playback} last={last} />
      <div className="scrub" data-whole={recording.isWhole}>
        <Entries recording={recording} />
        {found !== null && <Matches found={found} last={last} />}
        <ScrubBar position={cursor.position} last={last} onSeek={playback.seek} />
      </div>
      <span className="figures transport-count">
        {cursor.position}/{last}
        {recording.isCut ? '…' : ''}
      </span>
      <SpeedChoice speed={speed} onChoose={playback.setSpeed} />
      {children}
    </div>
  )
}

const SpeedChoice = memo(function SpeedChoice({
  speed,
  onChoose,
}: {
  speed: number
  onChoose: (speed: number) => void
}) {
  return (
    <label className="speed">
      <span className="visually-hidden">Speed</span>
      <select value={speed} onChange={(event) => onChoose(Number(event.target.value))}>
        {SPEEDS.map((known) => (
          <option key={known} value={known}>
            {known < 1 ? `1/${1 / known}` : known}×
          </option>
        ))}
      </select>
    </label>
  )
})

/** The bar has a position of its own: while it is dragged it may be ahead of what is drawn, and is not to jump back. */
function ScrubBar({
  position,
  last,
  onSeek,
}: {
  position: number
  last: number
  onSeek: (position: number) => void
}) {
  const bar = useRef<HTMLInputElement>(null)
  const latest = useRef(onSeek)
  latest.current = onSeek
  useLayoutEffect(() => {
    if (bar.current === null) return
    bar.current.value = String(position)
    bar.current.setAttribute('aria-valuetext', `${position} of ${last}`)
  }, [position, last])
  // The same element for every frame: React writes the type and the name of an input whenever it draws one.
  return useMemo(
    () => (
      <input
        ref={bar}
        type="range"
        min={0}
        max={last}
        defaultValue={0}
        aria-label="Event"
        onChange={(event) => latest.current(Number(event.target.value))}
      />
    ),
    [last],
  )
}

function Buttons({ playback, last }: { playback: Playback; last: number }) {
  const { cursor, isPlaying, toEntry, step, toggle } = playback
  const isFirst = cursor.position === 0 && cursor.share === 0
  const isLast = cursor.position >= last
  const play = isPlaying ? 'M4 3h3v10H4zM9 3h3v10H9z' : 'M4 2l10 6-10 6z'
  const buttons = [
    { name: 'Back to the last entry', d: 'M3 3v10M13 3L6 8l7 5z', run: () => toEntry(-1), isOff: isFirst },
    { name: 'One event back', d: 'M11 3L5 8l6 5z', run: () => step(-1), isOff: isFirst },
    { name: isPlaying ? 'Pause' : 'Play', d: play, run: toggle, isOff: false },
    { name: 'One event forward', d: 'M5 3l6 5-6 5z', run: () => step(1), isOff: isLast },
    { name: 'Forward to the next entry', d: 'M13 3v10M3 3l7 5-7 5z', run: () => toEntry(1), isOff: isLast },
  ]
  return (
    <div className="transport-buttons">
      {buttons.map(({ name, d, run, isOff }, index) => (
        <button
          key={d === play ? 'play' : d}
          type="button"
          className={index === 2 ? 'play' : undefined}
          onClick={run}
          disabled={isOff}
          aria-label={name}
        >
          <Icon d={d} />
        </button>
      ))}
    </div>
  )
}

const Icon = memo(function Icon({ d }: { d: string }) {
  return (
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={d} fill="currentColor" stroke="currentColor" strokeWidth="1.5" strokeLinejoin="round" />
    </svg>
  )
})

/** Stays inside as small bars, where they are in the run. */
const Entries = memo(function Entries({ recording }: { recording: Controlled }) {
  const last = Math.max(1, recording.happenings.length)
  const d = recording.stays
    .map(({ from, until }) => {
      const end = Math.min(until, last)
      return `M${((100 * from) / last).toFixed(2)} 0H${((100 * Math.max(end, from + 0.4)) / last).toFixed(2)}`
    })
    .join('')
  return (
    <svg className="scrub-entries" viewBox="0 -1 100 2" preserveAspectRatio="none" aria-hidden="true">
      <path d={d} />
    </svg>
  )
})

/** What was looked for, above the bar. */
const Matches = memo(function Matches({ found, last }: { found: readonly number[]; last: number }) {
  const d = found.map((position) => `M${((100 * position) / Math.max(1, last)).toFixed(2)} -1v2`).join('')
  return (
    <svg
      className="scrub-entries scrub-found"
      viewBox="0 -1 100 2"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path d={d} />
    </svg>
  )
})
