/**
 * Ricart and Agrawala, "An optimal algorithm for mutual exclusion in computer networks", CACM 24(1), 1981,
 * section 6.3, the further modification: requests that travel round the circuit without pause.
 *
 * As `ricart-agrawala-ring`, but no node holds a request. A node that has priority over it adds a note, "deferred by
 * me", and sends it on at once. When it leaves, it replies directly to the node that asked. A node whose request is
 * back enters when all nodes noted on it have replied.
 *
 * Why it is safe, and why nobody starves: as in `ricart-agrawala`; a request without the note of a node is its reply.
 *
 * Assumes a logical circuit of reliable channels for the requests, and a channel between every two nodes for the
 * replies; messages may overtake each other. An entry costs n messages and one for each node that defers: n to 2n-1.
 * Delays no longer add up along the ring: after an exit the next waiting node enters one message delay later, if its
 * request is home by then.
 *
 * Where we differ:
 *  - The paper sets the count of missing replies when the request comes home. But a reply goes straight and the request
 *    goes round. The reply may arrive first, and setting the count would forget it. We remember it.
 *  - The number sent is recorded, as in `ricart-agrawala`.
 */
import type { Algorithm, Here, NodeId } from '@turnwise/core/algorithm'
import { exactly } from '@turnwise/core/facts'
import { nodesWhere } from '@turnwise/core/reason'
import { comesFirst } from './priority.ts'
import { fence, nobody } from './ricart-agrawala.ts'
import type { Travelling } from './ricart-agrawala-ring.ts'

type Message =
  | {
      readonly type: 'request'
      readonly request: Travelling
      /** "Deferred by node j". */
      readonly deferredBy: readonly NodeId[]
    }
  | { readonly type: 'reply' }

export interface State {
  /** Highest_Sequence_Number: the highest number sent or received. */
  highest: number
  /** Our_Sequence_Number while waiting and inside; null otherwise. */
  ours: number | null
  /** The nodes that have replied before our request is home. */
  early: boolean[]
  /** The nodes whose replies are missing once it is home; null before, and while we do not ask. */
  awaiting: boolean[] | null
  /** Reply_Deferred[j]: j waits for our reply until we leave. */
  deferred: boolean[]
}

export const ricartAgrawalaRingNoted: Algorithm<State, Message> = {
  facts: {
    name: 'ricart-agrawala-ring-noted',
    title: 'Ricart-Agrawala, ring with notes',
    year: 1981,
    family: 'permission',
    idea:
      'A request travels round a ring of all nodes without pause. A node that comes first itself adds a note to ' +
      'it, and replies when it leaves. Back where it started, the request tells whose replies to wait for.',
    sources: ['ricart-agrawala-1981 §6.3'],
    entries: 1,
    sharedMode: false,
    channels: 'unordered',
    topology: 'complete',
    knows: 'everyone',
    quorums: false,
    messages: {
      formula: 'n + d, d nodes defer',
      light: ({ nodes }) => exactly(nodes === 1 ? 0 : nodes),
      heavy: ({ nodes }) => (nodes === 1 ? exactly(0) : { min: nodes, max: 2 * nodes - 1, mean: null }),
    },
    // A node that asked shortly before the exit still has to wait until its request is home.
    syncDelay: { formula: '1, at most n', hops: ({ nodes }) => ({ min: 1, max: nodes }) },
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
      early: { perNode: 'data' },
      awaiting: { perNode: 'data' },
      deferred: { perNode: 'data' },
    },
    messages: {
      request: {
        request: { fields: { number: { clock: 'number' }, node: 'node' } },
        deferredBy: { list: 'node' },
      },
      reply: {},
    },
    fence: { clock: 'number', scaled: true },
  },

  init(self, { nodes, inside }) {
    const isInside = inside.includes(self)
    return {
      highest: 0,
      ours: isInside ? 0 : null,
      early: nobody(nodes),
      awaiting: isInside ? nobody(nodes) : null,
      deferred: nobody(nodes),
    }
  },

  request(node, here) {
    node.ours = node.highest + 1
    node.highest = node.ours
    if (here.setup.nodes === 1) return comeHome(node, here, [])
    here.because?.('node {self} takes number {number}, above all it has seen, and its request goes round', {
      number: node.ours,
    })
    pass(here, { number: node.ours, node: here.self }, [])
  },

  release(node, here) {
    node.ours = null
    node.awaiting = null
    const deferred = nodesWhere(node.deferred, Boolean)
    if (deferred.length === 0) here.because?.('node {self} has left, and has put its note on no request')
    else here.because?.('node {self} has left: its note is on the request of {deferred}', { deferred })
    for (const other of deferred) here.send(other, { type: 'reply' })
    node.deferred = nobody(here.setup.nodes)
  },

  receive: {
    request(node, here, { request, deferredBy }) {
      if (request.node === here.self) return comeHome(node, here, deferredBy)
      node.highest = Math.max(node.highest, request.number)
      const defer = comesFirst(node.ours, here, { time: request.number, node: request.node })
      if (defer) node.deferred[request.node] = true
      pass(here, request, defer ? [...deferredBy, here.self] : deferredBy)
    },

    reply(node, here, _reply, from) {
      if (node.awaiting === null) {
        here.because?.(
          'node {from} replies before the request of node {self} is home, which node {self} remembers',
          {
            from,
          },
        )
        node.early[from] = true
      } else if (node.awaiting[from]) {
        node.awaiting[from] = false
        enterIfAllReplied(node, here)
      }
    },
  },
}

function comeHome(node: State, here: Here<Message>, deferredBy: readonly NodeId[]): void {
  here.because?.('the request of node {self} is home, deferred by {deferredBy}', { deferredBy })
  node.awaiting = node.early.map((hasReplied, other) => deferredBy.includes(other) && !hasReplied)
  node.early = nobody(here.setup.nodes)
  enterIfAllReplied(node, here)
}

function enterIfAllReplied(node: State, here: Here<Message>): void {
  const missing = nodesWhere(node.awaiting ?? [], Boolean)
  if (missing.length > 0)
    return here.because?.('node {self} still waits for the reply of {missing}', { missing })
  here.because?.('node {self} waits for no reply any more')
  here.enter(fence(node.ours as number, here.self, here.setup.nodes))
}

function pass(here: Here<Message>, request: Travelling, deferredBy: readonly NodeId[]): void {
  here.send((here.self + 1) % here.setup.nodes, { type: 'request', request, deferredBy })
}
