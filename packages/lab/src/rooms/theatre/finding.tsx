import { type ReactNode, useCallback, useMemo, useRef, useState } from 'react'
import type { Wanted } from '../../run/find.ts'
import type { Recording } from '../../run/recording.ts'
import { type KeyGroup, useKeys } from '../../shell/key-bindings.ts'
import { FindRow } from './find-row.tsx'
import type { Lit } from './paint.ts'

/** What is looked for, and where that is kept. */
export interface Find {
  readonly text: string | undefined
  readonly onText: (text: string | undefined) => void
}

/** Where steps are looked for. */
export interface Searched {
  readonly run: Pick<Recording, 'happenings'>
  /** The types of messages that are known by their names. */
  readonly types: readonly string[]
  readonly position: number
  /** Where a step of the run is more than one happening: the positions that fit. */
  readonly search?: (wanted: readonly Wanted[]) => readonly number[]
  readonly onSeek: (position: number) => void
}

/** What was found. */
export interface Found {
  readonly run: Searched['run']
  readonly wanted: readonly Wanted[]
  /** Of the steps, in their order. */
  readonly positions: readonly number[]
  readonly lit: Lit
}

/** What looking for steps shows. */
export interface Finding {
  /** Opens the row; null where nothing can be looked for. */
  readonly button: ReactNode
  readonly row: ReactNode
  readonly found: Found | null
}

/** Looks for steps in a run: a button, a row that it opens, and what was found. */
export function useFinding(find: Find | undefined, searched: Searched): Finding {
  const [isOpen, setIsOpen] = useState(find?.text !== undefined)
  /** How often the visitor asked for the row: each time it gets the focus. */
  const [calls, setCalls] = useState(0)
  const [found, setFound] = useState<Found | null>(null)
  /** What had the focus before. */
  const left = useRef<Element | null>(null)
  const open = useCallback(() => {
    left.current = document.activeElement
    setIsOpen(true)
    setCalls((count) => count + 1)
  }, [])
  if (find === undefined) return { button: null, row: null, found: null }
  const close = () => {
    setIsOpen(false)
    setFound(null)
    find.onText(undefined)
    if (left.current instanceof HTMLElement || left.current instanceof SVGElement) left.current.focus()
  }
  return {
    button: <FindButton isOpen={isOpen} onClick={isOpen ? close : open} onKey={open} />,
    // Not loaded later: what is typed until it came would be keys of the theatre.
    row: isOpen && <FindRow {...searched} find={find} calls={calls} onFound={setFound} onClose={close} />,
    // Positions of another run are others.
    found: isOpen && found?.run === searched.run ? found : null,
  }
}

function FindButton({ isOpen, onClick, onKey }: { isOpen: boolean; onClick: () => void; onKey: () => void }) {
  const keys = useMemo<KeyGroup>(
    () => ({ title: 'Find', keys: [{ keys: ['/'], does: 'find steps of the run', run: onKey }] }),
    [onKey],
  )
  useKeys(keys)
  return (
    <button
      type="button"
      className="find-button"
      aria-expanded={isOpen}
      aria-label="Find steps"
      title="Find steps (/)"
      onClick={onClick}
    >
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <path
          d="M6.5 2a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM10 10l4.5 4.5"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.7"
        />
      </svg>
    </button>
  )
}
