import type { Hand } from '../run/hand.ts'
import type { Played } from '../run/play.ts'
import type { RunSpec } from '../run/spec.ts'

/** What the page asks of the worker in which runs are played. */
export interface PlayTask {
  readonly task: number
  readonly spec: RunSpec
  readonly hands: readonly Hand[]
}

/** What it answers: a run, or one line that says why there is none. */
export type PlayAnswer =
  | { readonly task: number; readonly played: Played }
  | { readonly task: number; readonly complaint: string }
