import type { Trace } from '@turnwise/core/trace/trace'
import type { EnlistedFile } from '../code/code-probes.ts'
import type { TrailPart } from '../code/trail.ts'
import type { Hand } from '../run/hand.ts'
import type { PlayedEnd, PlayedHead, PlayedPart } from '../run/play.ts'
import type { RunSpec } from '../run/spec.ts'
import type { StatePatch } from './patch.ts'
import type { Read } from './read-record.ts'

/** What the page asks of the worker in which runs are played. */
export interface PlayTask {
  readonly task: number
  readonly spec: RunSpec
  readonly hands: readonly Hand[]
}

/** What it answers: a run in parts, first its head and last its end; or one line that says why there is none. */
export type PlayAnswer =
  | { readonly task: number; readonly head: PlayedHead }
  | { readonly task: number; readonly part: PackedPart }
  | { readonly task: number; readonly end: PlayedEnd }
  | { readonly task: number; readonly complaint: string }

/** What the page asks of the worker that opens records: to begin with these files, then for one part after another. */
export type OpenTask = { readonly files: readonly Blob[] } | 'next'

/** What it answers: how far it has read, then the run in parts; or one line that says why it cannot be shown. */
export type OpenAnswer =
  | { readonly read: Read }
  | { readonly understanding: true }
  | {
      readonly head: PlayedHead
      readonly spec: RunSpec
      readonly notes: readonly string[]
      readonly events: number
    }
  | { readonly part: PackedPart }
  | { readonly end: PlayedEnd }
  | { readonly complaint: string }

/** A part of a run as it is sent. */
export interface PackedPart extends Omit<PlayedPart, 'states'> {
  readonly states: readonly StatePatch[]
}

/** What the page asks of the worker that follows a run through the text of its algorithm. */
export interface CodeTask {
  readonly task: number
  readonly spec: RunSpec
  readonly what: { readonly hands: readonly Hand[] } | { readonly trace: Trace }
}

/** What it answers: part by part, with the files that it has not told before; or one line that says why it cannot. */
export type CodeAnswer =
  | { readonly task: number; readonly files: readonly EnlistedFile[]; readonly part: TrailPart }
  | { readonly task: number; readonly complaint: string }
