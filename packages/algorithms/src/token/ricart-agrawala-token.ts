/**
 * Ricart and Agrawala, "Author response to 'On mutual exclusion in computer networks' by Carvalho and Roucairol",
 * CACM 26(2), 1983; here after Velazquez 1993, section 4, and Kessler 2024 (Ricart-Agrawala second algorithm).
 *
 * The node that holds the token may enter. A node without it sends a stamped request to all others, which remember the
 * latest stamp of each node. The token carries the stamp of each node's last turn. If the request of a node is later,
 * that node waits. On leaving, the holder looks for such a node from its right-hand neighbour on, once around; if there
 * is none it keeps the token, and may enter again without a message.
 *
 * Why it is safe: there is one token, and only its holder enters. Why nobody starves: a request reaches all nodes, and
 * the token moves around in one direction without skipping a node that is known to wait.
 *
 * Assumes reliable channels between every two nodes; no order. An entry costs n messages, n-1 requests and the
 * token, or none with the token here. Service is in circular order, not first come first served.
 *
 * Where we differ:
 *  - In the survey any request moves an idle token, so a late request, served long ago, moves it to a node that does
 *    not wait. We test the stamp there too.
 *  - The lecture stamps with a logical clock (`stamps=clock`) and names no tick between the stamp of a turn and that of
 *    the next request, which would then look served. We tick.
 *  - The lecture says that only a crash of the holder stops the others. The crash of a waiting node does too.
 *  - The token carries a counter as fence.
 */
import type { Algorithm, Here, NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { firstHolder } from '@turnwise/core/setup'
import { settled } from './ricart-agrawala-token-settled.ts'

export interface Token {
  /** token[j], the stamp that node j's own clock or counter showed when it last passed the token on. */
  readonly served: readonly number[]
  /** Counts the entries. */
  readonly fence: number
}

export type Message =
  | { readonly type: 'request'; readonly stamp: number }
  | { readonly type: 'token'; readonly token: Token }

export interface State {
  /** my_sequence_number, or with `stamps=clock` the logical clock C. */
  clock: number
  /** request[j], the latest stamp heard from node j. */
  requested: number[]
  /** TOKEN-PRESENT or TOKEN-HELD: the token; NO-TOKEN: null. */
  token: Token | null
  /** TOKEN-HELD: is inside. */
  using: boolean
}

export interface Options {
  stamps: 'counters' | 'clock'
}

export const ricartAgrawalaToken: Algorithm<State, Message, Options> = {
  facts: {
    name: 'ricart-agrawala-token',
    title: 'Ricart-Agrawala token',
    year: 1983,
    family: 'token',
    idea:
      'The node that holds the token may enter. Others send stamped requests to all. The token remembers the ' +
      "stamp of each node's last turn, so its holder knows which nodes still wait, and passes it to the next of " +
      'them around the circle.',
    sources: ['velazquez-1993 §4', 'kessler-2024'],
    entries: 1,
    sharedMode: false,
    channels: 'unordered',
    topology: 'complete',
    knows: 'everyone',
    quorums: false,
    messages: {
      formula: 'n, or 0 with the token here',
      // The token is at the last requester, which is the next requester once in n times.
      light: ({ nodes }) => ({ ...bounds(nodes), mean: nodes - 1 }),
      heavy: ({ nodes }) => ({ ...bounds(nodes), mean: bounds(nodes).max }),
    },
    syncDelay: { formula: '1', hops: () => ({ min: 1, max: 1 }) },
    faults: ['spike', 'pause'],
    fallsSilent: true,
    timing: 'any',
    timers: {},
  },
  options: {
    stamps: {
      kind: 'choice',
      default: 'counters',
      choices: ['counters', 'clock'],
      title: 'Requests are stamped with',
      about: 'what requests are stamped with: a count of the own requests, or a logical clock',
    },
  },
  shapes: {
    state: { clock: stamp(), requested: { perNode: stamp() }, token: tokenShape(), using: 'data' },
    messages: { request: { stamp: stamp() }, token: { token: tokenShape() } },
    fence: { clock: 'fence', scaled: false },
  },
  tokens: {
    held: ({ token }) => (token === null ? 0 : 1),
    carried: ({ type }) => (type === 'token' ? 1 : 0),
  },
  settled,

  init(self, setup) {
    const zeros = () => Array.from({ length: setup.nodes }, () => 0)
    return {
      clock: 0,
      requested: zeros(),
      token: self === firstHolder(setup) ? { served: zeros(), fence: 0 } : null,
      using: setup.inside.includes(self),
    }
  },

  request(node, here) {
    if (node.token !== null) {
      here.because?.('node {self} has the token')
      return enter(node, here, node.token)
    }
    // The tick before the stamp: the token may carry the value that the clock has now.
    node.clock += 1
    here.because?.('any node may have the token: node {self} asks all, with stamp {stamp}', {
      stamp: node.clock,
    })
    here.sendToOthers({ type: 'request', stamp: node.clock })
  },

  release(node, here) {
    node.using = false
    here.because?.('node {self} has left')
    passToNext(node, here)
  },

  receive: {
    request(node, here, message, from) {
      hear(node, here, message.stamp, from)
      if (node.token === null)
        here.because?.('node {self} has no token, and notes that node {from} asks', { from })
      else if (node.using)
        here.because?.('node {self} is inside: node {from} must wait until it leaves', { from })
      if (!node.using) passToNext(node, here)
    },

    token(node, here, { token }) {
      here.because?.('the token has come to node {self}, which asked for it')
      enter(node, here, token)
    },
  },
}

/** Requests may overtake each other: the latest stamp counts. */
export function hear(node: State, here: Here<Message, Options>, stamp: number, from: NodeId): void {
  node.requested[from] = Math.max(get(node.requested, from), stamp)
  if (here.setup.options.stamps === 'clock') node.clock = Math.max(node.clock, stamp + 1)
}

function enter(node: State, here: Here<Message, Options>, token: Token): void {
  node.token = { ...token, fence: token.fence + 1 }
  node.using = true
  here.enter(node.token.fence)
}

/** From the right-hand neighbour on, once around: the first whose last request is later than its last turn. */
function passToNext(node: State, here: Here<Message, Options>): void {
  const { token } = node
  if (token === null) return
  const { nodes } = here.setup
  for (let step = 1; step < nodes; step += 1) {
    const other = (here.self + step) % nodes
    if (get(node.requested, other) <= get(token.served, other)) continue
    here.because?.('node {other} is the first to the right that has asked since its last turn', { other })
    return pass(node, here, token, other)
  }
  here.because?.('the token stays at node {self}: nobody has asked since its last turn')
}

/** The survey marks the own turn on leaving, the lecture on passing the token on. Nothing reads the mark in between. */
export function pass(node: State, here: Here<Message, Options>, token: Token, to: NodeId): void {
  const served = token.served.with(here.self, node.clock)
  here.send(to, { type: 'token', token: { served, fence: token.fence } })
  node.token = null
}

function bounds(nodes: number) {
  return { min: 0, max: nodes === 1 ? 0 : nodes }
}

/** With `stamps=clock` the stamps of all nodes are values of one clock. */
function stamp() {
  return { clock: 'stamp' } as const
}

function tokenShape() {
  return { fields: { served: { perNode: stamp() }, fence: { clock: 'fence' } } } as const
}
