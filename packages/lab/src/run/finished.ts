import { get } from '@turnwise/core/bounds'
import type { Recording } from './recording.ts'

/** Messages and entries up to a position, as far as they belong to requests that are over. */
export interface Finished {
  readonly messages: number
  readonly entries: number
  /** Whether nobody waited or was inside then. If that never was so after an entry, all messages count, also those of requests that still wait. */
  readonly isCalm: boolean
}

type Run = Pick<Recording, 'sent' | 'entered' | 'waits' | 'stays' | 'happenings'>

/** For each position the last one, up to it, at which nobody waited or was inside. When more of a run is there, that is another recording. */
const calms = new WeakMap<Run, readonly number[]>()

function calmsOf(recording: Run): readonly number[] {
  const known = calms.get(recording)
  if (known !== undefined) return known
  const { waits, stays, happenings } = recording
  const changes = Array.from({ length: happenings.length + 1 }, () => 0)
  const change = (position: number, by: number) => {
    if (position < changes.length) changes[position] = get(changes, position) + by
  }
  for (const { from, until } of [...waits, ...stays]) {
    change(from, 1)
    change(until, -1)
  }
  let [busy, last] = [0, 0]
  const found = changes.map((by, position) => {
    busy += by
    if (busy === 0) last = position
    return last
  })
  calms.set(recording, found)
  return found
}

/** No message says for which request it was sent. So those up to the last calm moment are counted: all their requests are over. */
export function finishedAt(recording: Run, position: number): Finished {
  const at = (place: number) => ({
    messages: get(recording.sent, place),
    entries: get(recording.entered, place),
  })
  const calm = get(calmsOf(recording), position)
  return get(recording.entered, calm) > 0 || calm === position
    ? { ...at(calm), isCalm: true }
    : { ...at(position), isCalm: false }
}
