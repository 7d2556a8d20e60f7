/** R26: an operator's order of a new first view, and what it waits for. */
import { InvalidInput } from '@turnwise/core/invalid-input'
import type { Journal } from '../observe/journal.ts'
import { farthestEpoch } from '../protocol/epochs.ts'
import { debtFor, type Id } from '../protocol/record.ts'
import { whyNoGenesis } from '../protocol/standing.ts'
import { type Node, peersOf } from '../protocol/state.ts'
import { requireId } from '../transport/node-id.ts'
import type { Runner } from './runner.ts'

/** An operator's order of a new first view (R26), for a mesh that has lost a majority of its disks for good. */
export interface Genesis {
  /** Higher than every epoch that the mesh ever used. If you do not know them, use 2^35 plus the seconds since 1970. */
  readonly epoch: number
  /** All of them must be running. Default: the configured voters. */
  readonly voters?: readonly Id[]
}

/** Whether its disk knows no view. */
export function isBlank({ durable }: Node): boolean {
  return durable.accepted === null
}

/** Waits as long as a lease may run, and listens for a majority. While one answers, the order is refused. */
export async function orderGenesis(
  runner: Runner,
  { epoch, voters, wasBlank }: Genesis & { readonly wasBlank: boolean },
  journal: Journal,
  tick: () => Promise<void>,
): Promise<void> {
  const { node } = runner
  const { config, durable, started } = node
  const last = farthestEpoch(node)
  if (!Number.isInteger(epoch) || epoch < 1 || epoch > last)
    throw new InvalidInput(`genesis epoch ${String(epoch)} is not a whole number from 1 to ${last}`)
  const wanted = voters ?? config.voters
  const known = peersOf(node)
  const stranger = [...wanted].map(requireId).find((id) => !known.includes(id))
  if (wanted.length === 0 || stranger !== undefined)
    throw new InvalidInput(`genesis voter "${stranger ?? ''}" is not among the peers ${known.join(', ')}`)
  const { lease: leaseMs, drift: driftFraction } = config.settings
  const until = started + debtFor(Math.max(leaseMs, durable.longest), driftFraction)
  while (runner.now < until && runner.now >= node.deadline) await tick()
  // If all disks are new, a first view may have begun without the order, from this epoch on.
  if (wasBlank && (node.begun?.epoch ?? 0) >= epoch) return
  const why = whyNoGenesis(node, runner.now, epoch)
  if (why !== null) throw new InvalidInput(`node ${node.id} refuses a new first view: ${why}`)
  journal.ordered(epoch, wanted)
  runner.dispatch({ kind: 'genesis', voters: wanted, firstEpoch: epoch })
}
