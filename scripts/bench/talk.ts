/** What the benchmark and its processes say to each other. Times are of the monotonic clock, which all processes share. */
import { performance } from 'node:perf_hooks'
import type { JoinOptions } from '../../packages/mesh/dist/join.js'
import type { PeerName } from './peers/locks.ts'
import type { PlaceCommand } from './places/talk.ts'
import type { Spent } from './processor.ts'

/** A span of time in which turns count; what is before it warms up. */
export interface Span {
  readonly from: number
  readonly until: number
}

export interface Load {
  /** How many callers of a process take turns at each name: with one nobody waits there when it releases. */
  readonly callers: number
  /** Which share of the turns is to read. */
  readonly readers: number
  /** A turn takes so many of the names at once, drawn at random. */
  readonly several?: { readonly take: number; readonly way: Way }
}

export const WAYS = ['in order', 'as a group'] as const
export type Way = (typeof WAYS)[number]

export const WRITERS: Load = { callers: 1, readers: 0 }

export type Command =
  /** Says so when it is in a view of so many. */
  | { readonly do: 'join'; readonly options: JoinOptions; readonly members: number }
  /** Takes turns at these names, each as fast as it can. */
  | { readonly do: 'turns'; readonly names: readonly string[]; readonly load: Load; readonly span: Span }
  /** Says `entered` when it is inside, and stays there. */
  | { readonly do: 'hold'; readonly name: string }
  | { readonly do: 'release' }
  | { readonly do: 'leave' }
  /** Of another lock: where its server is, and in which folder its client. */
  | { readonly do: 'open'; readonly peer: PeerName; readonly folder: string; readonly port: number }
  /** Says what it has spent so far, and what it takes. */
  | { readonly do: 'usage' }
  /** Of the bare ring: where the next one listens, and how long the token goes round. */
  | { readonly do: 'listen' }
  | { readonly do: 'connect'; readonly port: number }
  | { readonly do: 'pass'; readonly span: Span; readonly isFirst: boolean }
  /** Where it sends a message, and every how many milliseconds. */
  | { readonly do: 'exchange'; readonly ports: readonly number[]; readonly every: number }
  /** Of a ring through a part of the mesh's code: where all of them listen, and which one this is. */
  | {
      readonly do: 'layer'
      readonly layer: Layer
      readonly self: number
      readonly addresses: readonly string[]
    }
  | PlaceCommand

/** What a token goes through, each with all before it. */
export const LAYERS = ['frames', 'codec', 'transport', 'protocol'] as const
export type Layer = (typeof LAYERS)[number]

/** What a process tells of a token that it passed on. */
export interface Passed extends Spent {
  readonly turns: number
}

/** What a process has spent since it began, and what it takes now. */
export interface Standing extends Spent {
  /** Bytes that are in memory. */
  readonly memory: number
}

export interface Turns extends Spent {
  /** What puts the turns of all in order: the counters of their fences, or their times; only where one name was asked for, to write. */
  readonly fences: readonly number[]
  /** How long each of these turns was waited for, in milliseconds. */
  readonly waits: readonly number[]
  readonly turns: number
  /** Messages of locks that were sent, and pieces of bytes that were written to sockets. */
  readonly sent: number
  readonly writes: number
}

const origin = Number(process.hrtime.bigint()) / 1e6 - performance.now()

export function now(): number {
  return performance.now() + origin
}

export function spanOf(warmUp: number, length: number): Span {
  const from = now() + warmUp
  return { from, until: from + length }
}

/** A lease that is not lost on a machine that has other things to do: what is measured is not that. */
export const PATIENT = 10_000
