/** The metrics of one node at one moment, with their names: the one list behind Prometheus, OpenTelemetry and docs/observe.md. */

import { countIn, type HistogramReading } from './histogram.ts'
import type { MeshStatus } from './mesh-status.ts'
import { FAILURES, LOSSES, type Meters, type PrefixMeter } from './meters.ts'

/** The counts of this node's callers for names of one prefix. */
export interface PrefixMetrics {
  /** Locks, semaphores, groups or elections. */
  readonly kind: 'lock' | 'semaphore' | 'group' | 'election'
  /** The names up to the first ':' or '/'; `other` for those beyond the first 64 prefixes. */
  readonly prefix: string
  /** Requests that got the lock. */
  readonly turns: number
  /** How long they waited. */
  readonly wait: HistogramReading
  /** How long they were inside. */
  readonly hold: HistogramReading
  /** Callers that hold a lock at this moment. */
  readonly held: number
  /** Callers that wait at this moment. */
  readonly waiting: number
  /** Requests that failed, by reason. */
  readonly failures: PrefixMeter['failures']
  /** Locks lost before their release: lapsed with the lease, or stolen. */
  readonly losses: PrefixMeter['losses']
}

/** The counts of a node since it joined, and its current state. */
export interface MeshMetrics {
  /** The counts of its callers, by prefix of the name. */
  readonly prefixes: readonly PrefixMetrics[]
  /** The current state of the node. */
  readonly status: MeshStatus
  /** Views that began here. */
  readonly views: number
  /** How much of the lease was left each time it was renewed. */
  readonly leaseMargin: HistogramReading
  /** How often the lease ended before it was renewed. */
  readonly leaseLosses: number
  /** How often the clock jumped, as after a sleep of the machine. */
  readonly clockJumps: number
  /** Connections that were refused, by this node or by a peer. */
  readonly peerRefusals: number
}

/** Callers at this moment, by key. */
export interface Present {
  readonly held: Iterable<string>
  readonly waiting: Iterable<string>
}

export function metricsOf(meters: Meters, present: Present, status: MeshStatus): MeshMetrics {
  const held = countedBy(meters, present.held)
  const waiting = countedBy(meters, present.waiting)
  const { views, leaseLosses, clockJumps, peerRefusals } = meters
  const prefixes = meters.all.map((meter): PrefixMetrics => {
    const wait = meter.wait.read()
    return {
      kind: meter.kind,
      prefix: meter.prefix,
      turns: countIn(wait),
      wait,
      hold: meter.hold.read(),
      held: held.get(meter) ?? 0,
      waiting: waiting.get(meter) ?? 0,
      failures: { ...meter.failures },
      losses: { ...meter.losses },
    }
  })
  const leaseMargin = meters.leaseMargin.read()
  return { prefixes, status, views, leaseMargin, leaseLosses, clockJumps, peerRefusals }
}

function countedBy(meters: Meters, keys: Iterable<string>): Map<PrefixMeter, number> {
  const counts = new Map<PrefixMeter, number>()
  for (const key of keys) {
    const meter = meters.of(key)
    counts.set(meter, (counts.get(meter) ?? 0) + 1)
  }
  return counts
}

export interface Sample<Value> {
  readonly labels: Readonly<Record<string, string>>
  readonly value: Value
}

interface Described {
  /** Words that exporters join with '_' or '.'. */
  readonly name: readonly string[]
  readonly help: string
  readonly labels: readonly string[]
  readonly unit: 'seconds' | null
}

export type Metric = Described &
  (
    | {
        readonly type: 'counter' | 'gauge'
        readonly read: (metrics: MeshMetrics) => readonly Sample<number>[]
      }
    | {
        readonly type: 'histogram'
        readonly read: (metrics: MeshMetrics) => readonly Sample<HistogramReading>[]
      }
  )

const OF_PREFIX = ['kind', 'prefix']

function ofPrefixes<Value>(value: (metrics: PrefixMetrics) => Value) {
  return ({ prefixes }: MeshMetrics): readonly Sample<Value>[] =>
    prefixes.map((each) => ({ labels: { kind: each.kind, prefix: each.prefix }, value: value(each) }))
}

function byReason(reasons: readonly string[], value: (metrics: PrefixMetrics, reason: string) => number) {
  return ({ prefixes }: MeshMetrics): readonly Sample<number>[] =>
    prefixes.flatMap((each) =>
      reasons.map((reason) => ({
        labels: { kind: each.kind, prefix: each.prefix, reason },
        value: value(each, reason),
      })),
    )
}

function ofNode<Value>(value: (metrics: MeshMetrics) => Value) {
  return (metrics: MeshMetrics): readonly Sample<Value>[] => [{ labels: {}, value: value(metrics) }]
}

export const METRICS: readonly Metric[] = [
  {
    name: ['turns'],
    type: 'counter',
    unit: null,
    labels: OF_PREFIX,
    help: 'Requests of this node that got the lock.',
    read: ofPrefixes(({ turns }) => turns),
  },
  {
    name: ['wait'],
    type: 'histogram',
    unit: 'seconds',
    labels: OF_PREFIX,
    help: 'From the request to the grant; 0 if this node could grant it at once.',
    read: ofPrefixes(({ wait }) => wait),
  },
  {
    name: ['hold'],
    type: 'histogram',
    unit: 'seconds',
    labels: OF_PREFIX,
    help: 'From the grant to the release or the loss.',
    read: ofPrefixes(({ hold }) => hold),
  },
  {
    name: ['held'],
    type: 'gauge',
    unit: null,
    labels: OF_PREFIX,
    help: 'Callers of this node that hold a lock.',
    read: ofPrefixes(({ held }) => held),
  },
  {
    name: ['waiting'],
    type: 'gauge',
    unit: null,
    labels: OF_PREFIX,
    help: 'Callers of this node that wait: the length of its queues.',
    read: ofPrefixes(({ waiting }) => waiting),
  },
  {
    name: ['request', 'failures'],
    type: 'counter',
    unit: null,
    labels: [...OF_PREFIX, 'reason'],
    help: `Requests that ended without the lock, by reason: ${FAILURES.join(', ')}.`,
    read: byReason(FAILURES, ({ failures }, reason) => failures[reason as keyof typeof failures]),
  },
  {
    name: ['lock', 'losses'],
    type: 'counter',
    unit: null,
    labels: [...OF_PREFIX, 'reason'],
    help: 'Locks lost before their release: lapsed with the lease, or stolen by another caller.',
    read: byReason(LOSSES, ({ losses }, reason) => losses[reason as keyof typeof losses]),
  },
  {
    name: ['messages', 'sent'],
    type: 'counter',
    unit: null,
    labels: [],
    help: 'Lock messages that this node has sent, repeated ones included; no heartbeats.',
    read: ofNode(({ status }) => status.sent),
  },
  {
    name: ['names'],
    type: 'gauge',
    unit: null,
    labels: [],
    help: 'Names that this node remembers.',
    read: ofNode(({ status }) => status.names),
  },
  {
    name: ['views'],
    type: 'counter',
    unit: null,
    labels: [],
    help: 'Views that this node has begun.',
    read: ofNode(({ views }) => views),
  },
  {
    name: ['view', 'epoch'],
    type: 'gauge',
    unit: null,
    labels: [],
    help: 'The epoch of the view; 0 without one.',
    read: ofNode(({ status }) => status.epoch ?? 0),
  },
  {
    name: ['view', 'members'],
    type: 'gauge',
    unit: null,
    labels: [],
    help: 'Members of the view; 0 without one.',
    read: ofNode(({ status }) => status.members.length),
  },
  {
    name: ['voters', 'missing'],
    type: 'gauge',
    unit: null,
    labels: [],
    help: 'Voters that this node does not hear.',
    read: ofNode(({ status }) => status.missing.length),
  },
  {
    name: ['place', 'silent'],
    type: 'gauge',
    unit: 'seconds',
    labels: [],
    help: 'Time since the meeting place last answered; 0 while it answers, and without one.',
    read: ofNode(({ status }) => (status.place?.silentFor ?? 0) / 1000),
  },
  {
    name: ['lease', 'left'],
    type: 'gauge',
    unit: 'seconds',
    labels: [],
    help: 'Time left of the lease; 0 without a valid lease.',
    read: ofNode(({ status }) => status.leaseLeft / 1000),
  },
  {
    name: ['lease', 'margin'],
    type: 'histogram',
    unit: 'seconds',
    labels: [],
    help: 'Time left of the lease at each renewal; near 0 the lease is about to be lost.',
    read: ofNode(({ leaseMargin }) => leaseMargin),
  },
  {
    name: ['lease', 'losses'],
    type: 'counter',
    unit: null,
    labels: [],
    help: 'Times that the lease ended before it was renewed.',
    read: ofNode(({ leaseLosses }) => leaseLosses),
  },
  {
    name: ['clock', 'jumps'],
    type: 'counter',
    unit: null,
    labels: [],
    help: 'Times that the machine slept or its clock jumped, which loses all locks.',
    read: ofNode(({ clockJumps }) => clockJumps),
  },
  {
    name: ['peer', 'refusals'],
    type: 'counter',
    unit: null,
    labels: [],
    help: 'Connections that were refused, by this node or by a peer.',
    read: ofNode(({ peerRefusals }) => peerRefusals),
  },
]
