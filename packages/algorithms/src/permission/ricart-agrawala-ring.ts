/**
 * Ricart and Agrawala, "An optimal algorithm for mutual exclusion in computer networks", CACM 24(1), 1981,
 * section 6.3: requests that travel round a logical circuit of all nodes.
 *
 * A node that wants to enter sends one request to its successor, which sends it on, and so forth. A node that would
 * defer its reply in `ricart-agrawala` holds the request instead, and sends it on when it leaves. When the request is
 * back at its origin, all others have let it pass, and the origin enters.
 *
 * Why it is safe, and why nobody starves: letting a request pass is a reply, and holding it is deferring. Of two nodes
 * that both want to enter, exactly one lets the other's request pass. Every node a request passes learns its number.
 *
 * Assumes a ring of reliable channels, node i to node i+1; messages may overtake each other. An entry costs exactly n
 * messages, the minimum for any symmetric distributed algorithm without broadcasts or timing (footnote 3). Nothing
 * happens in parallel: an entry takes n message delays without competition, and up to n-1 after an exit.
 *
 * Where we differ: a node records the number it sent, as in `ricart-agrawala`. Held requests go on in the order they came.
 */
import type { Algorithm, Here, NodeId } from '@turnwise/core/algorithm'
import { exactly } from '@turnwise/core/facts'
import { comesFirst } from './priority.ts'
import { fence } from './ricart-agrawala.ts'

/** A REQUEST on its way round: who asks, and with which sequence number. */
export interface Travelling {
  readonly number: number
  readonly node: NodeId
}

type Message = { readonly type: 'request'; readonly request: Travelling }

interface State {
  /** Highest_Sequence_Number: the highest number sent or received. */
  highest: number
  /** Our_Sequence_Number while waiting and inside; null otherwise. */
  ours: number | null
  /** Requests that go on when we leave, in the order they came. */
  held: Travelling[]
}

const TRAVELLING = { fields: { number: { clock: 'number' }, node: 'node' } } as const

export const ricartAgrawalaRing: Algorithm<State, Message> = {
  facts: {
    name: 'ricart-agrawala-ring',
    title: 'Ricart-Agrawala, ring',
    year: 1981,
    family: 'permission',
    idea:
      'A request travels round a ring of all nodes. A node that comes first holds it until it has left itself. When the ' +
      'request is back where it started, all have let it pass. Costs n messages for each entry, and n message delays.',
    sources: ['ricart-agrawala-1981 §6.3'],
    entries: 1,
    sharedMode: false,
    channels: 'unordered',
    topology: 'ring',
    knows: 'neighbours',
    quorums: false,
    messages: {
      formula: 'n',
      light: ({ nodes }) => exactly(nodes === 1 ? 0 : nodes),
      heavy: ({ nodes }) => exactly(nodes === 1 ? 0 : nodes),
    },
    syncDelay: {
      formula: '1 to n-1',
      hops: ({ nodes }) => ({ min: 1, max: Math.max(1, nodes - 1) }),
    },
    faults: ['spike', 'pause'],
    fallsSilent: true,
    timing: 'any',
    timers: {},
  },
  options: {},
  shapes: {
    state: { highest: { clock: 'number' }, ours: { clock: 'number' }, held: { list: TRAVELLING } },
    messages: { request: { request: TRAVELLING } },
    fence: { clock: 'number', scaled: true },
  },

  init: (self, { inside }) => ({ highest: 0, ours: inside.includes(self) ? 0 : null, held: [] }),

  request(node, here) {
    node.ours = node.highest + 1
    node.highest = node.ours
    if (here.setup.nodes === 1) {
      here.because?.('the ring of node {self} has no other node')
      return here.enter(fence(node.ours, here.self, 1))
    }
    here.because?.('node {self} takes number {number}, above all it has seen: all others must let it pass', {
      number: node.ours,
    })
    pass(here, { number: node.ours, node: here.self })
  },

  release(node, here) {
    node.ours = null
    const held = node.held.map((request) => request.node)
    if (held.length === 0) here.because?.('node {self} has left, and holds no request')
    else here.because?.('node {self} has left: nothing holds the requests of {held} here any more', { held })
    for (const request of node.held) pass(here, request)
    node.held = []
  },

  receive: {
    request(node, here, { request }) {
      if (request.node === here.self) {
        here.because?.('the request of node {self} is back: all others have let it pass')
        return here.enter(fence(request.number, here.self, here.setup.nodes))
      }
      node.highest = Math.max(node.highest, request.number)
      if (comesFirst(node.ours, here, { time: request.number, node: request.node })) node.held.push(request)
      else pass(here, request)
    },
  },
}

export function pass(here: Here<Message>, request: Travelling): void {
  here.send((here.self + 1) % here.setup.nodes, { type: 'request', request })
}
