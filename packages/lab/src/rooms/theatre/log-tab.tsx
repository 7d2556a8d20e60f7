import { get } from '@turnwise/core/bounds'
import type { Happening } from '@turnwise/core/trace/happening'
import { reasonsOf, timeText } from '@turnwise/core/trace/sentence'
import { useEffect, useMemo, useRef, useState } from 'react'
import { countWhile } from '../../run/count-while.ts'
import { sentenceOf } from '../../run/event-sentences.ts'
import type { Recording } from '../../run/recording.ts'

/** The height of a row in pixels, and of one that also says why. */
const PLAIN_ROW = 44
const WHY_ROW = 80
const AROUND = 8

/** Every happening as a sentence, and why; only those in sight are rendered. */
export function LogTab({
  recording,
  found,
  position,
  onSeek,
}: {
  recording: Recording
  /** The positions of the rows; null for all. */
  found: readonly number[] | null
  position: number
  onSeek: (position: number) => void
}) {
  const box = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  const height = box.current?.clientHeight ?? 600
  const total = recording.happenings.length
  const length = found?.length ?? total
  const numberOf = (row: number) => found?.[row] ?? row + 1
  const current = found === null ? position : countWhile(found, (one) => one <= position)
  const saysWhy = useMemo(
    () => recording.happenings.slice(0, total).some(({ reasons }) => reasons.length > 0),
    [recording, total],
  )
  const rowHeight = saysWhy ? WHY_ROW : PLAIN_ROW
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const row = Math.max(0, current - 1) * rowHeight
    if (row < element.scrollTop || row > element.scrollTop + element.clientHeight - rowHeight)
      element.scrollTop = Math.max(0, row - element.clientHeight / 2)
  }, [current, rowHeight])
  const first = Math.max(0, Math.floor(top / rowHeight) - AROUND)
  const last = Math.min(length, Math.ceil((top + height) / rowHeight) + AROUND)
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
      <ol style={{ height: length * rowHeight }}>
        {Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i).map((row) => (
          <Row
            key={numberOf(row)}
            happening={get(recording.happenings, numberOf(row) - 1)}
            number={numberOf(row)}
            top={row * rowHeight}
            height={rowHeight}
            position={position}
            onSeek={onSeek}
          />
        ))}
      </ol>
    </div>
  )
}

function Row({
  happening,
  number,
  top,
  height,
  position,
  onSeek,
}: {
  happening: Happening
  number: number
  /** In pixels. */
  top: number
  height: number
  position: number
  onSeek: (position: number) => void
}) {
  const why = reasonsOf(happening).join(' ')
  return (
    <li
      style={{ top, height }}
      className={number === position ? 'now' : number > position ? 'later' : undefined}
    >
      <button
        type="button"
        onClick={() => onSeek(number)}
        aria-current={number === position ? 'step' : undefined}
      >
        <span className="figures">{timeText(happening.at)}</span>
        <span>{sentenceOf(happening)}</span>
        {why !== '' && (
          <span className="why" title={why}>
            {why}
          </span>
        )}
      </button>
    </li>
  )
}
