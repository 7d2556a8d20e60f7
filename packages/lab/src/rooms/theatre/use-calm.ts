import { useEffect, useReducer, useRef } from 'react'

/** In milliseconds: what changes faster than this is not read. */
const CALM = 100

/**
 * The value as it is to be read: it follows at once while changes are rare, as in steps, and ten times a second while they
 * come with every frame, as in scrubbing. What is shown last is always the last value. `of` is what the value is about:
 * when that changes nothing is held back.
 */
export function useCalm<Value>(value: Value, of: unknown): Value {
  const [, rerender] = useReducer((count: number) => count + 1, 0)
  const shown = useRef({ value, of, at: Number.NEGATIVE_INFINITY })
  const now = performance.now()
  if (value !== shown.current.value && (of !== shown.current.of || now - shown.current.at >= CALM))
    shown.current = { value, of, at: now }
  const isHeld = value !== shown.current.value
  useEffect(() => {
    if (!isHeld) return undefined
    const timer = setTimeout(rerender, CALM)
    return () => clearTimeout(timer)
  }, [isHeld])
  return shown.current.value
}
