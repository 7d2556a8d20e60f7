/**
 * R1: who speaks with whom. Voters send heartbeats to everyone, and everyone to voters; two that do not vote send each other none.
 * Whether one of these lives is for voters to see: they propose (R8), and tell in their heartbeats whom they do not hear.
 */
import { type Id, votersOf } from './record.ts'
import { isLive, type Node, peersOf } from './state.ts'

/** Those of every record that counts here or may soon. Before there is one, those who are configured, or ordered. */
function votersKnown({ begun, installed, durable: { accepted }, order, config }: Node): Set<Id> {
  const rosters = [begun, installed?.record ?? null, accepted].filter((roster) => roster !== null)
  const ids = rosters.flatMap((roster) => votersOf(roster).map(({ id }) => id))
  // Without a view it knows nothing newer for certain.
  return new Set(begun === null ? [...ids, ...config.voters, ...(order?.voters ?? [])] : ids)
}

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

/** Whether one of two is expected to hear the other. */
export function areAcquainted(node: Node, a: Id, b: Id): boolean {
  const voters = votersKnown(node)
  return voters.has(a) || voters.has(b)
}
