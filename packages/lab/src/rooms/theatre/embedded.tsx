import { useEffect, useRef } from 'react'
import type { Timeline } from '../../run/timeline.ts'
import { controllerOf, readOrder, type Told } from './embed-orders.ts'
import './embedded.css'
import { sentenceOf } from '../../run/event-sentences.ts'
import type { Playback } from './use-playback.ts'

/** The link out of a frame; and what the page around it says and hears, if the address names its origin. */
export default function Embedded({ run, playback }: { run: Timeline; playback: Playback }) {
  const told = toldOf(run, playback)
  const latest = useRef({ playback, told })
  latest.current = { playback, told }
  useEffect(() => {
    const controller = controllerOf(window.location.search)
    if (controller === null || window.parent === window) return undefined
    const hear = ({ source, origin, data }: MessageEvent) => {
      if (source !== window.parent || origin !== controller) return
      const order = readOrder(data)
      if (order === null) return
      const now = latest.current
      if (order.turnwise === 'ask') window.parent.postMessage(now.told, controller)
      else if (order.turnwise === 'seek') now.playback.seek(order.to)
      else if (order.turnwise === 'step') now.playback.step(order.by)
      else if ((order.turnwise === 'play') !== now.playback.isPlaying) now.playback.toggle()
    }
    window.addEventListener('message', hear)
    return () => window.removeEventListener('message', hear)
  }, [])
  useEffect(() => {
    const controller = controllerOf(window.location.search)
    if (controller !== null && window.parent !== window) window.parent.postMessage(told, controller)
  }, [told.position, told.of, told.isPlaying])
  return (
    <p className="embedded-link">
      <a href={`./${window.location.hash}`} target="_blank" rel="noopener">
        Open in turnwise
      </a>
    </p>
  )
}

function toldOf({ happenings }: Timeline, { cursor, isPlaying }: Playback): Told {
  const { position } = cursor
  const last = happenings[position - 1]
  return {
    turnwise: 'moment',
    position,
    of: happenings.length,
    isPlaying,
    sentence: last === undefined ? '' : sentenceOf(last),
  }
}
