import type { NodeId } from '@turnwise/core/algorithm'
import type { TraceEvent } from '@turnwise/core/trace/trace'
import type { StateChange } from './play.ts'
import { sharedCopy } from './shared-copy.ts'

/** The states that a record tells itself, event by event; null if it tells none. */
export function toldStates(events: readonly TraceEvent[]): StateChange[] | null {
  const changes: StateChange[] = []
  const known = new Map<NodeId, object>()
  const keep = (event: number, node: NodeId, state: object | null) => {
    if (state === null ? !known.has(node) : state === known.get(node)) return
    if (state === null) known.delete(node)
    else known.set(node, state)
    changes.push({ event, node, state })
  }
  let isTold = false
  events.forEach((event, index) => {
    const node = event.is === 'send' ? event.from : 'node' in event ? event.node : null
    if (node === null) return
    isTold ||= event.state !== undefined
    if (event.view !== undefined) keep(index, node, sharedCopy(known.get(node), event.state ?? {}))
    else if (event.state === null || ENDS.has(event.is)) keep(index, node, null)
    // The record has told no state of this node yet, so a change alone says too little.
    else if (event.state !== undefined && known.has(node))
      keep(index, node, sharedCopy(known.get(node), { ...known.get(node), ...event.state }))
  })
  return isTold ? changes : null
}

/** From here on nothing is known of a node, until it tells all its variables again. */
const ENDS: ReadonlySet<TraceEvent['is']> = new Set(['join', 'gone', 'unseen'])
