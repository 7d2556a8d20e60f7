/**
 * Nishio, Li and Manning, "A resilient mutual exclusion algorithm for computer networks", IEEE TPDS 1(3), 1990;
 * here after Velazquez 1993, section 4.
 *
 * Suzuki and Kasami's numbered requests, with a token that has an age and can be replaced. The holder passes it to the
 * nearest waiting node on a circle. A node that waits longer than T proposes a new age and asks all others whether the
 * token is missing (TOKEN_MISSING). A node that neither holds it nor knows a later age acknowledges, and from then on
 * discards every token of an earlier age. With all n-1 ACKs the asker makes a new token from their contents. After a
 * NACK it goes on waiting. Nodes that have not answered by T2 are asked again. These rules are in
 * `nishio-li-manning-regeneration`; the rules for joining, leaving and lost memory in `nishio-li-manning-membership`.
 *
 * Why it is safe: a token of a later age needs the ACK of all. No node gives one while it holds the token, and after it
 * a node accepts no earlier token. So time-outs that are too short cost messages, never exclusion. A node remembers its
 * last fence and says so in its ACK, so the fences go on rising. Why nobody starves: a lost request is repeated after a
 * NACK, a lost token made anew by the highest proposal; the holder serves the circle in order.
 *
 * Assumes channels between every two nodes, which may lose, repeat or reorder messages but not for ever, and failed
 * nodes that come back, with their memory or, one at a time, without. In `nishio-li-manning-detection` they may stay
 * away. An entry costs n messages, or none when the token lies idle here; a new token 2(n-1).
 *
 * Where we differ:
 *  - The survey has no rule for equal proposals (`nishio-li-manning-equal-ages`): ages are pairs of a number and the
 *    node that proposed it.
 *  - After a false alarm the token would be older than the age some nodes have acknowledged. They would discard it and
 *    it would be made anew: safe (`nishio-li-manning-outbids-nobody`), but a wasted time-out. So a holder that says
 *    NACK outbids the proposal, and a proposer that gets the token after all gives it the proposed age.
 *  - A repeated inquiry goes only to nodes that have not answered. Earlier answers stay valid.
 *  - A node accepts a token only for the request it was sent for, so a repeated message makes no second token.
 *  - The rules for a controller without memory, for insertion and for removal are ours: the survey only mentions them.
 *    In the survey one dead node keeps all others from a new token.
 */
import type { Algorithm, NodeId } from '@turnwise/core/algorithm'
import { get, increase } from '@turnwise/core/bounds'
import type { Prediction } from '@turnwise/core/facts'
import { firstHolder, type Setup } from '@turnwise/core/setup'
import type { ShapeOf, Shapes } from '@turnwise/core/shape'
import {
  bequestIn,
  inherits,
  type MembershipMessage,
  type MembershipState,
  membershipMessageShapes,
  membershipStateShapes,
  receiveMembership,
  remind,
  startDeparture,
  startRecovery,
} from './nishio-li-manning-membership.ts'
import {
  type Age,
  ask,
  bid,
  enter,
  handOn,
  type Inquiry,
  type InquiryMessage,
  inquire,
  inquiryMessageShapes,
  inquiryShape,
  isBefore,
  latest,
  pass,
  receiveInquiry,
  startInquiry,
  tokenShape,
  wait,
} from './nishio-li-manning-regeneration.ts'

export interface Token {
  /** For each node, the number of its request that was served last. */
  readonly served: readonly number[]
  /** Counts the entries. */
  readonly fence: number
}

export type Message =
  | { readonly type: 'request'; readonly number: number }
  | { readonly type: 'token'; readonly age: Age; readonly token: Token }
  | InquiryMessage
  | MembershipMessage

export interface State extends MembershipState {
  /** The highest request number heard from each node. */
  requested: number[]
  /** The latest age acknowledged or seen; that of the token, where the token is. */
  age: Age
  token: Token | null
  waiting: boolean
  using: boolean
  /** The highest fence we know: that of our last entry, as a rule. */
  fence: number
  inquiry: Inquiry | null
}

export interface Options {
  T: number
  T2: number
}

/**
 * The least T for which the costs are claimed. If all nodes wait, n stays inside and n message delays pass before a
 * request is granted. No node inquires without need as long as one stay and one delay together last less than T.
 */
const PATIENT = 100

export const nishioLiManning: Algorithm<State, Message, Options> = {
  facts: {
    name: 'nishio-li-manning',
    title: 'Nishio-Li-Manning',
    year: 1990,
    family: 'token',
    idea:
      'Requests are broadcast, and the token goes round to the waiting nodes. It has an age. A node that misses ' +
      'it for too long asks all others, and if all agree that it is gone, makes a new one with a later age. Nodes ' +
      'discard tokens of earlier ages.',
    sources: ['velazquez-1993 §4'],
    entries: 1,
    sharedMode: false,
    channels: 'unordered',
    topology: 'complete',
    knows: 'everyone',
    quorums: false,
    messages: {
      formula: 'n, or 0 with the token here',
      light: (setup) => costs(setup, setup.nodes - 1),
      heavy: (setup) => costs(setup, setup.nodes === 1 ? 0 : setup.nodes),
    },
    syncDelay: {
      formula: '1',
      hops: ({ options }) => ({ min: 1, max: options.T >= PATIENT ? 1 : Number.POSITIVE_INFINITY }),
    },
    faults: ['drop', 'duplicate', 'spike', 'pause', 'cut', 'split', 'add', 'remove'],
    fallsSilent: true,
    timing: 'any',
    endlessTimeouts: true,
    timers: { T: 'time-out', T2: 'time-out', news: 'time-out' },
  },
  options: {
    T: {
      kind: 'integer',
      default: PATIENT,
      min: 1,
      title: 'Wait for the token (T)',
      about: 'units of time, for each node of the system, that a node waits for the token before it inquires',
    },
    T2: {
      kind: 'integer',
      default: 50,
      min: 1,
      title: 'Wait for answers (T2)',
      about: 'units of time until nodes that have not answered an inquiry are asked again',
    },
  },
  shapes: shapesWith({ clock: 'age' }),
  tokens: {
    held: ({ token }) => (token === null ? 0 : 1),
    carried: (message) => (message.type === 'token' || bequestIn(message) !== null ? 1 : 0),
    isVoid(message, receiver, from, to) {
      const bequest = bequestIn(message)
      if (bequest !== null) return !inherits(receiver, bequest, from)
      return (
        message.type === 'token' && (isCopy(receiver, message, to) || isBefore(message.age, receiver.age))
      )
    },
  },

  init(self, setup) {
    const home = firstHolder(setup)
    const zeros = () => Array.from({ length: setup.nodes }, () => 0)
    return {
      requested: zeros(),
      age: { number: 0, node: home },
      token: self === home ? { served: zeros(), fence: 0 } : null,
      waiting: false,
      using: setup.inside.includes(self),
      fence: 0,
      inquiry: null,
      members: Array.from({ length: setup.nodes }, (_, node) => !setup.absent.includes(node)),
      recovery: null,
      departure: null,
    }
  },

  request(node, here) {
    if (node.token !== null) {
      here.because?.('node {self} has the token')
      return enter(node, here, node.token)
    }
    node.waiting = true
    if (node.recovery !== null)
      return here.because?.('node {self} does not know its numbers yet: it asks when all have told')
    const number = increase(node.requested, here.self)
    here.because?.('any node may have the token: node {self} sends its request {number} to all', { number })
    ask(node, here)
  },

  release(node, here) {
    const { token } = node
    if (token === null) return
    node.using = false
    node.token = { ...token, served: token.served.with(here.self, get(node.requested, here.self)) }
    handOn(node, here, node.token)
  },

  timeout(node, here, timer) {
    if (timer === 'T') startInquiry(node, here)
    if (timer === 'T2') inquire(node, here)
    if (timer === 'news') remind(node, here)
  },

  /** A crash ended the timers. The memory says which ones to start again. */
  restart(node, here, memory) {
    if (!memory) return startRecovery(node, here)
    here.because?.('node {self} is back with its memory, but its time-outs have ended')
    remind(node, here)
    if (node.inquiry !== null) inquire(node, here)
    else if (node.waiting && node.recovery === null) wait(here)
  },

  join(node, here) {
    startRecovery(node, here)
  },

  leave(node, here) {
    startDeparture(node, here)
  },

  receive: {
    request(node, here, { number }, from) {
      node.requested[from] = Math.max(get(node.requested, from), number)
      const { token } = node
      if (token === null)
        return here.because?.('node {self} has no token: it notes request {number} of node {from}', {
          number,
          from,
        })
      if (node.requested[from] <= get(token.served, from))
        return here.because?.('the token says that request {number} of node {from} was served', {
          number,
          from,
        })
      if (node.using) return here.because?.('node {self} is inside, so node {from} must wait', { from })
      here.because?.('the token lies unused at node {self}, and node {from} waits', { from })
      pass(node, here, token, from)
    },

    token(node, here, message) {
      const { age, token } = message
      if (isCopy(node, message, here.self))
        return here.because?.('this token is not for the request that waits at node {self}')
      if (isBefore(age, node.age)) {
        if (node.inquiry !== null)
          return here.because?.(
            'node {self} has promised to accept no token of this age, and proposes a later one',
          )
        here.because?.('node {self} has promised to accept no token of this age: it asks for another')
        return ask(node, here)
      }
      here.because?.('the token has come for request {number} of node {self}', {
        number: get(node.requested, here.self),
      })
      node.age = latest(age, bid(node, here.self))
      enter(node, here, token)
    },

    ...receiveInquiry,
    ...receiveMembership,
  },
}

/** An extension may need the numbers of ages unshifted. */
export function shapesWith(number: ShapeOf<number>): Shapes<State, Message> {
  const age = { fields: { number, node: 'node' } } as const
  return {
    state: {
      requested: { perNode: { clock: 'number', of: 'index' } },
      age,
      token: tokenShape,
      waiting: 'data',
      using: 'data',
      fence: { clock: 'fence' },
      inquiry: inquiryShape,
      ...membershipStateShapes(age),
    },
    messages: {
      request: { number: { clock: 'number', of: 'sender' } },
      token: { age, token: tokenShape },
      ...inquiryMessageShapes(age),
      ...membershipMessageShapes(age),
    },
    fence: { clock: 'fence', scaled: false },
  }
}

/** A token for a request that was granted already, or that we have forgotten. */
function isCopy(node: State, { token }: Extract<Message, { type: 'token' }>, self: NodeId): boolean {
  const isAwaited = node.waiting && token.served[self] === get(node.requested, self) - 1
  return !isAwaited || node.recovery !== null
}

/** The token is at the last requester, which at light load is the next requester once in n times. */
function costs({ nodes, options }: Setup<Options>, mean: number): Prediction {
  if (options.T >= PATIENT) return { min: 0, max: nodes === 1 ? 0 : nodes, mean }
  return { min: 0, max: Number.POSITIVE_INFINITY, mean: null }
}
