/** A process of a simulated world: its clock, and the node that runs in it; of a voter also its disk. */
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
  /** Null while it does not run. */
  node: Node | null
  /** Counts starts: what belongs to an earlier life is not delivered. */
  life: number
  pausedUntil: number
  /** It crashes after so many more effects; null for no crash ahead. */
  effectsLeft: number | null
  /** What is still to be done, behind a write that is under way. */
  outbox: { readonly effect: Effect; readonly event: Event | null }[]
  writing: Durable | null
}

export function newProcess(id: string, rate: number): Process {
  return {
    id,
    rate,
    offset: 0,
    node: null,
    life: 0,
    pausedUntil: 0,
    effectsLeft: null,
    outbox: [],
    writing: null,
  }
}

/** It ends, with what it still had to do. */
export function end(process: Process): void {
  process.node = null
  process.effectsLeft = null
  process.outbox = []
  process.writing = null
}

/** One with a disk. */
export interface Voter extends Process {
  readonly config: Config
  disk: Durable
  disks: number
  /** A copy of the directory, made at some time. */
  copy: Durable | null
  /** For how long the clock of the machine has stood still. */
  stood: number
  /** What the machine remembers of a life (R19), in time of its clock, which goes on between lives. */
  stamp: Stamp | null
  /** Whether this life can write the stamp, and up to when earlier lives may have acknowledged. */
  stamps: boolean
  before: number
}

export interface Stamp {
  readonly k: number
  readonly until: number
}

export function newVoters(plan: Plan, ids: readonly string[]): Voter[] {
  const { algorithm, drift } = plan
  const voters = ids.slice(0, plan.voters)
  const rates = randomStream(plan.seed, 'clocks')
  return ids.map((id, i) => ({
    // The extremes are what matters.
    ...newProcess(
      id,
      1 + drift * (rates.chance(0.7) ? (rates.chance(0.5) ? 1 : -1) : 2 * rates.fraction() - 1),
    ),
    config: {
      peers: ids,
      voters,
      settings: { algorithm, lease: LEASE * (plan.leases[i] ?? 1), drift },
      localTurns: plan.localTurns,
      roundTrip: 4,
      ...(plan.zones > 0 && { spreadsVoters: true }),
    },
    disk: blank(`${id}1`),
    disks: 1,
    copy: null,
    stood: 0,
    stamp: null,
    stamps: false,
    before: 0,
  }))
}

/** It ends; a write that was under way has happened, or not. */
export function endVoter(voter: Voter, hasWritten: boolean): void {
  if (voter.writing !== null && hasWritten) voter.disk = voter.writing
  end(voter)
}

/** Another disk, so another voter. */
export function loseDisk(process: Voter): void {
  process.disks += 1
  process.stamp = null
  process.disk = blank(`${process.id}${process.disks}`)
}
