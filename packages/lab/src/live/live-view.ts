/** How a mesh stands, as whoever serves the page tells it. Plain data: it goes over the wire as JSON. */
export interface LiveView {
  /** `turnwise up`, or the id of a daemon. */
  readonly title: string
  readonly algorithm: string
  /** In milliseconds. */
  readonly lease: number
  readonly view: { readonly epoch: number; readonly members: readonly string[] } | null
  readonly nodes: readonly LiveNode[]
  readonly locks: readonly LiveLock[]
  /** Names that were left out because there are too many. */
  readonly more: number
  readonly turnsPerSecond: number | null
  readonly messagesPerSecond: number | null
  /** The latest last. */
  readonly happenings: readonly { readonly text: string; readonly isTrouble: boolean }[]
  /** What can be done to nodes from the page; empty where it can only be looked at. */
  readonly deeds: readonly string[]
}

export interface LiveNode {
  readonly id: string
  /** In words: `in view`, `killed`, `paused`. */
  readonly state: string
  readonly isIn: boolean
  readonly leaseLeft: number | null
  readonly turns: number | null
  readonly turnsPerSecond: number | null
}

export interface LiveLock {
  readonly name: string
  readonly holders: readonly string[]
  /** Who has waited longest comes first. */
  readonly waiters: readonly string[]
  readonly fence: string | null
  readonly turns: number | null
}
