/**
 * The longest lease, which R19 owes after a restart, and when it may be forgotten. The value on disk is never below the lease of an
 * ack whose debt still runs:
 *  - an ack for a longer lease leaves only when that lease is on disk (`acknowledge`);
 *  - the value is lowered to what is in use when nothing longer has been acknowledged for the longest possible debt. Then every debt
 *    above it is over.
 * In use are the leases of members that are heard. The lease thread acknowledges only these, so it never acknowledges a longer one.
 * If an operator corrects a lease that was too long, the long one is forgotten some time after the member came back.
 */
import { rules } from './rules.ts'
import { type Handling, type Node, persist } from './state.ts'

/** Runs when a heartbeat is acknowledged, and on the tick. */
export function watchLeases({ node, now }: Handling): void {
  const { durable, config, heard } = node
  node.inUse = Math.max(config.settings.lease, durable.accepted?.settings.lease ?? 0)
  for (const { id } of durable.accepted?.members ?? [])
    node.inUse = Math.max(node.inUse, heard[id]?.lease ?? 0)
  if (durable.longest <= node.inUse) node.fadingSince = null
  else node.fadingSince ??= now
}

/** On the tick. */
export function fade(handling: Handling): void {
  const { node, now } = handling
  watchLeases(handling)
  if (node.fadingSince === null) return
  const { lease: leaseMs } = node.config.settings
  // One lease more than is owed: the lease thread learns of the leases in use a little later than this thread.
  const debt = rules.debt(node.durable.longest, driftOf(node)) + leaseMs
  if (!rules.mayFade(now - node.fadingSince, debt)) return
  node.fadingSince = null
  persist(handling, { longest: node.inUse })
}

/** The larger of this node's own and that of its record, because nodes may be set differently. */
export function driftOf({ durable: { accepted }, config: { settings } }: Node): number {
  return Math.max(settings.drift, accepted?.settings.drift ?? 0)
}
