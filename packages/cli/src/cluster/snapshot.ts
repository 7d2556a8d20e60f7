/** What the table shows: how all stands at one moment. */
import type { PlaceStatus } from '@turnwise/mesh/observe/mesh-status'

export type NodeState = 'starting' | 'in view' | 'left out' | 'paused' | 'killed' | 'cut off'

export interface NodeRow {
  readonly id: string
  readonly state: NodeState
  /** In milliseconds, as far as was told. */
  readonly leaseLeft: number
  readonly holds: readonly string[]
  readonly turns: number
  readonly turnsPerSecond: number
  /** Messages of locks, by all processes that this node had. */
  readonly sent: number
  readonly messagesPerTurn: number | null
  /** Quantiles of the last waits, in milliseconds. */
  readonly p50: number | null
  readonly p99: number | null
}

export interface NameRow {
  readonly name: string
  readonly holder: string | null
  readonly holderState: NodeState | null
  /** Of the holder, in milliseconds. */
  readonly leaseLeft: number
  /** Who has waited longest comes first. */
  readonly waiters: readonly string[]
  /** Of the last grant. */
  readonly fence: string | null
  readonly turns: number
}

/** Where the nodes meet. */
export interface PlaceRow extends PlaceStatus {
  /** Of an engine that was started here; null if none was. */
  readonly engine: 'running' | 'paused' | 'dead' | null
}

/** The nodes of a zone together. */
export interface ZoneRow extends Pick<NodeRow, 'turns' | 'p50' | 'p99'> {
  readonly zone: number
  readonly nodes: readonly string[]
}

export interface Snapshot {
  readonly place: PlaceRow | null
  /** Where bytes take their time by zone; empty elsewhere. */
  readonly zones: readonly ZoneRow[]
  /** How often a lock went from one node to another. */
  readonly handOffs: number
  readonly view: { readonly epoch: number; readonly members: readonly string[] } | null
  readonly names: readonly NameRow[]
  readonly nodes: readonly NodeRow[]
  readonly all: Pick<NodeRow, 'turns' | 'turnsPerSecond' | 'sent' | 'messagesPerTurn' | 'p50' | 'p99'>
}
