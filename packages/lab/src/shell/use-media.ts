import { useSyncExternalStore } from 'react'

/** A question may be asked with every frame, so it is put to the browser once. */
const asked = new Map<string, MediaQueryList>()

function media(query: string): MediaQueryList {
  const known = asked.get(query) ?? window.matchMedia(query)
  asked.set(query, known)
  return known
}

/** Whether the window is as the query says, now and when it changes. */
export function useMedia(query: string): boolean {
  const listen = (listener: () => void) => {
    const list = media(query)
    list.addEventListener('change', listener)
    return () => list.removeEventListener('change', listener)
  }
  return useSyncExternalStore(listen, () => media(query).matches)
}
