import { useSyncExternalStore } from 'react'

/** Below this width there is one column. */
const NARROW = '(max-width: 1099px)'

let narrow: MediaQueryList | null = null

/** Asked with every frame, so the question is put once. */
function narrowQuery(): MediaQueryList {
  narrow ??= window.matchMedia(NARROW)
  return narrow
}

export function useNarrow(): boolean {
  return useSyncExternalStore(listenToWidth, () => narrowQuery().matches)
}

function listenToWidth(listener: () => void): () => void {
  const query = narrowQuery()
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}

/** The name of the colour scheme that is on: a canvas is painted anew when it changes. */
export function useSchemeName(): string {
  return useSyncExternalStore(listenToScheme, () => document.documentElement.dataset['scheme'] ?? '')
}

function listenToScheme(listener: () => void): () => void {
  const observer = new MutationObserver(listener)
  observer.observe(document.documentElement, { attributeFilter: ['data-scheme'] })
  return () => observer.disconnect()
}
