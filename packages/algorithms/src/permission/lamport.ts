/**
 * Lamport, "Time, clocks, and the ordering of events in a distributed system", CACM 21(7), 1978; told again
 * in Velazquez 1993, section 5.
 *
 * Every node keeps a queue of all requests, ordered by timestamp. To enter, a node puts its own request into
 * every queue; it enters when its request is first in its own queue and every other node has since sent it
 * something stamped later. On leaving it takes the request out of all queues.
 *
 * Why it is safe: a message stamped later than my request, on a channel that keeps order, means that every request of
 * that node with a smaller stamp has reached me already. So two nodes that each see themselves first would each have
 * seen the other's request. Entries follow timestamp order.
 *
 * Assumes reliable channels that keep order, between every two nodes. Every entry costs exactly 3(n-1)
 * messages, each stamped with the sender's clock.
 *
 * A reply carries the clock as it is after the receipt, so it is stamped later than the request (the paper's IR2).
 *
 * Where we differ: an option saves replies that the asker does not need, because a message with a later stamp is under
 * way to it anyway (2(n-1) to 3(n-1) messages).
 */
import type { Algorithm, Here } from '@turnwise/core/algorithm'
import { exactly } from '@turnwise/core/facts'
import { nodesWhere } from '@turnwise/core/reason'
import { precedes, type Timestamp, timestampFence } from '@turnwise/core/timestamp'

export type Message =
  | { readonly type: 'request'; readonly time: number }
  | { readonly type: 'reply'; readonly time: number }
  | { readonly type: 'release'; readonly time: number }

export interface State {
  /** C, the logical clock. */
  clock: number
  /** The request queue, by timestamp: for each node the time of its request, or null. */
  queue: (number | null)[]
  /** The nodes that sent a message with a stamp later than our request; null while we do not wait. */
  heard: boolean[] | null
  /** Whether we are inside. */
  inside: boolean
}

export interface Options {
  savereplies: boolean
}

export const lamport: Algorithm<State, Message, Options> = {
  facts: {
    name: 'lamport',
    title: 'Lamport',
    year: 1978,
    family: 'permission',
    idea:
      'All nodes keep the same queue of timestamped requests. Enter when your request is first in your queue and ' +
      'every other node has sent you something stamped later, so that no earlier request can still be on its way.',
    sources: ['velazquez-1993 §5', 'ricart-agrawala-1981 §1'],
    entries: 1,
    sharedMode: false,
    channels: 'fifo',
    topology: 'complete',
    knows: 'everyone',
    quorums: false,
    messages: {
      formula: '3(n-1)',
      light: ({ nodes, options }) => perEntry(nodes, options),
      heavy: ({ nodes, options }) => perEntry(nodes, options),
    },
    syncDelay: { formula: '1', hops: () => ({ min: 1, max: 1 }) },
    faults: ['spike', 'pause'],
    fallsSilent: true,
    timing: 'any',
    timers: {},
  },
  options: {
    savereplies: {
      kind: 'flag',
      default: false,
      title: 'Save replies',
      about: 'send no reply to a request that an own request stamped later answers already',
    },
  },
  shapes: {
    state: {
      clock: { clock: 'time' },
      queue: { perNode: { clock: 'time' } },
      heard: { perNode: 'data' },
      inside: 'data',
    },
    messages: {
      request: { time: { clock: 'time' } },
      reply: { time: { clock: 'time' } },
      release: { time: { clock: 'time' } },
    },
    fence: { clock: 'time', scaled: true },
  },

  init(self, { nodes, inside }) {
    return {
      clock: 0,
      queue: Array.from({ length: nodes }, (_, node) => (inside.includes(node) ? 0 : null)),
      heard: null,
      inside: inside.includes(self),
    }
  },

  request(node, here) {
    node.clock += 1
    node.queue[here.self] = node.clock
    node.heard = Array.from({ length: here.setup.nodes }, (_, other) => other === here.self)
    here.because?.('node {self} puts its request, stamped {time}, into every queue', { time: node.clock })
    here.sendToOthers({ type: 'request', time: node.clock })
    enterIfFirst(node, here)
  },

  release(node, here) {
    node.inside = false
    node.queue[here.self] = null
    node.clock += 1
    here.because?.('node {self} has left, and takes its request out of every queue')
    here.sendToOthers({ type: 'release', time: node.clock })
  },

  receive: {
    request(node, here, { time }, from) {
      hear(node, here, { time, node: from })
      node.queue[from] = time
      if (answeredAlready(node, here, { time, node: from }))
        here.because?.(
          'node {self} queues the request of node {from}, whom its own request, stamped later, answers already',
          { from },
        )
      else {
        here.because?.(
          'node {self} queues the request of node {from}, stamped {time}, and replies with a later stamp',
          {
            from,
            time,
          },
        )
        here.send(from, { type: 'reply', time: node.clock })
      }
      enterIfFirst(node, here)
    },

    reply(node, here, { time }, from) {
      if (node.heard === null)
        here.because?.('node {self} does not wait any more: the reply of node {from} only moves its clock', {
          from,
        })
      hear(node, here, { time, node: from })
      enterIfFirst(node, here)
    },

    release(node, here, { time }, from) {
      hear(node, here, { time, node: from })
      node.queue[from] = null
      here.because?.('node {from} has left, so node {self} takes its request out of the queue', { from })
      enterIfFirst(node, here)
    },
  },
}

/** The clock rule: a message is received later than it was sent. */
function hear(node: State, here: Here<Message, Options>, stamp: Timestamp): void {
  node.clock = Math.max(node.clock, stamp.time) + 1
  const ours = ownRequest(node, here)
  if (node.heard !== null && ours !== null && precedes(ours, stamp)) node.heard[stamp.node] = true
}

function enterIfFirst(node: State, here: Here<Message, Options>): void {
  const ours = ownRequest(node, here)
  if (ours === null || node.heard === null) return
  if (!node.heard.every(Boolean)) {
    const silent = nodesWhere(node.heard, (heard) => !heard)
    return here.because?.('an earlier request of {silent} may still be on its way to node {self}', { silent })
  }
  const earlier = nodesWhere(
    node.queue,
    (time, other) => time !== null && precedes({ time, node: other }, ours),
  )
  if (earlier.length > 0)
    return here.because?.('in the queue of node {self}, {earlier} come before it, by a smaller stamp', {
      earlier,
    })
  here.because?.('the request of node {self} is first in its queue, and all others have sent something later')
  node.heard = null
  node.inside = true
  here.enter(timestampFence(ours, here.setup.nodes))
}

function ownRequest(node: State, here: Here<Message, Options>): Timestamp | null {
  const time = node.queue[here.self] ?? null
  return time === null ? null : { time, node: here.self }
}

/** Our own request, with a later stamp, went to the asker and serves as a reply. */
function answeredAlready(node: State, here: Here<Message, Options>, asked: Timestamp): boolean {
  const ours = ownRequest(node, here)
  return here.setup.options.savereplies && ours !== null && precedes(asked, ours)
}

function perEntry(nodes: number, { savereplies }: Options) {
  return savereplies ? { min: 2 * (nodes - 1), max: 3 * (nodes - 1), mean: null } : exactly(3 * (nodes - 1))
}
