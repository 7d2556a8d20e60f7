import { useSyncExternalStore } from 'react'

/** Below this width there is one column. */
const NARROW = '(max-width: 1099px)'

export function useNarrow(): boolean {
  return useSyncExternalStore(
    (listener) => {
      const query = window.matchMedia(NARROW)
      query.addEventListener('change', listener)
      return () => query.removeEventListener('change', listener)
    },
    () => window.matchMedia(NARROW).matches,
  )
}

/** The name of the colour scheme that is on: a canvas is painted anew when it changes. */
export function useSchemeName(): string {
  return useSyncExternalStore(
    (listener) => {
      const observer = new MutationObserver(listener)
      observer.observe(document.documentElement, { attributeFilter: ['data-scheme'] })
      return () => observer.disconnect()
    },
    () => document.documentElement.dataset['scheme'] ?? '',
  )
}
