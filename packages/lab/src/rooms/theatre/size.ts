import { type RefObject, useEffect, useState } from 'react'

/** How large an element is, in CSS pixels; null until it is known. */
export function useSize(of: RefObject<HTMLElement | null>): { width: number; height: number } | null {
  const [size, setSize] = useState<{ width: number; height: number } | null>(null)
  useEffect(() => {
    const element = of.current
    if (element === null) return undefined
    const look = () => setSize({ width: element.clientWidth, height: element.clientHeight })
    look()
    const observer = new ResizeObserver(look)
    observer.observe(element)
    return () => observer.disconnect()
  }, [of])
  return size
}
