/**
 * Mishra and Srimani, "Fault-tolerant mutual exclusion algorithms", Journal of Systems and Software 11(2), 1990, the
 * first of the two; here after Velazquez 1993, section 4.
 *
 * Suzuki and Kasami's algorithm with bounded numbers (`suzuki-kasami-bounded`) that survives the failure of one node. A
 * node that has waited for T asks all others whether they have the token (PRIVILEGE_CHECK). If one has it
 * (REP_CRITICAL), it was a false alarm. If all but the failed one say no (NO_CRIT), the node announces a new token
 * (CREATE_PRIVILEGE) and makes it from their reports (UPDATE). The rules are in `mishra-srimani-regeneration`.
 *
 * Why it is safe: a node that has said NO_CRIT enters with no token until it knows how the check ended. A new token is
 * of a later epoch, and nodes discard tokens of earlier epochs. Why nobody starves: as in `suzuki-kasami-bounded`, and
 * every check ends in a false alarm or in a new token whose queue holds all waiting nodes.
 *
 * Assumes reliable channels between every two nodes, in no order; that at most one node fails, and stays away; and that
 * a living node answers within T2. A holder that does not is taken for dead, and there are two tokens. This happens in
 * a partition. A T that is too short only costs messages. L entries of one node cost L n + (n-1) messages as long as no
 * node fails, a recovery (n-1)+(n-2)+(n-1)+(n-2)+(n-1).
 *
 * Where we differ, here (the numbers) and there (the recovery):
 *  - The survey's L n + (n-1) is for L entries of a node, not for one.
 *  - A failed node acknowledges no round of numbers. A node that keeps the token for a single missing acknowledgement
 *    stops waiting for it after T2.
 *  - The survivors may not know how often the failed node has entered, so the fence of a new token leaps.
 */
import { type Algorithm, type Here, impossible, type NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import type { Prediction } from '@turnwise/core/facts'
import { firstHolder, type Setup } from '@turnwise/core/setup'
import {
  answers,
  type Check,
  enter,
  initiatorOverdue,
  learn,
  type RecoveryMessage,
  type RecoveryState,
  receiveRecovery,
  recoveryMessageShapes,
  recoveryStateShapes,
  startCheck,
  wait,
} from './mishra-srimani-regeneration.ts'
import { scan } from './suzuki-kasami.ts'
import {
  type Options as BoundedOptions,
  beginnings,
  type Numbered,
  nextRound,
  prediction,
  record,
  suzukiKasamiBounded,
  waits,
} from './suzuki-kasami-bounded.ts'

export interface Token {
  /** Q, the nodes that waited at the last exit, in order. */
  readonly queue: readonly NodeId[]
  /** LN[j], the number of node j's request that was served last. */
  readonly served: readonly Numbered[]
  /** How often the token has been made anew. */
  readonly epoch: number
  /** Rises with every entry. */
  readonly fence: number
}

export type Message =
  | ({ readonly type: 'request' } & Numbered)
  | { readonly type: 'privilege'; readonly token: Token }
  | { readonly type: 'ack' }
  | RecoveryMessage

export interface State extends RecoveryState {
  /** RN[j], the latest request number heard from node j. */
  requested: Numbered[]
  /** How many requests of node j's round have arrived, up to L - 1: with the L-th the count begins again. */
  arrived: number[]
  /** The nodes that have acknowledged our L-th request. */
  acknowledged: boolean[]
  /** Have_Privilege: the token, or null. */
  token: Token | null
  waiting: boolean
  using: boolean
  /** Whether we want to enter, but keep the token back. */
  putOff: boolean
}

export interface Options extends BoundedOptions {
  T: number
  T2: number
}

/**
 * The least T for which the costs are claimed. If all nodes wait, n stays inside and n message delays pass before a
 * request is granted. No node checks without need as long as one stay and one delay together last less than T.
 */
const PATIENT = 100

export const mishraSrimani: Algorithm<State, Message, Options> = {
  facts: {
    ...suzukiKasamiBounded.facts,
    name: 'mishra-srimani',
    title: 'Mishra-Srimani',
    year: 1990,
    idea:
      "Suzuki and Kasami's token with bounded numbers, and a way to replace it when a node fails. A node that " +
      'misses it asks all others. If none has it, it makes a new one from what the survivors know.',
    sources: ['velazquez-1993 §4', 'velazquez-1993 §4.1'],
    messages: {
      formula: 'n + (n-1)/L, or 0 with the token here; Ln + (n-1) for L entries of a node',
      letters: ({ options: { L } }) => ({ L: { min: L, max: L } }),
      light: (setup) => costs(setup, (setup.nodes - 1) / setup.nodes),
      heavy: (setup) => costs(setup, 1),
    },
    syncDelay: {
      formula: '1',
      hops: ({ options }) => ({ min: 1, max: options.T >= PATIENT ? 1 : Number.POSITIVE_INFINITY }),
    },
    faults: ['crash'],
    mostCrashes: 1,
    timing: 'bounded',
    timers: { T: 'time-out', answers: 'time-out', acks: 'time-out', initiator: 'time-out' },
  },
  options: {
    ...suzukiKasamiBounded.options,
    T: {
      kind: 'integer',
      default: PATIENT,
      min: 1,
      title: 'Wait for the token (T)',
      about: 'units of time, for each node of the system, that a node waits for the token before it checks',
    },
    T2: {
      kind: 'integer',
      default: 500,
      min: 10,
      title: 'Wait for answers (T2)',
      about: 'units of time within which every living node answers',
    },
  },
  shapes: {
    state: {
      requested: { perNode: 'data' },
      arrived: { perNode: 'data' },
      acknowledged: { perNode: 'data' },
      token: tokenShape(),
      waiting: 'data',
      using: 'data',
      putOff: 'data',
      parked: tokenShape(),
      ...recoveryStateShapes,
    },
    messages: {
      request: { round: 'data', number: 'data' },
      privilege: { token: tokenShape() },
      ack: {},
      ...recoveryMessageShapes,
    },
    fence: { clock: 'fence', scaled: false },
  },
  tokens: {
    held: ({ token, parked }) => (token === null ? 0 : 1) + (parked === null ? 0 : 1),
    carried: ({ type }) => (type === 'privilege' ? 1 : 0),
    isVoid: (message, { epoch }) => message.type === 'privilege' && message.token.epoch < epoch,
  },

  init(self, setup) {
    const { nodes } = setup
    const token = { queue: [], served: beginnings(nodes), epoch: 0, fence: 0 }
    return {
      requested: beginnings(nodes),
      arrived: Array.from({ length: nodes }, () => 0),
      acknowledged: Array.from({ length: nodes }, () => false),
      token: self === firstHolder(setup) ? token : null,
      waiting: false,
      using: setup.inside.includes(self),
      putOff: false,
      epoch: 0,
      fence: 0,
      failed: null,
      checks: 0,
      checking: null,
      creating: null,
      following: Array.from({ length: nodes }, () => null),
      parked: null,
    }
  },

  request(node, here) {
    ask(node, here)
  },

  release(node, here) {
    node.using = false
    if (node.token === null) here.because?.('node {self} has left, and its token was replaced meanwhile')
    handOn(node, here)
    if (isKeptBack(node, here)) here.setTimer('acks', here.setup.options.T2)
  },

  timeout(node, here, timer) {
    if (timer === 'T') startCheck(node, here)
    if (timer === 'answers') answers.overdue(node, here)
    if (timer === 'acks') acksOverdue(node, here)
    if (timer === 'initiator') initiatorOverdue(node, here)
  },

  receive: {
    request(node, here, request, from) {
      record(node, request, from)
      node.arrived[from] = (get(node.arrived, from) + 1) % here.setup.options.L
      if (node.arrived[from] === 0) {
        here.because?.('node {self} has all requests of a round of node {from}, and acknowledges them', {
          from,
        })
        here.send(from, { type: 'ack' })
      } else
        here.because?.('node {self} notes request {number} of node {from}', { number: request.number, from })
      handOn(node, here)
    },

    privilege(node, here, { token }) {
      if (token.epoch < node.epoch)
        return here.because?.('this token is of epoch {old}, and was replaced: epoch {epoch} has begun', {
          old: token.epoch,
          epoch: node.epoch,
        })
      if (!node.waiting) impossible('a token comes to a node that does not wait')
      const checks = node.following.flatMap((number, initiator): Check[] =>
        number === null ? [] : [{ initiator, number }],
      )
      if (checks.length === 0) {
        here.because?.('the token has come to node {self}, which asked for it')
        return enter(node, here, token)
      }
      here.because?.(
        'node {self} told {initiators} that it has no token: it uses none until the check is over',
        {
          initiators: checks.map(({ initiator }) => initiator),
        },
      )
      node.parked = token
      for (const check of checks) here.send(check.initiator, { type: 'rep-critical', check })
    },

    ack(node, here, _ack, from) {
      here.because?.('node {from} has all requests of the round of node {self}', { from })
      node.acknowledged[from] = true
      handOn(node, here)
    },

    ...receiveRecovery,

    'false-alarm'(node, here, message, from) {
      receiveRecovery['false-alarm'](node, here, message, from)
      // Now that we know who has failed, we need no longer wait for its acknowledgement.
      handOn(node, here)
    },
  },
}

function ask(node: State, here: Here<Message, Options>): void {
  const { round, number } = get(node.requested, here.self)
  if (node.token === null) {
    const next: Numbered = { round, number: number + 1 }
    node.requested[here.self] = next
    node.waiting = true
    here.because?.('any node may have the token: node {self} sends request {number} of its round to all', {
      number: next.number,
    })
    here.sendToOthers({ type: 'request', ...next })
    wait(here)
  } else if (number < here.setup.options.L) {
    here.because?.('node {self} has the token')
    enter(node, here, node.token)
  } else {
    here.because?.(
      'node {self} has used all {number} numbers of its round: it waits for the acknowledgements',
      { number },
    )
    node.putOff = true
  }
}

/** Passes a token that lies here unused, unless it must be kept back until the round is acknowledged. */
function handOn(node: State, here: Here<Message, Options>): void {
  if (node.token === null || node.using) return
  if (isKeptBack(node, here))
    return here.because?.(
      'the token stays at node {self}: its round lacks the acknowledgement of {missing}',
      {
        missing: unacknowledged(node, here),
      },
    )
  if (get(node.requested, here.self).number === here.setup.options.L) {
    node.requested[here.self] = nextRound(get(node.requested, here.self))
    here.because?.('all living nodes have acknowledged the round of node {self}: the next one begins')
    node.acknowledged.fill(false)
    here.cancelTimer('acks')
  }
  serveNext(node, here, node.token)
  if (node.putOff) {
    node.putOff = false
    ask(node, here)
  }
}

function isKeptBack(node: State, here: Here<Message, Options>): boolean {
  const isRoundOver = node.token !== null && get(node.requested, here.self).number === here.setup.options.L
  return isRoundOver && unacknowledged(node, here).length > 0
}

function unacknowledged({ acknowledged, failed }: State, { self, setup }: Here<Message, Options>): NodeId[] {
  return scan(self, setup).filter((other) => !acknowledged[other] && other !== failed)
}

/** All living nodes have acknowledged by now, and at most one has failed. */
function acksOverdue(node: State, here: Here<Message, Options>): void {
  const missing = unacknowledged(node, here)
  if (missing.length === 1 && node.failed === null) {
    here.because?.('{missing} has not acknowledged within T2', { missing })
    learn(node, here, get(missing, 0))
  }
  handOn(node, here)
  if (isKeptBack(node, here)) here.setTimer('acks', here.setup.options.T2)
}

function serveNext(node: State, here: Here<Message, Options>, token: Token): void {
  const served = token.served.with(here.self, get(node.requested, here.self))
  const queue = token.queue.filter((other) => other !== node.failed)
  for (const other of scan(here.self, here.setup)) {
    const isNew = !queue.includes(other) && other !== node.failed
    if (isNew && waits(get(node.requested, other), get(served, other))) queue.push(other)
  }
  const next = queue.shift()
  const handed = { ...token, queue, served }
  node.token = next === undefined ? handed : null
  if (next === undefined)
    return here.because?.('the token knows of no request that is not served: it stays at node {self}')
  here.because?.('node {next} is the first in the queue of the token', { next })
  here.send(next, { type: 'privilege', token: handed })
}

function costs(setup: Setup<Options>, asking: number): Prediction {
  if (setup.options.T >= PATIENT) return prediction(setup, asking)
  return { min: 0, max: Number.POSITIVE_INFINITY, mean: null }
}

function tokenShape() {
  return {
    fields: {
      queue: { list: 'node' },
      served: { perNode: 'data' },
      epoch: { clock: 'epoch' },
      fence: { clock: 'fence' },
    },
  } as const
}
