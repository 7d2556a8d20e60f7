/** R11, M6: the report of a node when it freezes. From then on its holds only shrink. */
import { get } from '@turnwise/core/bounds'
import { dictionary } from './dictionary.ts'
import type { Claim } from './record.ts'
import { strongest, tableMode } from './seat-modes.ts'
import { askedMode } from './seats.ts'
import type { Handling, Seat } from './state.ts'

export function claimsOf(handling: Handling): Readonly<Record<string, readonly Claim[]>> {
  const { node } = handling
  const holds = dictionary<Claim[]>()
  for (const [name, { seats }] of node.holding === 0 ? [] : node.names) {
    const claims = seats.flatMap((seat, i) => claimOf(handling, name, seat, i))
    if (claims.length > 0) holds[name] = claims
  }
  return holds
}

/** What a seat holds. The number of its callers concerns only this node. */
function claimOf(handling: Handling, name: string, { holds, instance }: Seat, seat: number): Claim[] {
  if (holds.length === 0) return []
  const held = askedMode(handling, name, { mode: strongest(holds) })
  // Until the instance is told, the node may hold more towards the others than its callers need. Other callers of this node may
  // then still follow under that mode, so the report names it. A node that is alone in the view may hold less.
  const ours = instance?.mode ?? tableMode(handling.node, name, seat) ?? held
  const mode = held === 'exclusive' || ours === 'shared' ? held : ours
  const { fence, resources } = get(holds, 0)
  return [resources === undefined ? { seat, mode, fence } : { seat, mode, fence, resources }]
}
