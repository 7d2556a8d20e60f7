/** What may happen at one process, and its outcome. */

/** What the explorer may have happen at one process. */
export type Happening =
  /** Gives up what it was about (R16) and proposes anew, having heard of this promised epoch (R9). */
  | { readonly kind: 'propose'; readonly heard: number; readonly waits: boolean }
  | { readonly kind: 'beat' }
  | { readonly kind: 'wake' }
  | { readonly kind: 'ask' }
  | { readonly kind: 'release' }
  | { readonly kind: 'leave' }
  | { readonly kind: 'wish' }
  | { readonly kind: 'restart' }
  | { readonly kind: 'lose disk' }
  | { readonly kind: 'later' }

export interface Outcome {
  /** The number of the process afterwards. */
  readonly process: number
  /** Numbers of messages and facts. */
  readonly items: readonly number[]
  /** Heartbeats and what answers them, where they arrive at once or never: numbers of messages. */
  readonly instant: readonly number[]
  /** The fence of a grant, or 0. */
  readonly fence: number
  /** The epoch of a view that began here, or 0. */
  readonly began: number
  /** What the runs are meant to contain. */
  readonly happened: readonly string[]
  readonly impossible: string | null
}
