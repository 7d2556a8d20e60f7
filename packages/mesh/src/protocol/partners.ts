/**
 * R1: who sends heartbeats to whom. Voters send them to all nodes, and all nodes send them to voters. Two nodes that do not vote
 * send each other none. Voters watch whether these are alive: voters propose (R8), and their heartbeats name the nodes that they
 * do not hear.
 */
import { derived } from './derived.ts'
import { type Id, type Roster, votersOf } from './record.ts'
import { isFrozen, isLive, type Node, peersOf } from './state.ts'

/** Who votes, and what that follows from. */
export interface Electorate {
  readonly begun: Roster | null
  readonly installed: Roster | null
  readonly accepted: Roster | null
  readonly configured: readonly Id[]
  readonly ordered: readonly Id[]
  readonly ids: ReadonlySet<Id>
}

const NOBODY: readonly Id[] = []

/** Whether it votes in a record that counts here or may soon. Without a view, also whether it is configured or ordered to. */
function isVoter(node: Node, id: Id): boolean {
  const { begun, durable, config, order } = node
  const { accepted } = durable
  const installed = node.installed?.record ?? null
  // Without a view the node knows nothing newer for certain.
  const configured = begun === null ? config.voters : NOBODY
  const ordered = begun === null ? (order?.voters ?? NOBODY) : NOBODY
  const known = derived(node)
  const last = known.electorate
  // Every heartbeat asks, for each peer.
  if (
    last?.begun === begun &&
    last.installed === installed &&
    last.accepted === accepted &&
    last.configured === configured &&
    last.ordered === ordered
  )
    return last.ids.has(id)
  const rosters = [begun, installed, accepted].filter((roster) => roster !== null)
  const ids = new Set([...rosters.flatMap(votersOf).map((voter) => voter.id), ...configured, ...ordered])
  known.electorate = { begun, installed, accepted, configured, ordered, ids }
  return ids.has(id)
}

/** The nodes whose heartbeats this node expects. */
export function expected(node: Node): readonly Id[] {
  const peers = peersOf(node)
  return isVoter(node, node.id) ? peers : peers.filter((id) => id === node.id || isVoter(node, id))
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
  return isVoter(node, node.id) && !isVoter(node, id)
}

/** Whether no caller of this node holds or waits, in a view that works. */
export function isAtRest(node: Node): boolean {
  if (isFrozen(node) || node.holding > 0) return false
  for (const { waiting } of node.names.values()) if (waiting.length > 0) return false
  return true
}

/** How many ticks there are from one heartbeat to the next. */
export function ticksBetween(node: Node): number {
  return isAtRest(node) && !isVoter(node, node.id) ? AT_REST : AWAKE
}

const AWAKE = 2
const AT_REST = 5

/**
 * How long a peer may be silent before it is suspected. A peer with a longer lease speaks less often, so its lease counts if it
 * is the longer one. If one of the two does not vote, they may be silent for half of a lease, so they wait longer.
 */
export function patienceWith(node: Node, peer: Id, leaseMs: number): number {
  const share = isVoter(node, node.id) && isVoter(node, peer) ? OF_VOTERS : OF_OTHERS
  return share * Math.max(node.config.settings.lease, leaseMs)
}

/** As a share of a lease. Below 1, so that a suspicion comes before the lease of a node that died is over. */
const OF_VOTERS = 0.5
const OF_OTHERS = 0.75

/** Whether one of the two is expected to hear the other. */
export function areAcquainted(node: Node, a: Id, b: Id): boolean {
  return isVoter(node, a) || isVoter(node, b)
}
