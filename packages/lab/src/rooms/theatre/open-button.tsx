import { type ReactNode, useMemo, useRef } from 'react'
import type { Opening } from '../../worker/record-opener.ts'

/** Asks for the files of a record: one, or the parts of one run. The input must stay on the page until they are chosen. */
export function useFileInput(
  name: string,
  onOpen: (files: readonly File[]) => void,
): {
  readonly input: ReactNode
  readonly choose: () => void
} {
  const input = useRef<HTMLInputElement>(null)
  const latest = useRef(onOpen)
  latest.current = onOpen
  const open = (files: readonly File[]) => {
    if (files.length > 0) latest.current(files)
    // The same file can be opened again.
    if (input.current !== null) input.current.value = ''
  }
  return {
    choose: () => input.current?.click(),
    // The same element for every frame: React writes the type and the name of an input whenever it draws one.
    input: useMemo(
      () => (
        <input
          ref={input}
          type="file"
          className={name}
          hidden
          multiple
          accept=".jsonl,.json,.txt,.trace,.1,.2,.3"
          onChange={(event) => open([...(event.target.files ?? [])])}
        />
      ),
      [name],
    ),
  }
}

/** How far the opening of a record is. */
export function OpeningBar({ opening, onStop }: { opening: Opening; onStop: (() => void) | null }) {
  return (
    <p className="opening" role="status">
      <progress aria-label="Opening the record" value={opening.share} max={1} />
      <span className="figures">{opening.text}</span>
      {onStop !== null && (
        <button type="button" onClick={onStop}>
          Stop
        </button>
      )}
    </p>
  )
}
