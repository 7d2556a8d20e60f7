/**
 * Suzuki and Kasami, "A distributed mutual exclusion algorithm", ACM TOCS 3(4), 1985; here after Velazquez
 * 1993, section 4 and appendix A.
 *
 * The node that holds the token may enter. A node without it broadcasts a numbered request. The token carries a queue
 * of nodes and, for each node, the number of its request that was served last. The holder knows the number of each
 * node's latest request from the broadcasts. If the two differ, that node waits.
 *
 * Why it is safe: there is one token, and only its holder enters. Why nobody starves: a request reaches the holder or a
 * future holder, and the token's queue is first come, first served.
 *
 * Assumes reliable channels between every two nodes; no order. An entry costs n messages, or none when the
 * token lies idle here.
 *
 * Where we differ:
 *  - Appendix A prints the release as two steps: it looks for waiting nodes, finds none, and only then stops being
 *    busy. A request handled in between is recorded, but nothing acts on it any more. Our release is one step.
 *  - We ask whether a request is newer than the last one served, not whether it is exactly the next.
 *  - The holder queues waiting nodes from its right-hand neighbour on (`scan=cyclic`), which favours none. The paper's
 *    order is by name (`scan=ascending`).
 */
import type { Algorithm, Here, NodeId } from '@turnwise/core/algorithm'
import { get, increase } from '@turnwise/core/bounds'
import { firstHolder, type Setup } from '@turnwise/core/setup'
import { line } from './suzuki-kasami-places.ts'
import { settled } from './suzuki-kasami-settled.ts'

interface Token {
  /** Q, the nodes that waited at the last exit, in order. */
  readonly queue: readonly NodeId[]
  /** LN[j], the number of node j's request that was served last. */
  readonly served: readonly number[]
  /** Counts the entries. */
  readonly fence: number
}

export type Message =
  | { readonly type: 'request'; readonly number: number }
  | { readonly type: 'privilege'; readonly token: Token }

export interface State {
  /** RN[j], the highest request number heard from node j. */
  requested: number[]
  /** Have_Privilege: the token, or null. */
  token: Token | null
  /** Whether we are inside; the paper's Requesting is this or waiting. */
  using: boolean
}

export interface Options {
  scan: 'cyclic' | 'ascending'
}

export const suzukiKasami: Algorithm<State, Message, Options> = {
  facts: {
    name: 'suzuki-kasami',
    title: 'Suzuki-Kasami',
    year: 1985,
    family: 'token',
    idea:
      'The node that holds the token may enter. Others broadcast numbered requests. The token carries the queue ' +
      'and remembers which numbers have been served, so its holder knows which nodes still wait.',
    sources: ['velazquez-1993 §4', 'velazquez-1993 appendix A'],
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
    scan: {
      kind: 'choice',
      default: 'cyclic',
      choices: ['cyclic', 'ascending'],
      title: 'Waiting nodes are served',
      about: 'order in which the holder looks for waiting nodes: from its neighbour on, or by number',
    },
  },
  shapes: {
    state: {
      requested: { perNode: { clock: 'number', of: 'index' } },
      token: tokenShape(),
      using: 'data',
    },
    messages: { request: { number: { clock: 'number', of: 'sender' } }, privilege: { token: tokenShape() } },
    fence: { clock: 'fence', scaled: false },
  },
  tokens: {
    held: ({ token }) => (token === null ? 0 : 1),
    carried: ({ type }) => (type === 'privilege' ? 1 : 0),
  },
  line,
  settled,

  init(self, setup) {
    const zeros = () => Array.from({ length: setup.nodes }, () => 0)
    return {
      requested: zeros(),
      token: self === firstHolder(setup) ? { queue: [], served: zeros(), fence: 0 } : null,
      using: setup.inside.includes(self),
    }
  },

  request(node, here) {
    if (node.token !== null) {
      here.because?.('node {self} has the token')
      return enter(node, here, node.token)
    }
    const number = increase(node.requested, here.self)
    here.because?.('any node may have the token: node {self} sends its request {number} to all', { number })
    here.sendToOthers({ type: 'request', number })
  },

  release(node, here) {
    const { token } = node
    if (token === null) return
    node.using = false
    const served = token.served.with(here.self, get(node.requested, here.self))
    const queue = [...token.queue]
    for (const other of scan(here.self, here.setup)) {
      if (!queue.includes(other) && get(node.requested, other) > get(served, other)) queue.push(other)
    }
    const next = queue.shift()
    node.token = { queue, served, fence: token.fence }
    if (next === undefined)
      return here.because?.('the token knows of no request that is not served: it stays at node {self}')
    here.because?.('node {next} is the first in the queue of the token', { next })
    pass(node, here, next)
  },

  receive: {
    request(node, here, { number }, from) {
      node.requested[from] = Math.max(get(node.requested, from), number)
      const { token } = node
      if (token === null)
        return here.because?.('node {self} has no token, and notes that node {from} asks', { from })
      if (node.using)
        return here.because?.('node {self} is inside: node {from} must wait until it leaves', { from })
      if (node.requested[from] <= get(token.served, from))
        return here.because?.('request {number} of node {from} was served before it came', { number, from })
      here.because?.(
        'the token lies unused at node {self}, and request {number} of node {from} is not served',
        {
          number,
          from,
        },
      )
      pass(node, here, from)
    },

    privilege(node, here, { token }) {
      here.because?.('the token has come to node {self}, which asked for it')
      enter(node, here, token)
    },
  },
}

function enter(node: State, here: Here<Message, Options>, token: Token): void {
  node.token = { ...token, fence: token.fence + 1 }
  node.using = true
  here.enter(node.token.fence)
}

export function pass(node: State, here: Pick<Here<Message>, 'send'>, to: NodeId): void {
  here.send(to, { type: 'privilege', token: node.token as Token })
  node.token = null
}

/** The other nodes, in the order in which a holder looks for waiting nodes. */
export function scan(self: NodeId, { nodes, options }: Setup<Options>): NodeId[] {
  const first = options.scan === 'cyclic' ? self + 1 : 0
  return Array.from({ length: nodes }, (_, step) => (first + step) % nodes).filter((node) => node !== self)
}

function bounds(nodes: number) {
  return { min: 0, max: nodes === 1 ? 0 : nodes }
}

function tokenShape() {
  return {
    fields: {
      queue: { list: 'node' },
      served: { perNode: { clock: 'number', of: 'index' } },
      fence: { clock: 'fence' },
    },
  } as const
}
