import { type RefObject, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { Timeline } from '../../run/timeline.ts'
import { saveAs } from '../save.tsx'
import { film, filmLength, filmType, type Range } from './film.ts'
import type { Painter } from './film-painter.ts'

/** A film that is being recorded. It goes on while the box is closed, and in other rooms. */
interface Going {
  readonly share: number
  readonly length: number
  readonly ends: { isAsked: 'keep' | 'discard' | null }
}

let going: Going | null = null
let complaint: string | null = null
const listeners = new Set<() => void>()

function change(to: Going | null): void {
  going = to
  for (const listener of listeners) listener()
}

function listen(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

async function record({ filmed, speed }: Props, range: Range, type: string): Promise<void> {
  const { timeline } = filmed
  const ends: Going['ends'] = { isAsked: null }
  const length = filmLength(timeline, range, speed)
  const scheme = document.documentElement.dataset['scheme'] === 'dark' ? 'dark' : 'light'
  complaint = null
  change({ share: 0, length, ends })
  try {
    const told = (share: number) => change({ share, length, ends })
    const painter = filmed.painter(scheme)
    const file = await film({ timeline, painter, range, speed, type, told, ends })
    if (file !== null) saveAs(`${filmed.name}.webm`, file)
  } catch (error) {
    complaint = `The film failed: ${error instanceof Error ? error.message : String(error)}.`
  } finally {
    change(null)
  }
}

/** What a film is of: a run, or two together. */
export interface Filmed {
  /** The name of the file, without its ending. */
  readonly name: string
  readonly timeline: Timeline
  readonly painter: (scheme: 'light' | 'dark') => Painter
}

interface Props {
  readonly filmed: Filmed
  readonly speed: number
  /** Where the run is shown. */
  readonly position: number
}

/** Records the run, or some steps of it, as a film, in as much time as it takes to watch it. */
export function FilmButton(props: Props) {
  const now = useSyncExternalStore(listen, () => going)
  const type = filmType()
  if (type === null) return <p className="hint">This browser cannot record a film: it encodes no WebM.</p>
  if (now !== null) return <Progress going={now} />
  return <Begin {...props} type={type} />
}

function Begin({ type, ...props }: Props & { readonly type: string }) {
  const { filmed, speed, position } = props
  const last = filmed.timeline.happenings.length
  const [range, setRange] = useState<Range>({ from: 0, to: last })
  const isPossible = range.from < range.to
  return (
    <>
      <fieldset className="film-range">
        <legend>Film</legend>
        <StepField
          name="from step"
          value={range.from}
          last={last}
          onChange={(from) => setRange({ ...range, from })}
        />
        <StepField
          name="to step"
          value={range.to}
          last={last}
          onChange={(to) => setRange({ ...range, to })}
        />
        {position > 0 && position < last && (
          <button type="button" onClick={() => setRange({ from: position, to: last })}>
            From here
          </button>
        )}
        <button
          ref={useLostFocus()}
          type="button"
          disabled={!isPossible}
          onClick={() => void record(props, range, type)}
        >
          Film (WebM)
        </button>
        <span className="hint">
          {isPossible
            ? `${clock(filmLength(filmed.timeline, range, speed))} long at the speed of the theatre, ${speed}×`
            : 'It must end after it begins.'}
        </span>
      </fieldset>
      {complaint !== null && (
        <p className="complaint" role="alert">
          {complaint}
        </p>
      )}
    </>
  )
}

interface StepProps {
  readonly name: string
  readonly value: number
  readonly last: number
  readonly onChange: (step: number) => void
}

function StepField({ name, value, last, onChange }: StepProps) {
  return (
    <label>
      <span>{name}</span>
      <input
        type="number"
        min={0}
        max={last}
        value={value}
        onChange={(event) => onChange(Math.max(0, Math.min(last, Math.round(Number(event.target.value)))))}
      />
    </label>
  )
}

function Progress({ going: { share, length, ends } }: { going: Going }) {
  const ask = (wish: 'keep' | 'discard') => () => {
    ends.isAsked = wish
  }
  return (
    <div className="filming">
      <label>
        <span>
          Filming: {clock(share * length)} of {clock(length)}
        </span>
        <progress value={share} max={1} />
      </label>
      <button type="button" onClick={ask('keep')}>
        End and save
      </button>
      <button ref={useLostFocus()} type="button" onClick={ask('discard')}>
        Cancel
      </button>
    </div>
  )
}

/** The button that was pressed is gone, and the focus with it: this one takes its place, so that keys still reach the box. */
function useLostFocus(): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (document.activeElement === document.body) button.current?.focus()
  }, [])
  return button
}

function clock(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
