/** R11, M6: what a node reports when it is frozen. From then on its holds only shrink. */
import { get } from '@turnwise/core/bounds'
import { askedMode } from './callers.ts'
import { dictionary } from './dictionary.ts'
import { strongest, tableMode } from './modes.ts'
import type { Claim } from './record.ts'
import type { Seat, Turn } from './state.ts'

export function claimsOf(turn: Turn): Readonly<Record<string, readonly Claim[]>> {
  const { node } = turn
  const holds = dictionary<Claim[]>()
  for (const [name, { seats }] of node.holding === 0 ? [] : node.names) {
    const claims = seats.flatMap((seat, i) => claimOf(turn, name, seat, i))
    if (claims.length > 0) holds[name] = claims
  }
  return holds
}

/** What a seat holds: for how many callers is this node's own business. */
function claimOf(turn: Turn, name: string, { holds, instance }: Seat, seat: number): Claim[] {
  if (holds.length === 0) return []
  const held = askedMode(turn, name, { mode: strongest(holds) })
  // Towards the others the node may be more than its callers need, until the instance is told. Then others of its callers may follow them,
  // and the report must say so. It may be less where it is alone in the view.
  const ours = instance?.mode ?? tableMode(turn.node, name, seat) ?? held
  const mode = held === 'exclusive' || ours === 'shared' ? held : ours
  return [{ seat, mode, fence: get(holds, 0).fence }]
}
