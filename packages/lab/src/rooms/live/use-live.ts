import { useEffect, useState } from 'react'
import type { LiveView } from '../../live/live-view.ts'

export interface Watching {
  /** What was told last; null before anything was. */
  readonly view: LiveView | null
  readonly status: 'connecting' | 'watching' | 'lost' | 'nobody'
}

/** Asks the server of the page for a mesh; a plain web server has none to show. */
export function useLive(): Watching {
  const [watching, setWatching] = useState<Watching>({ view: null, status: 'connecting' })
  useEffect(() => {
    const source = new EventSource(`live${window.location.search}`)
    source.addEventListener('message', ({ data }: MessageEvent<string>) => {
      setWatching({ view: JSON.parse(data) as LiveView, status: 'watching' })
    })
    source.addEventListener('error', () => {
      // A browser tries again by itself, unless the answer was none at all.
      const isOver = source.readyState === EventSource.CLOSED
      setWatching(({ view }) => ({ view, status: view === null && isOver ? 'nobody' : 'lost' }))
    })
    return () => source.close()
  }, [])
  return watching
}

/** Null, or why it failed. */
export async function order(id: string, deed: string): Promise<string | null> {
  const answer = await fetch(`act${window.location.search}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id, deed }),
  })
  return answer.ok ? null : (await answer.text()).trim()
}

/** The parts of a recording so far; throws with what the server says if there are none. */
export async function recordingSoFar(name: string): Promise<readonly string[]> {
  const query = new URLSearchParams(window.location.search)
  query.set('name', name)
  const answer = await fetch(`recording?${query.toString()}`)
  if (!answer.ok) throw new Error((await answer.text()).trim())
  return (await answer.json()) as readonly string[]
}
