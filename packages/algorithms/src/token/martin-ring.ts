/**
 * Martin, "Distributed mutual exclusion on a ring of processes", Science of Computer Programming 5, 1985, second
 * algorithm (reflecting privilege); here after what Helary, Plouzeau and Raynal 1988 say of it in sections 3 and 6.
 *
 * The nodes form a ring. A request travels to the right until it meets the privilege, which is reflected: it comes back
 * to the left along the way of the request, to the node that asked. There it stays until the next request. A node asks
 * its right-hand neighbour once, for itself or for its left-hand neighbour, whichever asked first. If the other still
 * waits when the privilege has passed through, it asks again.
 *
 * Why it is safe: there is one privilege, and only its holder enters. Why nobody starves: a node serves itself and
 * its left-hand neighbour in the order in which they asked, and a request that goes on to the right meets the
 * privilege before it is back.
 *
 * Assumes a ring of reliable channels, used in both directions; no order; nodes need no names. A privilege that is idle
 * d hops to the right costs d requests and d privileges: 0 to 2(n-1) messages, n-1 on average. When all nodes ask, it
 * walks to the left and each hop is an entry: 2 messages.
 *
 * Where we differ: Martin's processes communicate synchronously, so a node handles one request until the privilege has
 * come. Here it queues both of its customers. The privilege carries a counter as fence.
 */
import { type Algorithm, type Here, impossible, type NodeId } from '@turnwise/core/algorithm'
import { exactly } from '@turnwise/core/facts'
import { firstHolder } from '@turnwise/core/setup'

export type Message =
  /** Always to the right. */
  | { readonly type: 'request' }
  /** Always to the left. */
  | { readonly type: 'privilege'; readonly fence: number }

type Customer = 'self' | 'left'

export interface State {
  /** The customers that wait here for the privilege, each once, in the order in which they asked. */
  queue: Customer[]
  /** Whether a request to the right is under way. */
  asked: boolean
  using: boolean
  /** The last fence given out, where the privilege is; null elsewhere. */
  fence: number | null
}

export const martinRing: Algorithm<State, Message> = {
  facts: {
    name: 'martin-ring',
    title: 'Martin reflecting privilege',
    year: 1985,
    family: 'token',
    idea:
      'On a ring, requests travel to the right until they meet the token, which comes back to the left along the same ' +
      'way. A node asks once for itself or its left-hand neighbour, whichever asked first, and again for the other.',
    sources: ['helary-plouzeau-raynal-1988 §3', 'helary-plouzeau-raynal-1988 §6'],
    entries: 1,
    sharedMode: false,
    channels: 'unordered',
    topology: 'ring',
    knows: 'neighbours',
    quorums: false,
    messages: {
      formula: '2d, d the distance to the token; at most 2(n-1)',
      // The token is at the last requester. The next one is at any distance from 0 to n-1 with equal probability.
      light: ({ nodes }) => ({ min: 0, max: 2 * (nodes - 1), mean: nodes - 1 }),
      heavy: ({ nodes }) => (nodes === 1 ? exactly(0) : { min: 0, max: 2 * (nodes - 1), mean: 2 }),
    },
    syncDelay: {
      formula: 'the distance to the next, at most n-1',
      hops: ({ nodes }) => ({ min: 1, max: Math.max(1, nodes - 1) }),
    },
    faults: ['spike', 'pause'],
    fallsSilent: true,
    timing: 'any',
    timers: {},
  },
  options: {},
  shapes: {
    state: { queue: 'data', asked: 'data', using: 'data', fence: { clock: 'fence' } },
    messages: { request: {}, privilege: { fence: { clock: 'fence' } } },
    fence: { clock: 'fence', scaled: false },
  },
  tokens: {
    held: ({ fence }) => (fence === null ? 0 : 1),
    carried: ({ type }) => (type === 'privilege' ? 1 : 0),
  },

  init(self, setup) {
    return {
      queue: [],
      asked: false,
      using: setup.inside.includes(self),
      fence: self === firstHolder(setup) ? 0 : null,
    }
  },

  request(node, here) {
    enqueue(node, here, 'self')
    serve(node, here)
    ask(node, here)
  },

  release(node, here) {
    node.using = false
    // At most the left-hand neighbour waits here, and it is served: there is nothing to ask for.
    serve(node, here)
  },

  receive: {
    request(node, here) {
      enqueue(node, here, 'left')
      serve(node, here)
      ask(node, here)
    },

    privilege(node, here, { fence }) {
      node.asked = false
      node.fence = fence
      serve(node, here)
      ask(node, here)
    },
  },
}

/** Both customers ask once and then wait until they are served. */
function enqueue(node: State, here: Here<Message>, customer: Customer): void {
  if (node.queue.includes(customer)) impossible(`node ${here.self}: ${customer} asks a second time`)
  node.queue.push(customer)
}

/** If the privilege is here and free, it goes to the first customer. */
export function serve(node: State, here: Here<Message>): void {
  if (node.fence === null) return
  if (node.using) return here.because?.('node {self} is inside: its left neighbour waits')
  const first = node.queue.shift()
  if (first === 'self') {
    here.because?.('node {self} has the privilege, and is its own first customer')
    node.using = true
    node.fence += 1
    here.enter(node.fence)
  } else if (first === 'left') {
    const left = leftOf(here)
    here.because?.('the first customer of node {self} is its left neighbour, node {left}', { left })
    here.send(left, { type: 'privilege', fence: node.fence })
    node.fence = null
  } else here.because?.('node {self} keeps the privilege: no customer waits')
}

/** Asks once for the privilege, which is somewhere to the right, if a customer waits here. */
function ask(node: State, here: Here<Message>): void {
  if (node.fence !== null || node.queue.length === 0) return
  if (node.asked) return here.because?.('node {self} has asked already, once for both its customers')
  const right = rightOf(here)
  here.because?.('the privilege is somewhere to the right of node {self}: it asks node {right}', { right })
  node.asked = true
  here.send(right, { type: 'request' })
}

function rightOf({ self, setup }: Here<Message>): NodeId {
  return (self + 1) % setup.nodes
}

function leftOf({ self, setup }: Here<Message>): NodeId {
  return (self + setup.nodes - 1) % setup.nodes
}
