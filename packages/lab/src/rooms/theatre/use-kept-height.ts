import { type RefObject, useEffect } from 'react'

/**
 * Leaves an element the greatest height that it had, so that the pictures beside it keep their size from step to step. In another
 * width it starts anew.
 */
export function useKeptHeight(of: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = of.current
    if (element === null) return undefined
    let width = 0
    const observer = new ResizeObserver(() => {
      if (element.offsetWidth !== width) element.style.minHeight = ''
      width = element.offsetWidth
      // A rounded height would move the pictures by a fraction of a pixel.
      element.style.minHeight = `${element.getBoundingClientRect().height}px`
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [of])
}
