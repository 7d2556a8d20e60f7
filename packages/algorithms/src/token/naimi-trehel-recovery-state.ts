/** What nodes of naimi-trehel-recovery.ts know and say. */
import type { NodeId } from '@turnwise/core/algorithm'
import type { Shapes } from '@turnwise/core/shape'
import { type Message as BaseMessage, type State as BaseState, naimiTrehel } from './naimi-trehel.ts'

export type Message = { readonly epoch: number } & (
  | BaseMessage
  /** Does any node have the sender as NEXT? */
  | { readonly type: 'consult' }
  /** Yes: go on waiting. Or, with a later epoch: you are behind. */
  | { readonly type: 'quiet' }
  /** The sender fears that the token is lost: does any node have it? */
  | { readonly type: 'failure' }
  /** The sender has it. */
  | { readonly type: 'present' }
  /** The sender is a candidate for making a new token. */
  | { readonly type: 'election' }
  /** The sender has made a new token, and is the root. */
  | { readonly type: 'elected' }
)

/** The phase of a node. Each but rest ends with a time-out of its name. */
export type Phase = 'rest' | 'waiting' | 'consulting' | 'query' | 'candidate' | 'observer'

export interface State extends BaseState {
  /** How many times the token was replaced. */
  epoch: number
  /** Rest: neither waiting nor in an election; at rest a node may be inside. */
  phase: Phase
  using: boolean
  /** How often in a row it was told to go on waiting. */
  quieted: number
  /** The nodes that asked in vain whether the token is here, in order of number. They are told when it comes. */
  unanswered: NodeId[]
}

export interface Options {
  twait: number
  telec: number
}

const { state, messages, fence } = naimiTrehel.shapes

export const shapes: Shapes<State, Message> = {
  state: {
    ...state,
    // A fence may begin anew from it, so the checker must not shift it like a clock.
    epoch: 'data',
    phase: 'data',
    using: 'data',
    quieted: 'data',
    unanswered: { list: 'node' },
  },
  messages: {
    request: { ...messages.request, epoch: 'data' },
    token: { ...messages.token, epoch: 'data' },
    consult: { epoch: 'data' },
    quiet: { epoch: 'data' },
    failure: { epoch: 'data' },
    present: { epoch: 'data' },
    election: { epoch: 'data' },
    elected: { epoch: 'data' },
  },
  fence,
}
