/**
 * Nishio, Li and Manning, "A resilient mutual exclusion algorithm for computer networks", IEEE TPDS 1(3), 1990;
 * here after Velazquez 1993, section 4.
 *
 * Suzuki and Kasami's numbered requests, with a token that has an age and can be replaced. The holder passes it
 * to the nearest waiting node on a circle. Whoever waits longer than T proposes a new age and asks all others
 * whether the token is missing (TOKEN_MISSING). One that neither holds it nor knows a later age acknowledges:
 * from now on it discards every token of an earlier age. With all n-1 ACKs the node makes a new token out of what
 * they tell; a NACK sends it back to waiting. Whoever has not answered by T2 is asked again. These rules are in
 * `nishio-li-manning-regeneration`; in `nishio-li-manning-membership`, how one joins, leaves, or has lost its memory.
 *
 * Why it is safe: a token of a later age takes everyone's ACK, nobody gives one while holding the token, and after
 * it accepts no earlier one. So time-outs that are too short cost messages, never exclusion. A node remembers its
 * last fence and says so in its ACK, so the fences go on rising. Why nobody starves: a lost request is repeated
 * after a NACK, a lost token made anew by the highest proposal; the holder serves the circle in order.
 *
 * Assumes channels between every two nodes, which may lose, repeat or reorder messages but not for ever, and nodes
 * that come back when they fail, with their memory or, one at a time, without; in `nishio-li-manning-detection` they may
 * stay away. An entry costs n messages, or none when the token lies idle here; a new token 2(n-1).
 *
 * Where we differ:
 *  - The survey's sentence on duplicates reads the wrong way round (`nishio-li-manning-discards-younger`): the token
 *    with the lower age is discarded.
 *  - The survey has no rule for equal proposals (`nishio-li-manning-equal-ages`): ages are pairs of a number and the
 *    node that proposed it.
 *  - A false alarm would leave the token older than what some nodes have acknowledged, to be discarded by them and
 *    made anew: safe (`nishio-li-manning-outbids-nobody`), but a time-out for nothing. So a holder
 *    that says NACK outbids the proposal, and a proposer whom the token reaches after all gives it the proposed age.
 *  - A repeated inquiry goes only to those who have not answered; the answers that came stay valid.
 *  - A token is accepted for the request it was sent for only, so that a repeated message makes no second token.
 *  - The rules for a controller without memory, for insertion and for removal are ours: the survey only mentions them.
 *    As it is told, one dead node keeps all others from a new token.
 */
import type { Algorithm, NodeId } from '@turnwise/core/algorithm'
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
 * The least T for which the costs are claimed. Where everyone waits, n stays and n message delays pass before a
 * request is granted: nobody inquires without need as long as the two last less than T together.
 */
const PATIENT = 100

export const nishioLiManning: Algorithm<State, Message, Options> = {
  facts: {
    name: 'nishio-li-manning',
    title: 'Nishio-Li-Manning',
    year: 1990,
    family: 'token',
    idea:
      'Requests are broadcast and the token goes round to whoever waits. It has an age: whoever misses it for too ' +
      'long asks everyone, and if all agree that it is gone makes a new one that is younger; old ones are discarded.',
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
      about: 'units of time, for each node of the system, that a node waits for the token before it inquires',
    },
    T2: {
      kind: 'integer',
      default: 50,
      min: 1,
      about: 'units of time until those who have not answered an inquiry are asked again',
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
    if (node.token !== null) return enter(node, here, node.token)
    node.waiting = true
    // Without memory we do not know our numbers: the request is put off.
    if (node.recovery !== null) return
    node.requested[here.self] += 1
    ask(node, here)
  },

  release(node, here) {
    const { token } = node
    if (token === null) return
    node.using = false
    node.token = { ...token, served: token.served.with(here.self, node.requested[here.self]) }
    handOn(node, here, node.token)
  },

  timeout(node, here, timer) {
    if (timer === 'T') startInquiry(node, here)
    if (timer === 'T2') inquire(node, here)
    if (timer === 'news') remind(node, here)
  },

  /** A crash ended the timers; the memory says what for. */
  restart(node, here, memory) {
    if (!memory) return startRecovery(node, here)
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
      node.requested[from] = Math.max(node.requested[from], number)
      const { token } = node
      if (token !== null && !node.using && node.requested[from] > token.served[from]) {
        pass(node, here, token, from)
      }
    },

    token(node, here, message) {
      const { age, token } = message
      if (isCopy(node, message, here.self)) return
      if (isBefore(age, node.age)) {
        if (node.inquiry === null) ask(node, here)
        return
      }
      node.age = latest(age, bid(node, here.self))
      enter(node, here, token)
    },

    ...receiveInquiry,
    ...receiveMembership,
  },
}

/** An extension may need the numbers of ages as they are. */
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

/** One for a request that was granted already, or that we have forgotten. */
function isCopy(node: State, { token }: Extract<Message, { type: 'token' }>, self: NodeId): boolean {
  const isAwaited = node.waiting && token.served[self] === node.requested[self] - 1
  return !isAwaited || node.recovery !== null
}

/** The token lies where the last requester was: at light load the next one is that node once in n times. */
function costs({ nodes, options }: Setup<Options>, mean: number): Prediction {
  if (options.T >= PATIENT) return { min: 0, max: nodes === 1 ? 0 : nodes, mean }
  return { min: 0, max: Number.POSITIVE_INFINITY, mean: null }
}
