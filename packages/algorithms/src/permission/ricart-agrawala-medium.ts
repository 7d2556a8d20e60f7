/**
 * Ricart and Agrawala, "An optimal algorithm for mutual exclusion in computer networks", CACM 24(1), 1981,
 * section 6.2.1: a broadcast medium that puts all messages in one order.
 *
 * The medium orders the requests, so they need no numbers: the request heard first comes first. All nodes, the sender
 * included, hear the same requests in the same order, and one broadcast at exit is the reply to all of them. A node
 * enters when the sender of every request heard before its own has broadcast its reply.
 *
 * Why it is safe: all keep the same line of requests, though not all at the same time, and only its head is inside. Why
 * nobody starves: the line is exactly first come, first served; no request is ever overtaken.
 *
 * Assumes a reliable medium that all hear in one order, themselves included. An entry costs 2 messages whatever the
 * number of nodes. Without competition a node enters as soon as it hears its own request.
 *
 * Where we differ: a node that is alone sends nothing. The fence counts the entries, as the number of replies heard.
 */
import { type Algorithm, type Here, impossible, type NodeId } from '@turnwise/core/algorithm'
import { exactly } from '@turnwise/core/facts'

type Message =
  | { readonly type: 'request' }
  /** REPLY, to all: I have left. */
  | { readonly type: 'reply' }

export interface State {
  /** The nodes that have broadcast a REQUEST and not yet the REPLY, in the order of the medium. */
  line: NodeId[]
  /** How many entries have ended, as far as we have heard. */
  ended: number
}

export const ricartAgrawalaMedium: Algorithm<State, Message> = {
  facts: {
    name: 'ricart-agrawala-medium',
    title: 'Ricart-Agrawala, ordered medium',
    year: 1981,
    family: 'permission',
    idea:
      'A broadcast medium puts all requests in one order that everyone hears, so they need no numbers. One more ' +
      'broadcast at exit is the reply to all. Enter when all whose requests were heard before yours have left.',
    sources: ['ricart-agrawala-1981 §6.2.1'],
    entries: 1,
    sharedMode: false,
    channels: 'unordered',
    medium: 'ordered broadcast',
    topology: 'complete',
    knows: 'everyone',
    quorums: false,
    messages: {
      formula: '2',
      light: ({ nodes }) => exactly(nodes === 1 ? 0 : 2),
      heavy: ({ nodes }) => exactly(nodes === 1 ? 0 : 2),
    },
    syncDelay: { formula: '1', hops: () => ({ min: 1, max: 1 }) },
    faults: ['pause'],
    fallsSilent: true,
    timing: 'any',
    timers: {},
  },
  options: {},
  shapes: {
    state: { line: { list: 'node' }, ended: { clock: 'entry' } },
    messages: { request: {}, reply: {} },
    fence: { clock: 'entry', scaled: false },
  },

  init: (_self, { inside }) => ({ line: [...inside], ended: 0 }),

  request(node, here) {
    if (here.setup.nodes === 1) return join(node, here, here.self)
    here.because?.('the medium gives the request of node {self} its place in the line of all')
    here.broadcast({ type: 'request' })
  },

  release(node, here) {
    if (here.setup.nodes === 1) return leave(node, here, here.self)
    here.because?.('node {self} has left: one broadcast is its reply to all that wait')
    here.broadcast({ type: 'reply' })
  },

  receive: {
    request: (node, here, _request, from) => join(node, here, from),
    reply: (node, here, _reply, from) => leave(node, here, from),
  },
}

export function join(node: State, here: Here<Message>, who: NodeId): void {
  node.line.push(who)
  const [first = who] = node.line
  if (node.line.length === 1) enterIfFirst(node, here)
  else
    here.because?.('node {who} is at place {place} in line, and node {first} is first', {
      who,
      place: node.line.length,
      first,
    })
}

function leave(node: State, here: Here<Message>, who: NodeId): void {
  if (node.line.shift() !== who)
    impossible(`node ${who} leaves, but was not first in the line of node ${here.self}`)
  node.ended += 1
  enterIfFirst(node, here)
}

function enterIfFirst({ line: [first], ended }: State, here: Here<Message>): void {
  if (first === undefined) return here.because?.('nobody is in line at node {self} now')
  if (first !== here.self)
    return here.because?.('node {first} is first in line, and node {self} is not', { first })
  here.because?.('node {self} is first in line: all that were heard before it have left')
  here.enter(ended + 1)
}
