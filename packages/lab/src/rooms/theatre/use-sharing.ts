import { useEffect, useRef } from 'react'
import type { Query } from '../../shell/address.ts'
import { type Asked, writeQuery } from './theatre-query.ts'
import type { Playback } from './use-playback.ts'

/** Browsers allow few changes of the address per second, and scrubbing makes many. */
const REST = 250

/** Keeps the moment that is shown in the address, and goes to the moment that the address names. */
export function useSharing(
  asked: Asked,
  playback: Playback,
  isReady: boolean,
  go: (query: Query, how?: 'push' | 'replace') => void,
): () => void {
  const { isPlaying, cursor, seek } = playback
  const position = isPlaying ? null : cursor.position
  const written = useRef(asked.position)
  const latest = useRef({ asked, go })
  latest.current = { asked, go }
  const write = () => {
    written.current = position
    latest.current.go(writeQuery({ ...latest.current.asked, position }), 'replace')
  }
  useEffect(() => {
    if (!isReady) return undefined
    const timer = setTimeout(write, REST)
    return () => clearTimeout(timer)
  }, [position, isReady])
  useEffect(() => {
    if (asked.position === written.current) return
    written.current = asked.position
    if (asked.position !== null) seek(asked.position)
  }, [asked.position])
  return () => {
    playback.pause()
    written.current = cursor.position
    latest.current.go(writeQuery({ ...latest.current.asked, position: cursor.position }), 'replace')
    void navigator.clipboard?.writeText(window.location.href).catch(() => {
      // Not every page may write to the clipboard; the address bar has it too.
    })
  }
}
