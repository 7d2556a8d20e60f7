/**
 * The longest lease, which R19 owes after a restart, as long as it has to be remembered. On disk is at every moment at least the
 * lease of every ack whose debt still runs:
 *  - an ack of a longer lease leaves when that is on disk (`acknowledge`);
 *  - it is lowered to what is in use when nothing longer has been acknowledged for the longest debt there can be, so every debt
 *    above it is over.
 * In use are the leases of members that are heard. A thread beside this one acknowledges only these, so what it does while nobody
 * looks is no longer either. A lease that was typed wrong is thus forgotten a while after the member came back with the right one.
 */
import { rules } from './rules.ts'
import { type Node, persist, type Turn } from './state.ts'

/** When a heartbeat is acknowledged, and on the tick. */
export function watchLeases({ node, now }: Turn): void {
  const { durable, config, heard } = node
  node.inUse = Math.max(config.settings.lease, durable.accepted?.settings.lease ?? 0)
  for (const { id } of durable.accepted?.members ?? [])
    node.inUse = Math.max(node.inUse, heard[id]?.lease ?? 0)
  if (durable.longest <= node.inUse) node.fadingSince = null
  else node.fadingSince ??= now
}

/** On the tick. */
export function fade(turn: Turn): void {
  const { node, now } = turn
  watchLeases(turn)
  if (node.fadingSince === null) return
  const { lease } = node.config.settings
  // A lease more than is owed: what is in use was told to the other thread some time after it was known here.
  const debt = rules.debt(node.durable.longest, driftOf(node)) + lease
  if (!rules.mayFade(now - node.fadingSince, debt)) return
  node.fadingSince = null
  persist(turn, { longest: node.inUse })
}

/** The larger of its own and that of its record: nodes may be set to different ones. */
export function driftOf({ durable: { accepted }, config: { settings } }: Node): number {
  return Math.max(settings.drift, accepted?.settings.drift ?? 0)
}
