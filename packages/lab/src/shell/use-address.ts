import { useCallback, useRef, useSyncExternalStore } from 'react'
import { type Address, readAddress, writeAddress } from './address.ts'

/** `replace` for what the Back button need not undo, such as every step of a run. */
export type Go = (address: Address, how?: 'push' | 'replace') => void

/** `replaceState` fires no event, so `go` notifies the listeners. */
const listeners = new Set<() => void>()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  window.addEventListener('hashchange', listener)
  window.addEventListener('popstate', listener)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('hashchange', listener)
    window.removeEventListener('popstate', listener)
  }
}

const hashNow = (): string => window.location.hash

export function useAddress(): { address: Address; go: Go } {
  const hash = useSyncExternalStore(subscribe, hashNow)
  const known = useRef(hash)
  known.current = hash
  const go = useCallback<Go>((address, how = 'push') => {
    const next = writeAddress(address)
    if (next === hashNow()) return
    // The visitor has gone back, and the page does not know it yet. A late step of the run that was left must not undo that.
    if (how === 'replace' && hashNow() !== known.current) return
    if (how === 'push') window.history.pushState(null, '', next)
    else window.history.replaceState(null, '', next)
    known.current = hashNow()
    for (const listener of listeners) listener()
  }, [])
  return { address: readAddress(hash), go }
}
