import { useSyncExternalStore } from 'react'
import { isEmbedded } from '../../shell/embedding.ts'
import { useMedia } from '../../shell/use-media.ts'

/** Below this width there is one column. */
const NARROW = '(max-width: 959px)'

/** A frame shows both pictures and no panel, however narrow it is. */
export function useNarrow(): boolean {
  const isNarrow = useMedia(NARROW)
  return isNarrow && !isEmbedded
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
