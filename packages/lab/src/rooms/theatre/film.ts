/** Records a run as a film: every moment is painted on a canvas, at the speed of the theatre, and the browser encodes it. */

import type { Timeline } from '../../run/timeline.ts'
import type { Painter } from './film-painter.ts'
import { advance, type Cursor, durationAt, timeOf } from './playback.ts'
import { withDuration } from './webm-duration.ts'

const TYPES = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm']
const FRAMES_PER_SECOND = 25
const BITS_PER_SECOND = 4_000_000
/** In milliseconds: for so long the last moment is seen. */
const REST = 1500
/** In milliseconds: for so long the last moment is painted again while a busy machine has encoded nothing. A recorder that is stopped then has an empty file. */
const PATIENCE = 60_000

/** The form that this browser records; null if it records no WebM. */
export function filmType(): string | null {
  if (typeof MediaRecorder === 'undefined') return null
  return TYPES.find((type) => MediaRecorder.isTypeSupported(type)) ?? null
}

/** The steps that a film shows, by their positions. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** How long the film of these steps is, in milliseconds. */
export function filmLength(timeline: Timeline, { from, to }: Range, speed: number): number {
  let length = REST
  for (let i = from; i < to; i += 1) length += durationAt(timeline, i, speed)
  return length
}

export interface Filming {
  /** The steps of a run, or of two together, and what paints them. */
  readonly timeline: Timeline
  readonly painter: Painter
  readonly range: Range
  readonly speed: number
  readonly type: string
  /** How much of it is recorded, from 0 to 1. */
  readonly told: (share: number) => void
  /** Ends the film early: `keep` has what was recorded saved. */
  readonly ends: { isAsked: 'keep' | 'discard' | null }
}

/** The file, or null if it was discarded. It takes as long as the film is. */
export async function film({
  timeline,
  painter,
  range,
  speed,
  type,
  told,
  ends,
}: Filming): Promise<Blob | null> {
  const { canvas, paint } = painter
  const beginning: Cursor = { position: range.from, share: 0 }
  await paint(beginning, timeOf(timeline, beginning))
  const recorder = new MediaRecorder(canvas.captureStream(FRAMES_PER_SECOND), {
    mimeType: type,
    videoBitsPerSecond: BITS_PER_SECOND,
  })
  const pieces: Blob[] = []
  recorder.addEventListener('dataavailable', ({ data }) => pieces.push(data))
  const stopped = new Promise<void>((resolve, reject) => {
    recorder.addEventListener('stop', () => resolve())
    recorder.addEventListener('error', () => reject(new Error('the browser could not encode the film')))
  })
  recorder.start(1000)
  const began = performance.now()
  try {
    await playAll()
  } finally {
    if (recorder.state !== 'inactive') recorder.stop()
  }
  const length = performance.now() - began
  await stopped
  if (ends.isAsked === 'discard') return null
  const file = new Uint8Array(await new Blob(pieces).arrayBuffer())
  if (file.length === 0) throw new Error('the browser has encoded no picture')
  return new Blob([withDuration(file, length)], { type: 'video/webm' })

  async function playAll(): Promise<void> {
    const whole = filmLength(timeline, range, speed)
    let cursor = beginning
    let before = began
    let overAt: number | null = null
    while (ends.isAsked === null) {
      const now = performance.now()
      cursor = within(advance(timeline, cursor, now - before, speed), range)
      before = now
      await paint(cursor, timeOf(timeline, cursor))
      told(Math.min(1, (now - began) / whole))
      if (cursor.position >= range.to) overAt ??= now
      const rest = pieces.some(({ size }) => size > 0) ? REST : PATIENCE
      if (overAt !== null && now - overAt >= rest) return
      await pause(1000 / FRAMES_PER_SECOND - (performance.now() - now))
    }
  }
}

function within(cursor: Cursor, { to }: Range): Cursor {
  return cursor.position < to ? cursor : { position: to, share: 0 }
}

/** Not by frames of the window: a page that is not looked at has none. */
function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, Math.max(0, milliseconds))
  })
}
