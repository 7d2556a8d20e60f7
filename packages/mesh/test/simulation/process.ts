/** A process of a simulated world: its clock, its disk, and the node that runs in it. */
import { randomStream } from '@turnwise/core/random'
import type { Effect, Event } from '../../src/protocol/events.ts'
import { blank, type Durable } from '../../src/protocol/record.ts'
import type { Config, Node } from '../../src/protocol/state.ts'
import { LEASE, type Plan } from './plan.ts'
import '../../check/texts.ts'

export interface Process {
  readonly id: string
  readonly rate: number
  offset: number
  disk: Durable
  /** Null while it does not run. */
  node: Node | null
  /** Counts starts: what belongs to an earlier life is not delivered. */
  life: number
  pausedUntil: number
  /** It crashes after so many more effects; null for no crash ahead. */
  effectsLeft: number | null
  disks: number
  readonly config: Config
  /** What is still to be done, behind a write that is under way. */
  outbox: { readonly effect: Effect; readonly event: Event | null }[]
  writing: Durable | null
  /** A copy of the directory, made at some time. */
  copy: Durable | null
}

export function newProcesses(plan: Plan, ids: readonly string[]): Process[] {
  const { algorithm, drift } = plan
  const voters = ids.slice(0, plan.voters)
  const rates = randomStream(plan.seed, 'clocks')
  return ids.map((id, i) => ({
    id,
    // The extremes are what matters.
    rate: 1 + drift * (rates.chance(0.7) ? (rates.chance(0.5) ? 1 : -1) : 2 * rates.fraction() - 1),
    offset: 0,
    disk: blank(`${id}1`),
    node: null,
    life: 0,
    pausedUntil: 0,
    effectsLeft: null,
    disks: 1,
    config: {
      peers: ids,
      voters,
      settings: { algorithm, lease: LEASE * (plan.leases[i] ?? 1), drift },
      localTurns: 16,
      roundTrip: 4,
    },
    outbox: [],
    writing: null,
    copy: null,
  }))
}

/** It ends; a write that was under way has happened, or not. */
export function end(process: Process, hasWritten: boolean): void {
  if (process.writing !== null && hasWritten) process.disk = process.writing
  process.node = null
  process.effectsLeft = null
  process.outbox = []
  process.writing = null
}

/** Another disk, so another voter. */
export function loseDisk(process: Process): void {
  process.disks += 1
  process.disk = blank(`${process.id}${process.disks}`)
}
