import { type RefObject, useEffect, useRef, useSyncExternalStore } from 'react'
import { saveAs } from '../save.tsx'
import { film, filmLength, filmType } from './film.ts'
import type { Run } from './use-run.ts'

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

async function record(run: Run, speed: number, type: string): Promise<void> {
  const ends: Going['ends'] = { isAsked: null }
  const length = filmLength(run, speed)
  const scheme = document.documentElement.dataset['scheme'] === 'dark' ? 'dark' : 'light'
  complaint = null
  change({ share: 0, length, ends })
  try {
    const told = (share: number) => change({ share, length, ends })
    const file = await film({ run, speed, type, scheme, told, ends })
    if (file !== null) saveAs(`${run.world.config.algorithm.facts.name}.webm`, file)
  } catch (error) {
    complaint = `The film failed: ${error instanceof Error ? error.message : String(error)}.`
  } finally {
    change(null)
  }
}

/** Records the run as a film, in as much time as it takes to watch it. */
export function FilmButton({ run, speed }: { run: Run; speed: number }) {
  const now = useSyncExternalStore(listen, () => going)
  const type = filmType()
  if (type === null) return <p className="hint">This browser cannot record a film: it encodes no WebM.</p>
  if (now !== null) return <Progress going={now} />
  return <Begin {...{ run, speed, type }} />
}

function Begin({ run, speed, type }: { run: Run; speed: number; type: string }) {
  return (
    <>
      <button
        ref={useLostFocus()}
        type="button"
        title={`Takes ${clock(filmLength(run, speed))} at the speed of the theatre, ${speed}×`}
        onClick={() => void record(run, speed, type)}
      >
        Film (WebM)
      </button>
      {complaint !== null && (
        <p className="complaint" role="alert">
          {complaint}
        </p>
      )}
    </>
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
