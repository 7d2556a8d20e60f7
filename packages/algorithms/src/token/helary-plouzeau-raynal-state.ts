/** What the rules of Helary, Plouzeau and Raynal (1988) and those of its section 7 share: messages, state, lists. */
import type { NodeId } from '@turnwise/core/algorithm'
import type { Timestamp } from '@turnwise/core/timestamp'

export interface RequestMessage {
  readonly type: 'request'
  /** req_id: the origin, and its clock when it asked. Names the request in the whole history of the system. */
  readonly id: Timestamp
  /** already_seen: those who have this request, or to whom it has been sent. */
  readonly alreadySeen: readonly NodeId[]
  /** Section 7 only. */
  readonly kin?: Kin
}

/** Who stands where in the spanning tree that a broadcast draws, seen from the receiver. */
export interface Kin {
  /** How often the origin has broadcast this request before. */
  readonly wave: number
  /** Those to whom the sender sends it too. */
  readonly brothers: readonly NodeId[]
  /** The sender's own brothers. */
  readonly uncles: readonly NodeId[]
}

/** One broadcast of one request. */
export interface Broadcast extends Timestamp {
  readonly wave: number
}

export interface Token {
  /** lud: each node's clock when it last gave the token away; sorted by node, without those that never did. */
  readonly gaveAway: readonly Timestamp[]
  /** Counts the entries. */
  readonly fence: number
  /** Section 7 only: broadcasts whose way back was found closed since the last entry. */
  readonly givenUp?: readonly Broadcast[]
  /** With `regeneration` only: the election that made it, or the last in which its holder took part. */
  readonly generation?: Generation
}

/** An election, and the token that it makes or confirms: compared by number, then by the node that called it. */
export interface Generation {
  readonly number: number
  readonly node: NodeId
  /** What its caller knew of failures. */
  readonly fates: readonly Fate[]
}

/** A node that has failed, or has failed and come back, and so on; those that never did have none. Sorted by node. */
export interface Fate {
  readonly node: NodeId
  /** Odd if it has failed, even if it is back. The higher is the later. */
  readonly changes: number
}

export interface TokenMessage extends Token {
  readonly type: 'token'
  /** elec: who will own it. Those on the way there only pass it on. */
  readonly addressee: NodeId
  /** Section 7 only: the broadcast that is answered, null for a token that has to leave where it was. */
  readonly sought?: Broadcast | null
  /** Section 7 only: who has passed it on to this addressee. */
  readonly visited?: readonly NodeId[]
}

export type Message =
  | RequestMessage
  | TokenMessage
  /** Section 7 only: its origin shall broadcast this request again. */
  | { readonly type: 'call'; readonly broadcast: Broadcast }
  /** Section 7 only: what is pending, told to the other end of a channel that has come up. */
  | {
      readonly type: 'table'
      readonly clock: number
      readonly pending: readonly Pending[]
      /** With `regeneration` only: the last election in which the sender took part. */
      readonly generation?: Generation
    }
  /** Section 7 only: the sender is about to be removed. */
  | { readonly type: 'leaving'; readonly clock: number }
  | ElectionMessage

/** With `regeneration` only. */
export type ElectionMessage =
  /** The sender takes part in this election. */
  | { readonly type: 'election'; readonly generation: Generation }
  /** What the sender and those behind it say. */
  | { readonly type: 'support'; readonly generation: Generation; readonly report: Report }
  /** There is a token. */
  | { readonly type: 'elected'; readonly generation: Generation }

/** What some of those who take part in an election say together. */
export interface Report {
  /** Who they are, sorted; each with the time up to which its requests are satisfied, as `lud` would have it. */
  readonly supporters: readonly Timestamp[]
  /** Whether one of them has the token. */
  readonly present: boolean
}

export interface Pending extends Broadcast {
  /** Its origin shall broadcast it again. */
  readonly called: boolean
}

/** The youngest request heard of a node. */
export interface Heard extends Timestamp {
  /** The neighbour that it came from; null once the token went back that way. */
  readonly via: NodeId | null
  /** Section 7 only. */
  readonly route?: Route
}

export interface Route {
  readonly wave: number
  /** Further exits, best first: uncles and brothers that are neighbours, then whoever else sent the request. */
  readonly others: readonly NodeId[]
  readonly called: boolean
}

export interface State {
  /** C, a Lamport clock. */
  clock: number
  /** req_array: one request per origin, sorted by origin. */
  heard: readonly Heard[]
  /** token_here: the token this node owns, or null. A handler passes it on at once. */
  token: Token | null
  /** in_CS. */
  inside: boolean
  /** What a node of a network that changes knows beside; null where `reconfiguration` is off. */
  around: Around | null
  /** What it knows of failures and elections; null where `regeneration` is off. */
  regeneration: Regeneration | null
}

export interface Regeneration {
  /** The last election in which this node took part: a token of an earlier one is void here. */
  generation: Generation
  /** What it knows of failures. */
  fates: readonly Fate[]
  /** That election, until its outcome is known. */
  election: Election | null
}

export interface Election {
  /** From whom this node heard of it first; null if it called it. */
  readonly father: NodeId | null
  /** The neighbours that have not spoken yet, and those whose support has come. */
  readonly awaited: readonly NodeId[]
  readonly children: readonly NodeId[]
  readonly report: Report
}

export interface Around {
  /** The channels there are, sorted; and those of them at whose other end nobody answers. */
  links: readonly NodeId[]
  down: readonly NodeId[]
  /** This node's own request, which may have to be broadcast again. */
  asked: Broadcast | null
  /** Knows nothing yet: it has joined, or lost its memory, and no neighbour has sent its table. */
  learning: boolean
  /** Has asked meanwhile. */
  wants: boolean
  leaving: boolean
}

export interface Options {
  reconfiguration: boolean
  regeneration: boolean
}

/** min(X) by the given order, or null of nothing. */
export function first<Request extends Timestamp>(
  requests: readonly Request[],
  isBefore: (a: Request, b: Request) => boolean,
): Request | null {
  return requests.reduce<Request | null>((a, b) => (a === null || isBefore(b, a) ? b : a), null)
}

/** X: a request is satisfied if its origin has given the token away since. */
export function unsatisfied(heard: readonly Heard[], token: Token | null): Heard[] {
  const gaveAway = new Map(token?.gaveAway.map(({ node, time }) => [node, time]))
  return heard.filter(({ node, time, via }) => {
    const last = gaveAway.get(node)
    return via !== null && (last === undefined || last < time)
  })
}

/** The list with the entry in place of that node's last one. Sorted, so that equal knowledge is equal data. */
export function noted<Entry extends Timestamp>(entries: readonly Entry[], entry: Entry): Entry[] {
  const at = entries.findIndex(({ node }) => node >= entry.node)
  if (at === -1) return [...entries, entry]
  return entries.toSpliced(at, entries[at].node === entry.node ? 1 : 0, entry)
}

/** A request that need not be served: its time stays, so that a late copy of it is no news. */
export function withoutWay(heard: Heard): Heard {
  const { route } = heard
  if (route === undefined) return { ...heard, via: null }
  return { ...heard, via: null, route: { ...route, others: [], called: false } }
}

const STAMP = { time: { clock: 'time' }, node: 'node' } as const
const BROADCAST = { ...STAMP, wave: 'data' } as const
const NODES = { list: 'node' } as const
// A fence may begin anew from the number, so it is no clock that could be shifted.
const FATES = { list: { fields: { node: 'node', changes: 'data' } } } as const
const GENERATION = { fields: { number: 'data', node: 'node', fates: FATES } } as const
const REPORT = {
  fields: { supporters: { list: { fields: STAMP } }, present: 'data' },
} as const
const TOKEN = {
  gaveAway: { list: { fields: STAMP } },
  fence: { clock: 'fence' },
  givenUp: { list: { fields: BROADCAST } },
  generation: GENERATION,
} as const

export const SHAPES = {
  state: {
    clock: { clock: 'time' },
    heard: {
      list: {
        fields: { ...STAMP, via: 'node', route: { fields: { wave: 'data', others: NODES, called: 'data' } } },
      },
    },
    token: { fields: TOKEN },
    inside: 'data',
    around: {
      fields: {
        links: NODES,
        down: NODES,
        asked: { fields: BROADCAST },
        learning: 'data',
        wants: 'data',
        leaving: 'data',
      },
    },
    regeneration: {
      fields: {
        generation: GENERATION,
        fates: FATES,
        election: { fields: { father: 'node', awaited: NODES, children: NODES, report: REPORT } },
      },
    },
  },
  messages: {
    request: {
      id: { fields: STAMP },
      alreadySeen: NODES,
      kin: { fields: { wave: 'data', brothers: NODES, uncles: NODES } },
    },
    token: { addressee: 'node', ...TOKEN, sought: { fields: BROADCAST }, visited: NODES },
    call: { broadcast: { fields: BROADCAST } },
    table: {
      clock: { clock: 'time' },
      pending: { list: { fields: { ...BROADCAST, called: 'data' } } },
      generation: GENERATION,
    },
    leaving: { clock: { clock: 'time' } },
    election: { generation: GENERATION },
    support: { generation: GENERATION, report: REPORT },
    elected: { generation: GENERATION },
  },
  fence: { clock: 'fence', scaled: false },
} as const
