/**
 * R1: who speaks with whom. Voters send heartbeats to everyone, and everyone to voters; two that do not vote send each other none.
 * Whether one of these lives is for voters to see: they propose (R8), and tell in their heartbeats whom they do not hear.
 */
import { type Id, votersOf } from './record.ts'
import { isFrozen, isLive, type Node, peersOf } from './state.ts'

/** Those of every record that counts here or may soon. Before there is one, those who are configured, or ordered. */
function votersKnown(node: Node): ReadonlySet<Id> {
  const { begun, installed, durable, order, config } = node
  const from = [begun, installed?.record, durable.accepted, order?.voters, config.voters]
  const before = known.get(node)
  // Asked for every peer, and by some rules for every pair of them.
  if (before?.from.every((each, i) => each === from[i])) return before.voters
  const rosters = [begun, installed?.record ?? null, durable.accepted].filter((roster) => roster !== null)
  const ids = rosters.flatMap((roster) => votersOf(roster).map(({ id }) => id))
  // Without a view it knows nothing newer for certain.
  const voters = new Set(begun === null ? [...ids, ...config.voters, ...(order?.voters ?? [])] : ids)
  known.set(node, { from, voters })
  return voters
}

/** The last answer for each node, and what it was made from: records and lists are replaced, never changed. */
const known = new WeakMap<Node, { readonly from: readonly unknown[]; readonly voters: ReadonlySet<Id> }>()

/** Whose heartbeats this node expects. */
export function expected(node: Node): readonly Id[] {
  const voters = votersKnown(node)
  const peers = peersOf(node)
  return voters.has(node.id) ? peers : peers.filter((id) => id === node.id || voters.has(id))
}

/** To whom this node sends its own. Without a view also to whoever speaks to it: voters may be others than it was told. */
export function partners(node: Node, now: number): readonly Id[] {
  const ids = expected(node)
  if (node.begun !== null) return ids
  return [...new Set([...ids, ...Object.keys(node.heard).filter((id) => isLive(node, id, now))])]
}

/**
 * Whether this voter speaks to it only by answers: one that does not vote, is heard, and works in the same view. Its own heartbeats ask
 * for the answers, as often as it needs them.
 */
export function isAttended(node: Node, id: Id, now: number): boolean {
  if (isFrozen(node) || node.heard[id]?.begun !== node.begun?.epoch || !isLive(node, id, now)) return false
  const voters = votersKnown(node)
  return voters.has(node.id) && !voters.has(id)
}

/** Whether nobody holds or waits for anything at this node, in a view that works. */
export function isAtRest(node: Node): boolean {
  if (isFrozen(node) || node.holding > 0) return false
  for (const { waiting } of node.names.values()) if (waiting.length > 0) return false
  return true
}

/** How many ticks there are from one heartbeat to the next. */
export function ticksBetween(node: Node): number {
  return isAtRest(node) && !votersKnown(node).has(node.id) ? AT_REST : AWAKE
}

const AWAKE = 2
const AT_REST = 5

/**
 * How long a peer may be silent before it is suspected. For one with a longer lease than this node's it is as much longer: it speaks as
 * much less often. A pair in which one does not vote may rest, and is silent for half of a lease then.
 */
export function patienceWith(node: Node, peer: Id, lease: number): number {
  const voters = votersKnown(node)
  const share = voters.has(node.id) && voters.has(peer) ? OF_VOTERS : OF_OTHERS
  return share * Math.max(node.config.settings.lease, lease)
}

/** Of a lease. Below one, so that nobody waits for a suspicion when the lease of one that died is over. */
const OF_VOTERS = 0.5
const OF_OTHERS = 0.75

/** Whether one of two is expected to hear the other. */
export function areAcquainted(node: Node, a: Id, b: Id): boolean {
  const voters = votersKnown(node)
  return voters.has(a) || voters.has(b)
}
