import { get } from '@turnwise/core/bounds'
import type { Recording } from './recording.ts'

/** The happenings that a happening depends on, and those that depend on it, as their numbers from 0. */
export interface Cones {
  readonly past: ReadonlySet<number>
  readonly future: ReadonlySet<number>
}

/**
 * Lamport's "happened before": along a node's own lane, and from a sending to what it caused where it arrived. Both cones
 * are found in one walk each; a happening of the network (a loss) has no lane and ends its message's way.
 */
export function conesOf(recording: Recording, of: number): Cones {
  const { happenings } = recording
  const sentBy = sendersOf(recording)
  const future = new Set<number>([of])
  const lanes = new Set<number>()
  const start = get(happenings, of)
  if (start.node !== null) lanes.add(start.node)
  for (let i = of + 1; i < happenings.length; i += 1) {
    const { node, transit } = get(happenings, i)
    const sender = transit === null ? undefined : sentBy.get(transit.id)
    const isCaused = sender !== undefined && sender !== i && future.has(sender)
    if (!(isCaused || (node !== null && lanes.has(node)))) continue
    future.add(i)
    if (node !== null) lanes.add(node)
  }
  const past = new Set<number>([of])
  const owed = new Set<number>()
  const before = new Set<number>()
  const depend = (i: number) => {
    const { node, transit } = get(happenings, i)
    if (node !== null) before.add(node)
    const sender = transit === null ? undefined : sentBy.get(transit.id)
    if (sender !== undefined && sender !== i) owed.add(sender)
  }
  depend(of)
  for (let i = of - 1; i >= 0; i -= 1) {
    const { node } = get(happenings, i)
    if (!(owed.has(i) || (node !== null && before.has(node)))) continue
    past.add(i)
    depend(i)
  }
  past.delete(of)
  future.delete(of)
  return { past, future }
}

/** Asked again with every event that is pointed at. */
const known = new WeakMap<Recording, ReadonlyMap<number, number>>()

/** For each message the happening by which it was sent. */
function sendersOf(recording: Recording): ReadonlyMap<number, number> {
  const before = known.get(recording)
  if (before !== undefined) return before
  const sentBy = new Map<number, number>()
  for (const { id, since, isCopy } of recording.letters) if (!isCopy) sentBy.set(id, since - 1)
  known.set(recording, sentBy)
  return sentBy
}
