/**
 * What the three parts of `ricart-agrawala-membership` share: requests, insertion and removal, failure. Names are
 * drawn from a range that is larger than the group (section 7.1): all that is kept by name is a set of names, in
 * rising order, so that equal sets are equal states.
 */
import type { Here, NodeId } from '@turnwise/core/algorithm'
import type { OptionSpecs } from '@turnwise/core/options'
import type { Shapes } from '@turnwise/core/shape'

export type Message =
  /** REQUEST(k, j): the sender asks with sequence number k. */
  | { readonly type: 'request'; readonly number: number }
  /** REPLY to the request with this number. */
  | { readonly type: 'reply'; readonly number: number }
  /** ARE_YOU_THERE: no answer came to the request with this number, which may have been lost. */
  | { readonly type: 'are-you-there'; readonly number: number }
  | { readonly type: 'yes-i-am-here' }
  /** The node has failed; or, from the node itself, it had failed and runs again. */
  | { readonly type: 'failed'; readonly node: NodeId }
  /** Who asked with this number is on the sender's list no more: it is to restart and use the insertion protocol. */
  | { readonly type: 'rejoin'; readonly number: number }
  /** The sender asks the receiver to be its sponsor. */
  | { readonly type: 'join' }
  /** A sponsor, inside with this number, tells of new nodes; the new ones themselves are told the names of all. */
  | { readonly type: 'insert'; readonly number: number; readonly nodes: readonly NodeId[] }
  | { readonly type: 'welcome'; readonly number: number; readonly names: readonly NodeId[] }
  /** The sender wants to be on everyone's list, and to know the highest number; `back` if it was asked so itself. */
  | { readonly type: 'include'; readonly back: boolean }
  /** Highest_Sequence_Number and NAMES of the sender; null if it is itself about to join. */
  | { readonly type: 'highest'; readonly number: number; readonly names: readonly NodeId[] | null }
  /** The sender leaves; the highest number it knows stays behind. */
  | { readonly type: 'leave'; readonly number: number }
  /** What the sponsor with this number, or (null) the departing node, has told is noted. */
  | { readonly type: 'ack'; readonly number: number | null }

/** What a node is to the group; only a member asks for mutual exclusion. */
type Standing = 'outside' | 'joining' | 'learning' | 'member' | 'leaving' | 'resting'

/** What every one of `awaiting` has to answer, named by the message that asks it. */
export type Question = 'request' | 'join' | 'insert' | 'include' | 'leave'

export interface State {
  standing: Standing
  /** NAMES: the other participants. */
  names: NodeId[]
  /** Highest_Sequence_Number: the highest number sent or received. */
  highest: number
  /** Our_Sequence_Number while Requesting_Critical_Section, which stays true inside; null otherwise. */
  ours: number | null
  /** Whether somebody here waits to enter, and whether he is inside. */
  wants: boolean
  inside: boolean
  /** Reply_Deferred: who waits for our reply, and the request it waits with. */
  deferred: { node: NodeId; number: number }[]
  /** What is asked now, and Awaiting_Reply: who has not answered. A node asks one thing at a time. */
  question: Question | null
  awaiting: NodeId[]
  /** After the first time-out: who has given no sign of life since the probe. */
  silent: NodeId[] | null
  /** New nodes that wait for this sponsor, and those that it is introducing. */
  sponsoring: NodeId[]
  introducing: NodeId[]
  /** While joining: whether a participant has told its list, and who has gone since, and is on it in error. */
  listed: boolean
  gone: NodeId[]
  learning: Learning | null
  /** Told to leave, and not yet able to. */
  departs: boolean
}

/** What a new node has seen of the numbers in use (7.2.3). */
export interface Learning {
  sponsor: NodeId
  /** Who was there before and has not asked since. */
  unheard: NodeId[]
  /** The number of the first request. */
  first: number | null
  /** How many requests came from each. */
  counts: { node: NodeId; count: number }[]
}

export interface Options {
  learn: 'ask' | 'one-from-each' | 'growth' | 'time' | 'fourth'
  wait: number
  probe: number
  rest: number
  turn: number
}

/** The least time-out for which costs are claimed: no section is held so long that nobody is at fault. */
export const PATIENT = 100

export const options: OptionSpecs<Options> = {
  learn: {
    kind: 'choice',
    choices: ['ask', 'one-from-each', 'growth', 'time', 'fourth'],
    default: 'ask',
    about: 'how a node that has a sponsor learns the highest number (7.2.3); fourth needs fifo channels',
  },
  wait: {
    kind: 'integer',
    default: PATIENT,
    min: 1,
    about: 'units of time, for each node of the range, without any answer until those awaited are suspected',
  },
  probe: {
    kind: 'integer',
    default: 100,
    min: 1,
    about: 'units of time that a suspect has to answer a probe: more than a message there and back takes',
  },
  rest: {
    kind: 'integer',
    default: 100,
    min: 1,
    about: 'units of time until a node that failed comes back: more than two messages in turn take',
  },
  turn: {
    kind: 'integer',
    default: 100,
    min: 1,
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

/** On everyone's list, and with a list that is complete. */
export function participates({ standing }: State): boolean {
  return standing === 'member' || standing === 'learning'
}
