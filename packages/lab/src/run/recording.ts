import type { Message, Mode, NodeId, ResourceId } from '@turnwise/core/algorithm'
import type { Happening } from '@turnwise/core/trace/happening'
import type { TraceEvent, TraceHeader } from '@turnwise/core/trace/trace'
import type { Ahead } from '@turnwise/simulator/ahead'
import type { ViewMoment } from './views.ts'

/**
 * A run as the page keeps it. Positions count happenings: at position p the first p have happened. All that is shown of a
 * moment is looked up here, so that going back is as quick as going on.
 */
export interface Recording {
  readonly header: TraceHeader
  readonly events: readonly TraceEvent[]
  readonly happenings: readonly Happening[]
  /** For each event the position at which it has happened. */
  readonly positionOf: readonly number[]
  /** For each event after how many steps of the run it was recorded. */
  readonly eventSteps: readonly number[]
  /** For each happening after how many steps of the run a hand acts that acts when it has happened. */
  readonly steps: readonly number[]
  /** Every copy of every message, in the order in which they were sent. */
  readonly letters: readonly Letter[]
  /** Letters under way at every position that is a multiple of `OPEN_EVERY`. */
  readonly open: readonly (readonly Letter[])[]
  /** The lost ones, in the order of their losses. */
  readonly lost: readonly Letter[]
  readonly stays: readonly Span[]
  readonly waits: readonly Span[]
  readonly pauses: readonly Span[]
  readonly downs: readonly Span[]
  readonly cuts: readonly Cut[]
  readonly violations: readonly Finding[]
  /** Who took whom for the coordinator, and from which position on. */
  readonly elected: readonly Elected[]
  /** Per position, from 0 on: what was sent and how often somebody entered, or an election had its first result. */
  readonly sent: readonly number[]
  readonly entered: readonly number[]
  /** Per node its states, each from a position on; empty where states are not known. */
  readonly states: readonly (readonly { readonly from: number; readonly state: object | null }[])[]
  /** What nodes have before them besides messages (timers, above all), each from a position on; empty in a record. */
  readonly ahead: readonly { readonly from: number; readonly ahead: readonly Ahead[] }[]
  /** Why they are not known; null if they are. */
  readonly noStates: string | null
  /** Of the record of a mesh: how its newest view stood, each from a position on. */
  readonly views: readonly ViewMoment[]
  /** Nodes of which a record tells nothing. */
  readonly untold: readonly NodeId[]
  /** Types of messages in the order in which they were first sent. */
  readonly types: readonly string[]
  /** The nodes that are dead when the world begins. */
  readonly dead: readonly NodeId[]
  /** The nodes that are absent when the world begins. */
  readonly absent: readonly NodeId[]
  /** Whether the run goes on after what is recorded: it was broken off, or the rest is yet to come. */
  readonly isCut: boolean
  /** Whether nothing is to come any more. */
  readonly isWhole: boolean
}

/** One copy of a message. */
export interface Letter {
  readonly id: number
  readonly from: NodeId
  readonly to: NodeId
  message: Message
  readonly sentAt: number
  /** The position from which it is under way. */
  readonly since: number
  /** The position from which it is not any more; infinite if that is not in the run. */
  until: number
  /** When that is, in ticks, if it is known. */
  endsAt: number | null
  ends: 'received' | 'lost' | null
  readonly isCopy: boolean
}

/** Something that a node does for a while, from one position to another. */
export interface Span {
  readonly node: NodeId
  readonly mode: Mode
  /** What it asks for or has, where a request may be for several resources. */
  readonly resources?: readonly ResourceId[] | undefined
  readonly from: number
  readonly fromAt: number
  until: number
  untilAt: number | null
}

export interface Cut {
  readonly from: NodeId
  readonly to: NodeId
  readonly since: number
  until: number
}

export interface Finding {
  readonly judge: string
  readonly nodes: readonly NodeId[]
  readonly text: string
  readonly position: number
}

export interface Elected {
  readonly node: NodeId
  readonly coordinator: NodeId
  readonly position: number
}

export const OPEN_EVERY = 128
