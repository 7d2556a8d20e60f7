import { sentence, timeText } from '@turnwise/core/trace/sentence'
import { useEffect, useRef, useState } from 'react'
import type { Recording } from '../../run/recording.ts'

const ROW = 44
const AROUND = 8

/** Every happening as a sentence; only those in sight are rendered. */
export function LogTab({
  recording,
  position,
  onSeek,
}: {
  recording: Recording
  position: number
  onSeek: (position: number) => void
}) {
  const box = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  const height = box.current?.clientHeight ?? 600
  const length = recording.happenings.length
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const row = (position - 1) * ROW
    if (row < element.scrollTop || row > element.scrollTop + element.clientHeight - ROW)
      element.scrollTop = Math.max(0, row - element.clientHeight / 2)
  }, [position])
  const first = Math.max(0, Math.floor(top / ROW) - AROUND)
  const last = Math.min(length, Math.ceil((top + height) / ROW) + AROUND)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <div
      className="log"
      ref={box}
      tabIndex={0}
      role="group"
      aria-label="Log"
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <ol style={{ height: length * ROW }} start={first + 1}>
        {recording.happenings.slice(first, last).map((happening, i) => {
          const number = first + i + 1
          return (
            <li
              key={number}
              style={{ top: (number - 1) * ROW, height: ROW }}
              className={number === position ? 'now' : number > position ? 'later' : undefined}
            >
              <button
                type="button"
                onClick={() => onSeek(number)}
                aria-current={number === position ? 'step' : undefined}
              >
                <span className="figures">{timeText(happening.at)}</span>
                <span>{sentence(happening)}</span>
              </button>
            </li>
          )
        })}
      </ol>
    </div>
  )
}
