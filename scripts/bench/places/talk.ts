/** What `npm run bench:places` and its processes say to each other. Times are of `now` in `../talk.ts`. */
export type PlaceCommand =
  /** So many nodes more, all at once; answers with `Joined`. */
  | {
      readonly do: 'enter'
      readonly place: string
      readonly count: number
      readonly lease: number
      readonly listen: string | undefined
    }
  /** Answers when all its nodes have begun a view of so many. */
  | { readonly do: 'see'; readonly members: number }
  | { readonly do: 'tally' }
  /** Its first node takes this name again and again, until `rest`. */
  | { readonly do: 'take'; readonly name: string }
  /** The longest time between two grants of what it takes, since this was asked last. */
  | { readonly do: 'gap' }
  | { readonly do: 'rest' }
  /** Each node takes its share of so many names by turns, and holds one of them at any time. */
  | { readonly do: 'busy'; readonly names: number; readonly nodes: number; readonly first: number }
  /** Its first node holds a name, and says when it had it. Or so many names, and says what they took of its heap. */
  | { readonly do: 'keep'; readonly name: string }
  | { readonly do: 'keep-many'; readonly names: number }
  | { readonly do: 'drop' }
  /** Its oldest node leaves. */
  | { readonly do: 'part' }

export interface Joined {
  readonly asked: number
  /** When the first of them was let into a lock. */
  readonly served: number
  readonly joined: number
}

/** What a process has counted since it began. */
export interface Tally {
  readonly at: number
  readonly reads: number
  readonly lists: number
  readonly writes: number
  /** To other members. */
  readonly messages: number
  /** Microseconds. */
  readonly cpu: number
  readonly rss: number
  readonly grants: number
  /** Locks that were lost while they were held, and sessions that began anew. */
  readonly lost: number
  readonly rejoined: number
}
