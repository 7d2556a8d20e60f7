/**
 * What the three parts of `ricart-agrawala-membership` share: requests, insertion and removal, failure. Names come from
 * a range that is larger than the group (section 7.1). Sets of names are kept in rising order, so that equal sets are
 * equal states.
 */
import type { Here, NodeId } from '@turnwise/core/algorithm'
import type { OptionSpecs } from '@turnwise/core/options'
import type { Shapes } from '@turnwise/core/shape'

export type Message =
  /** REQUEST(k, j): the sender asks with sequence number k. */
  | { readonly type: 'request'; readonly number: number }
  /** REPLY to the request with this number. */
  | { readonly type: 'reply'; readonly number: number }
  /** ARE_YOU_THERE: the request with this number got no answer, and may have been lost. */
  | { readonly type: 'are-you-there'; readonly number: number }
  | { readonly type: 'yes-i-am-here' }
  /** The node has failed; sent by the node itself: it had failed and runs again. */
  | { readonly type: 'failed'; readonly node: NodeId }
  /**
   * The node that asked with this number is no longer on the sender's list. It must restart and use the insertion protocol.
   */
  | { readonly type: 'rejoin'; readonly number: number }
  /** The sender asks the receiver to be its sponsor. */
  | { readonly type: 'join' }
  /** A sponsor, inside with this number, announces new nodes. It tells the new ones the names of all. */
  | { readonly type: 'insert'; readonly number: number; readonly nodes: readonly NodeId[] }
  | { readonly type: 'welcome'; readonly number: number; readonly names: readonly NodeId[] }
  /** The sender wants to be on all lists, and to know the highest number. `back` if it answers an `include`. */
  | { readonly type: 'include'; readonly back: boolean }
  /** Highest_Sequence_Number and NAMES of the sender; null if it is itself about to join. */
  | { readonly type: 'highest'; readonly number: number; readonly names: readonly NodeId[] | null }
  /** The sender leaves, and tells the highest number it knows. */
  | { readonly type: 'leave'; readonly number: number }
  /** Acknowledges the news of the sponsor with this number, or (null) of the departing node. */
  | { readonly type: 'ack'; readonly number: number | null }

/** What a node is to the group; only a member asks for mutual exclusion. */
type Standing = 'outside' | 'joining' | 'learning' | 'member' | 'leaving' | 'resting'

/** The question that every node in `awaiting` has to answer, named by the message that asks it. */
export type Question = 'request' | 'join' | 'insert' | 'include' | 'leave'

export interface State {
  standing: Standing
  /** NAMES: the other participants. */
  names: NodeId[]
  /** Highest_Sequence_Number: the highest number sent or received. */
  highest: number
  /** Our_Sequence_Number while Requesting_Critical_Section, which stays true inside; null otherwise. */
  ours: number | null
  /** Whether a caller here waits to enter, and whether it is inside. */
  wants: boolean
  inside: boolean
  /** Reply_Deferred: the nodes that wait for our reply, each with its request. */
  deferred: { node: NodeId; number: number }[]
  /** The open question, and Awaiting_Reply: the nodes that have not answered. A node asks one thing at a time. */
  question: Question | null
  awaiting: NodeId[]
  /** After the first time-out: the nodes that have given no sign of life since the probe. */
  silent: NodeId[] | null
  /** New nodes that wait for this sponsor, and those that it is introducing. */
  sponsoring: NodeId[]
  introducing: NodeId[]
  /** While joining: whether a participant has sent its list, and which nodes on it have gone since. */
  listed: boolean
  gone: NodeId[]
  learning: Learning | null
  /** Told to leave, and not yet able to. */
  departs: boolean
}

/** The numbers in use that a new node has seen (7.2.3). */
export interface Learning {
  sponsor: NodeId
  /** The earlier nodes that have not asked since. */
  unheard: NodeId[]
  /** The number of the first request. */
  first: number | null
  /** How many requests came from each node. */
  counts: { node: NodeId; count: number }[]
}

export interface Options {
  learn: 'ask' | 'one-from-each' | 'growth' | 'time' | 'fourth'
  wait: number
  probe: number
  rest: number
  turn: number
}

/** The least time-out for which costs are claimed: no healthy holder stays inside longer. */
export const PATIENT = 100

export const options: OptionSpecs<Options> = {
  learn: {
    kind: 'choice',
    choices: ['ask', 'one-from-each', 'growth', 'time', 'fourth'],
    default: 'ask',
    title: 'A new node learns by',
    about:
      'how a node that has a sponsor learns the highest number (7.2.3); with one-from-each, growth and fourth it waits ' +
      'until the others ask; fourth needs fifo channels',
  },
  wait: {
    kind: 'integer',
    default: PATIENT,
    min: 1,
    title: 'Wait until a suspicion',
    about:
      'units of time without any answer, for each node of the range, until a node suspects those it awaits',
  },
  probe: {
    kind: 'integer',
    default: 100,
    min: 1,
    title: 'Wait for a probe',
    about: 'units of time that a suspect has to answer a probe: more than a message there and back takes',
  },
  rest: {
    kind: 'integer',
    default: 100,
    min: 1,
    title: 'Rest after a failure',
    about: 'units of time until a node that failed comes back: more than two messages in turn take',
  },
  turn: {
    kind: 'integer',
    default: 100,
    min: 1,
    title: 'Time of each turn',
    about: 'with learn=time, units of time in which each node gets in and out',
  },
}

const number = { clock: 'number' } as const
const names = { list: 'node' } as const

export const shapes: Shapes<State, Message> = {
  state: {
    standing: 'data',
    names,
    highest: number,
    ours: number,
    wants: 'data',
    inside: 'data',
    deferred: { list: { fields: { node: 'node', number } } },
    question: 'data',
    awaiting: names,
    silent: names,
    sponsoring: names,
    introducing: names,
    listed: 'data',
    gone: names,
    learning: {
      fields: {
        sponsor: 'node',
        unheard: names,
        first: number,
        counts: { list: { fields: { node: 'node', count: 'data' } } },
      },
    },
    departs: 'data',
  },
  messages: {
    request: { number },
    reply: { number },
    'are-you-there': { number },
    'yes-i-am-here': {},
    failed: { node: 'node' },
    rejoin: { number },
    join: {},
    insert: { number, nodes: names },
    welcome: { number, names },
    include: { back: 'data' },
    highest: { number, names },
    leave: { number },
    ack: { number },
  },
  fence: { clock: 'number', scaled: true },
}

export type Place = Here<Message, Options>

export function withName(names: readonly NodeId[], name: NodeId): NodeId[] {
  return names.includes(name) ? [...names] : [...names, name].toSorted((a, b) => a - b)
}

export function without(names: readonly NodeId[], name: NodeId): NodeId[] {
  return names.filter((other) => other !== name)
}

/** On all lists, and with a complete list. */
export function participates({ standing }: State): boolean {
  return standing === 'member' || standing === 'learning'
}
