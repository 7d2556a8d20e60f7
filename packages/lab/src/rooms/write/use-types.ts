import { useEffect, useRef, useState } from 'react'
import type { TypeFault } from './type-checker.ts'

/** What the compiler says of the types of a text. */
export interface CheckedTypes {
  /** The text that it is about; null before the first answer. */
  readonly text: string | null
  readonly faults: readonly TypeFault[]
  /** The compiler could not be loaded. */
  readonly isMissing: boolean
}

const NOTHING: CheckedTypes = { text: null, faults: [], isMissing: false }

/** In milliseconds: types are checked when nobody has written for so long. */
const REST = 500

/**
 * Has the types of a text checked in a worker, again after each change. The compiler is large, and is loaded for the first text that is asked
 * for: null is none.
 */
export function useTypes(text: string | null): CheckedTypes {
  const [checked, setChecked] = useState(NOTHING)
  const worker = useRef<Worker | null>(null)
  useEffect(
    () => () => {
      worker.current?.terminate()
      worker.current = null
    },
    [],
  )
  useEffect(() => {
    if (text === null) return undefined
    const rest = window.setTimeout(() => {
      worker.current ??= started(setChecked)
      worker.current.postMessage(text)
    }, REST)
    return () => window.clearTimeout(rest)
  }, [text])
  return checked
}

function started(tell: (checked: CheckedTypes) => void): Worker {
  const worker = new Worker(new URL('./types.worker.ts', import.meta.url), { type: 'module', name: 'types' })
  worker.addEventListener('message', ({ data }: MessageEvent<Omit<CheckedTypes, 'isMissing'>>) =>
    tell({ ...data, isMissing: false }),
  )
  worker.addEventListener('error', () => tell({ ...NOTHING, isMissing: true }))
  return worker
}
