/** Messages and state of section 7 of Helary, Plouzeau and Raynal (1988): what it adds to the rest of the paper. */
import type { NodeId } from '@turnwise/core/algorithm'
import type { Timestamp } from '@turnwise/core/timestamp'
import {
  type Heard as BaseHeard,
  type RequestMessage as BaseRequest,
  type State as BaseState,
  type Token as BaseToken,
  type TokenMessage as BaseTokenMessage,
  helaryPlouzeauRaynal,
} from './helary-plouzeau-raynal.ts'

export interface RequestMessage extends BaseRequest {
  readonly kin: Kin
}

/** The relatives of the receiver in the spanning tree that a broadcast draws. */
export interface Kin {
  /** How often the origin has broadcast this request before. */
  readonly wave: number
  /** The nodes to which the sender also sends it. */
  readonly brothers: readonly NodeId[]
  /** The sender's own brothers. */
  readonly uncles: readonly NodeId[]
}

/** One broadcast of one request. */
export interface Broadcast extends Timestamp {
  readonly wave: number
}

export interface Token extends BaseToken {
  /** Broadcasts whose way back was found closed since the last entry; none until the first. */
  readonly givenUp?: readonly Broadcast[]
}

export interface TokenMessage extends Token, BaseTokenMessage {
  /** The broadcast that it answers; null for a token that only has to leave a node. */
  readonly sought: Broadcast | null
  /** The nodes that have passed it on to this addressee. */
  readonly visited: readonly NodeId[]
}

/** The pending requests, sent to the other end of a channel that has come up. */
export interface TableMessage {
  readonly type: 'table'
  readonly clock: number
  readonly pending: readonly Pending[]
}

export type Message =
  | RequestMessage
  | TokenMessage
  /** Asks the origin to broadcast this request again. */
  | { readonly type: 'call'; readonly broadcast: Broadcast }
  | TableMessage
  /** The sender is about to be removed. */
  | { readonly type: 'leaving'; readonly clock: number }

export interface Pending extends Broadcast {
  /** Whether its origin must broadcast it again. */
  readonly called: boolean
}

export interface Heard extends BaseHeard {
  readonly route?: Route
}

export interface Route {
  readonly wave: number
  /** Further exits, best first: uncles and brothers that are neighbours, then other neighbours that sent the request. */
  readonly others: readonly NodeId[]
  readonly called: boolean
}

export interface State extends BaseState {
  heard: readonly Heard[]
  token: Token | null
  around: Around
}

/** What a node of a changing network also knows. */
export interface Around {
  /** All channels, sorted; and those whose other end does not answer. */
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

/** A request that need not be served. Its time stays, so that a late copy of it is not new. */
export function withoutWay(heard: Heard): Heard {
  const { route } = heard
  if (route === undefined) return { ...heard, via: null }
  return { ...heard, via: null, route: { ...route, others: [], called: false } }
}

const STAMP = { time: { clock: 'time' }, node: 'node' } as const
const BROADCAST = { ...STAMP, wave: 'data' } as const
const NODES = { list: 'node' } as const
const { state, messages, fence } = helaryPlouzeauRaynal.shapes

export const TOKEN = {
  gaveAway: { list: { fields: STAMP } },
  fence: { clock: 'fence' },
  givenUp: { list: { fields: BROADCAST } },
} as const

export const SHAPES = {
  state: {
    ...state,
    heard: {
      list: {
        fields: { ...STAMP, via: 'node', route: { fields: { wave: 'data', others: NODES, called: 'data' } } },
      },
    },
    token: { fields: TOKEN },
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
  },
  messages: {
    request: { ...messages.request, kin: { fields: { wave: 'data', brothers: NODES, uncles: NODES } } },
    token: { ...messages.token, givenUp: TOKEN.givenUp, sought: { fields: BROADCAST }, visited: NODES },
    call: { broadcast: { fields: BROADCAST } },
    table: { clock: { clock: 'time' }, pending: { list: { fields: { ...BROADCAST, called: 'data' } } } },
    leaving: { clock: { clock: 'time' } },
  },
  fence,
} as const
