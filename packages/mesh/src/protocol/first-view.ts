/** R21: who takes part in a first view, where nodes may have been told different voters. */
import type { Id } from './record.ts'
import { rules } from './rules.ts'
import { type Handling, lastView } from './state.ts'

/**
 * Whether this node ignores a ballot that can only end in a first view: neither it nor the proposer has a record. Voters without a
 * node in common could make two. An operator's order stands above this (R26).
 */
export function standsAside({ node, now }: Handling, proposer: Id): boolean {
  if (lastView(node) !== null || node.order?.overrides) return false
  const heard = proposer === node.id ? undefined : node.heard[proposer]
  const hasRecord = heard !== undefined && (heard.accepted !== null || heard.begun !== null)
  return !hasRecord && (rules.isContested(node) || rules.mayBeContested(node, now))
}
