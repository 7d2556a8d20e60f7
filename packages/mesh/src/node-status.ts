import type { Runner } from './host/runner.ts'
import type { MeshStatus } from './observe/mesh-status.ts'
import { survivesOf } from './protocol/losses.ts'
import { standing } from './protocol/standing.ts'
import { zonesIn } from './protocol/zones.ts'

/** What a node can say about itself now. */
export function statusOf(runner: Runner, trouble: readonly string[]): MeshStatus {
  const { node, now } = runner
  const { id, begun, deadline, config, names, resting } = node
  const { missing } = standing(node, now)
  return {
    id,
    algorithm: (begun?.settings ?? config.settings).algorithm,
    epoch: begun?.epoch ?? null,
    members: begun?.members.map(({ id }) => id) ?? [],
    zones: begun === null ? {} : Object.fromEntries(zonesIn(begun)),
    voters: begun?.voters.map(({ id }) => id) ?? config.voters,
    place: runner.place,
    missing,
    survives: begun === null || node.meeting !== null ? null : survivesOf(begun, missing),
    trouble,
    leaseLeft: Math.max(0, deadline - now),
    names: names.size + resting.size,
    sent: runner.sent,
  }
}
