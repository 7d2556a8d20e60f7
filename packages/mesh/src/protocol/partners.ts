/**
 * R1: who sends heartbeats to whom. Voters send them to all nodes, and all nodes send them to voters. Two nodes that do not vote
 * send each other none. Voters watch whether these are alive: voters propose (R8), and their heartbeats name the nodes that they
 * do not hear.
 */
import { type Id, votersOf } from './record.ts'
import { isFrozen, isLive, type Node, peersOf } from './state.ts'

/** The voters of every record that counts here or may soon. Without a view, also the configured and the ordered ones. */
function votersKnown(node: Node): ReadonlySet<Id> {
  const { begun, installed, durable, order, config } = node
  const from = [begun, installed?.record, durable.accepted, order?.voters, config.voters]
  const before = known.get(node)
  // Cached, because it is asked for every peer, and by some rules for every pair of peers.
  if (before?.from.every((each, i) => each === from[i])) return before.voters
  const rosters = [begun, installed?.record ?? null, durable.accepted].filter((roster) => roster !== null)
  const ids = rosters.flatMap((roster) => votersOf(roster).map(({ id }) => id))
  // Without a view the node knows nothing newer for certain.
  const voters = new Set(begun === null ? [...ids, ...config.voters, ...(order?.voters ?? [])] : ids)
  known.set(node, { from, voters })
  return voters
}

/** The last answer for each node, and its inputs. Records and lists are replaced, never changed. */
const known = new WeakMap<Node, { readonly from: readonly unknown[]; readonly voters: ReadonlySet<Id> }>()

/** The nodes whose heartbeats this node expects. */
export function expected(node: Node): readonly Id[] {
  const voters = votersKnown(node)
  const peers = peersOf(node)
  return voters.has(node.id) ? peers : peers.filter((id) => id === node.id || voters.has(id))
}

/**
 * The nodes that get this node's heartbeats. Without a view also all that it hears, because the voters may not be the configured
 * ones.
 */
export function partners(node: Node, now: number): readonly Id[] {
  const ids = expected(node)
  if (node.begun !== null) return ids
  return [...new Set([...ids, ...Object.keys(node.heard).filter((id) => isLive(node, id, now))])]
}

/**
 * Whether this voter sends heartbeats to the peer only as answers. Such a peer does not vote, is heard, and works in the same
 * view. Its own heartbeats ask for the answers, as often as it needs them.
 */
export function isAttended(node: Node, id: Id, now: number): boolean {
  if (isFrozen(node) || node.heard[id]?.begun !== node.begun?.epoch || !isLive(node, id, now)) return false
  const voters = votersKnown(node)
  return voters.has(node.id) && !voters.has(id)
}

/** Whether no caller of this node holds or waits, in a view that works. */
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
 * How long a peer may be silent before it is suspected. A peer with a longer lease speaks less often, so its lease counts if it
 * is the longer one. If one of the two does not vote, they may be silent for half of a lease, so they wait longer.
 */
export function patienceWith(node: Node, peer: Id, leaseMs: number): number {
  const voters = votersKnown(node)
  const share = voters.has(node.id) && voters.has(peer) ? OF_VOTERS : OF_OTHERS
  return share * Math.max(node.config.settings.lease, leaseMs)
}

/** As a share of a lease. Below 1, so that a suspicion comes before the lease of a node that died is over. */
const OF_VOTERS = 0.5
const OF_OTHERS = 0.75

/** Whether one of the two is expected to hear the other. */
export function areAcquainted(node: Node, a: Id, b: Id): boolean {
  const voters = votersKnown(node)
  return voters.has(a) || voters.has(b)
}
