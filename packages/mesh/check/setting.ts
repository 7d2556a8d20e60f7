/** What bounds mean for the nodes: their configuration, the lock they ask for, and what a world asks of each of them. */

import type { Id } from '../src/protocol/record.ts'
import type { Config } from '../src/protocol/state.ts'
import { home } from '../src/protocol/view-worlds.ts'
import type { Bounds } from './bounds.ts'
import { needsLease, type Process, sharedConfig } from './process.ts'

/** What a world asks of a process again and again. */
export interface Traits {
  readonly isValid: boolean
  readonly holds: boolean
  readonly promised: number
  /** Of the lease that may still matter: a small number for the session, 0 for none. */
  readonly lease: number
}

export function configOf(id: Id, { nodes, voters, firstStart, lease, leases, drift }: Bounds): Config {
  const settings = { algorithm: 'central-coordinator', lease: leases[id] ?? lease, drift }
  const word = firstStart ? { firstStart: voters } : {}
  return sharedConfig({ peers: nodes, voters, settings, roundTrip: 0, ...word })
}

export function traitsOf(process: Process, bounds: Bounds): Traits {
  const { node } = process
  const holds = node.holding > 0
  const { voterId, k } = node.durable
  return {
    holds,
    isValid: holds && node.deadline > 0,
    promised: node.durable.promised.epoch,
    lease: needsLease(process, bounds) ? 8 * Number(voterId.slice(-1)) + k : 0,
  }
}

export function leaseKey(id: Id, lease: number): string {
  return `${id}${Math.floor(lease / 8)}.${lease % 8}`
}

/** A name whose home is the first of `homes` that is in the view. */
export function lockWithHomes(homes: readonly Id[]): string {
  const subsets = homes.flatMap((first, i) => homes.slice(i + 1).map((other) => [first, other]))
  for (let i = 0; ; i += 1) {
    const name = `L${i}`
    if (subsets.every((pair) => home(name, pair) === pair[0])) return name
  }
}
