/** The state of a mesh, as the server of the page tells it. Plain data: it goes over the wire as JSON. */
export interface LiveView {
  /** `turnwise up`, or the id of a daemon. */
  readonly title: string
  /** Null while it is not known. */
  readonly algorithm: string | null
  /** In milliseconds. */
  readonly lease: number
  readonly view: { readonly epoch: number; readonly members: readonly string[] } | null
  /** Where the mesh meets, and since when that has not answered, in milliseconds; null with peers. */
  readonly place: {
    readonly name: string
    readonly silentFor: number | null
    readonly why: string | null
  } | null
  readonly nodes: readonly LiveNode[]
  readonly locks: readonly LiveLock[]
  /** The age of the news about locks, in milliseconds; null if there is none. */
  readonly locksAge: number | null
  /** Names that were left out because there are too many. */
  readonly more: number
  /** Those who wait for each other, one line for each circle. */
  readonly circles: readonly string[]
  /** The node whose turns and messages these are; null if they are of all together. */
  readonly figuresOf: string | null
  readonly turnsPerSecond: number | null
  readonly messagesPerSecond: number | null
  /** The latest last. */
  readonly happenings: readonly LiveHappening[]
  /** The locks of which a recording can be opened. */
  readonly recorded: readonly string[]
}

export interface LiveHappening {
  readonly text: string
  readonly isTrouble: boolean
}

export interface LiveNode {
  readonly id: string
  /** In words: `in view`, `killed`, `paused`. */
  readonly state: string
  readonly isIn: boolean
  /** The zone that it states; null if it states none. */
  readonly zone: string | null
  readonly leaseLeft: number | null
  /** What the page can do to it now; empty if it can only be looked at. */
  readonly deeds: readonly string[]
  readonly turns: number | null
  readonly turnsPerSecond: number | null
}

export interface LiveLock {
  readonly name: string
  readonly holders: readonly string[]
  /** The longest wait comes first. */
  readonly waiters: readonly string[]
  /** How many wait: `waiters` names the first of them where there are very many. */
  readonly waiting: number
  /** A line for each caller that says something of itself: not to be trusted. */
  readonly notes: readonly string[]
  readonly fence: string | null
  readonly turns: number | null
}
