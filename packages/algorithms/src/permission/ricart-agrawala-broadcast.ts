/**
 * Ricart and Agrawala, "An optimal algorithm for mutual exclusion in computer networks", CACM 24(1), 1981,
 * section 6.2.2: a broadcast medium that keeps no order.
 *
 * As `ricart-agrawala`, but a request is one message that all hear. A node that does not compete replies as before, by
 * a message to the asker. A node that leaves owes a reply to all it has deferred, and broadcasts it once, with the list
 * of its recipients. So the more nodes compete, the cheaper an entry becomes.
 *
 * The list is needed (footnote 2): a node may hear the broadcast after it has asked and before the sender has heard its
 * request. The reply is not for that node, since the sender may ask again with an equal number and come first.
 *
 * Why it is safe, and why nobody starves: each request gets one reply from each other node, as in
 * `ricart-agrawala`; only the envelopes differ.
 *
 * Assumes a reliable medium, without order, and reliable channels for single replies. An entry costs 1 request and n-1
 * replies without competition. The least is 2, if every reply comes by a broadcast at exit.
 *
 * Where we differ: as in `ricart-agrawala`.
 */
import type { Algorithm, NodeId } from '@turnwise/core/algorithm'
import { exactly } from '@turnwise/core/facts'
import { nodesWhere } from '@turnwise/core/reason'
import { comesFirst } from './priority.ts'
import { fence, nobody, others } from './ricart-agrawala.ts'

type Message =
  /** To all: the sender asks with this number. */
  | { readonly type: 'request'; readonly number: number }
  /** REPLY, to those listed: to one at once, or by broadcast at exit. */
  | { readonly type: 'reply'; readonly recipients: readonly NodeId[] }

interface State {
  /** Highest_Sequence_Number: the highest number sent or received. */
  highest: number
  /** Our_Sequence_Number while waiting and inside; null otherwise. */
  ours: number | null
  /** The nodes whose replies are still missing. */
  awaiting: boolean[]
  /** Reply_Deferred[j]: j waits for our reply until we leave. */
  deferred: boolean[]
}

export const ricartAgrawalaBroadcast: Algorithm<State, Message> = {
  facts: {
    name: 'ricart-agrawala-broadcast',
    title: 'Ricart-Agrawala, broadcast',
    year: 1981,
    family: 'permission',
    idea:
      'One broadcast asks all nodes, and each replies unless it comes first itself. A node that leaves answers all it ' +
      'has deferred by one broadcast that lists them. So the more nodes compete, the cheaper an entry becomes.',
    sources: ['ricart-agrawala-1981 §6.2.2'],
    entries: 1,
    sharedMode: false,
    channels: 'unordered',
    medium: 'broadcast',
    topology: 'complete',
    knows: 'everyone',
    quorums: false,
    messages: {
      formula: 'n, down to 2 where all compete',
      light: ({ nodes }) => exactly(nodes === 1 ? 0 : nodes),
      // Each entry needs n-1 replies, and one broadcast at exit brings n-1 at most.
      heavy: ({ nodes }) => (nodes <= 2 ? exactly(2 * (nodes - 1)) : { min: 2, max: nodes, mean: null }),
    },
    syncDelay: { formula: '1', hops: () => ({ min: 1, max: 1 }) },
    faults: ['spike', 'pause'],
    fallsSilent: true,
    timing: 'any',
    timers: {},
  },
  options: {},
  shapes: {
    state: {
      highest: { clock: 'number' },
      ours: { clock: 'number' },
      awaiting: { perNode: 'data' },
      deferred: { perNode: 'data' },
    },
    messages: {
      request: { number: { clock: 'number' } },
      reply: { recipients: { list: 'node' } },
    },
    fence: { clock: 'number', scaled: true },
  },

  init(self, { nodes, inside }) {
    return {
      highest: 0,
      ours: inside.includes(self) ? 0 : null,
      awaiting: nobody(nodes),
      deferred: nobody(nodes),
    }
  },

  request(node, here) {
    const { nodes } = here.setup
    node.ours = node.highest + 1
    node.highest = node.ours
    node.awaiting = others(here.self, nodes)
    if (nodes === 1) {
      here.because?.('there is nobody whom node {self} has to ask')
      return here.enter(fence(node.ours, here.self, nodes))
    }
    here.because?.('node {self} takes number {number}, above all it has seen: one broadcast asks all', {
      number: node.ours,
    })
    here.broadcast({ type: 'request', number: node.ours })
  },

  release(node, here) {
    node.ours = null
    const recipients = nodesWhere(node.deferred, Boolean)
    node.deferred = nobody(here.setup.nodes)
    if (recipients.length === 0) return here.because?.('node {self} has left, and owes nobody a reply')
    here.because?.('node {self} has left: one broadcast is its reply to {recipients}', { recipients })
    here.broadcast({ type: 'reply', recipients })
  },

  receive: {
    request(node, here, { number }, from) {
      node.highest = Math.max(node.highest, number)
      if (comesFirst(node.ours, here, { time: number, node: from })) node.deferred[from] = true
      else here.send(from, { type: 'reply', recipients: [from] })
    },

    reply(node, here, { recipients }, from) {
      if (!recipients.includes(here.self) || !node.awaiting[from])
        return here.because?.('node {from} replies to {recipients}: node {self} does not count it', {
          from,
          recipients,
        })
      node.awaiting[from] = false
      if (node.awaiting.includes(true)) {
        const missing = nodesWhere(node.awaiting, Boolean)
        return here.because?.('node {self} still needs the reply of {missing}', { missing })
      }
      here.because?.('node {self} has the replies of all others')
      here.enter(fence(node.ours as number, here.self, here.setup.nodes))
    },
  },
}
