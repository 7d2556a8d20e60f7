import { useEffect, useState } from 'react'

/** The value when it has stayed the same for so many milliseconds. */
export function useRested<Value>(value: Value, rest: number): Value {
  const [rested, setRested] = useState(value)
  useEffect(() => {
    const timer = setTimeout(setRested, rest, value)
    return () => clearTimeout(timer)
  }, [value, rest])
  return rested
}
