/**
 * Neilsen and Mizuno, "A DAG-based algorithm for distributed mutual exclusion", 11th International Conference
 * on Distributed Computing Systems, 1991; here after Velazquez 1993, section 4.
 *
 * The nodes form a tree, and every node points along one of its edges, LAST, towards the sink: the node that asked
 * last. A request runs along these edges from neighbour to neighbour, and every node it passes turns its edge to where
 * the request came from, so that its origin is the new sink. The old sink notes the origin as its NEXT, or sends it an
 * idle token: directly, not along the tree. The chain of NEXT is the queue; no node holds all of it.
 *
 * Why it is safe: there is one token, and only its holder enters. Why nobody starves: a request never turns back on its
 * edge, so in a tree it ends at a sink. There it joins the end of the queue, which is served in order.
 *
 * Assumes a tree for the requests and reliable channels between every two nodes for the token; no order, since an edge
 * carries one request at a time; a node knows its neighbours. An entry costs d requests and the token, d the distance
 * to the sink: at most D+1 on a tree of diameter D, which is 3 on a star and n on a line. None with the token idle
 * here, about 3 when all nodes ask.
 *
 * Where we differ: the survey does not say when HOLDING changes, and describes only what a waiting sink does with a
 * request. Here HOLDING means that the token lies idle: a node clears it on entering, and an idle sink sends the token
 * at once. The token carries a counter as fence.
 */
import { type Algorithm, type Here, impossible, type NodeId } from '@turnwise/core/algorithm'
import { outOfBounds } from '@turnwise/core/bounds'
import { firstHolder, type Setup } from '@turnwise/core/setup'
import { treeDiameter, treeMeanDistance } from '@turnwise/core/topology'

export type Message =
  /** The origin wants to enter. The sender, a neighbour, may only have passed this on. */
  | { readonly type: 'request'; readonly origin: NodeId }
  /** The node that has it may enter. It counts the entries. */
  | { readonly type: 'token'; readonly fence: number }

export interface State {
  /** LAST: the neighbour towards the sink, from which the last request came; null at the sink. */
  last: NodeId | null
  /** NEXT: who gets the token when this node leaves. */
  next: NodeId | null
  /** HOLDING: whether the token lies idle here. */
  holding: boolean
  /** The last fence given out, where the token is, idle or not; null elsewhere. */
  fence: number | null
}

export const neilsenMizuno: Algorithm<State, Message> = {
  facts: {
    name: 'neilsen-mizuno',
    title: 'Neilsen-Mizuno DAG',
    year: 1991,
    family: 'token',
    idea:
      'Nodes form a tree whose edges point to the node that asked last. A request follows them and turns them towards ' +
      'its own origin; the node at the end remembers who comes after it and sends the token there directly.',
    sources: ['velazquez-1993 §4'],
    entries: 1,
    sharedMode: false,
    channels: 'unordered',
    topology: 'tree',
    knows: 'neighbours',
    quorums: false,
    messages: {
      formula: 'd+1, d the distance to the last requester; at most D+1',
      letters: ({ topology }) => {
        const max = treeDiameter(topology)
        return { D: { what: 'diameter', min: max, max } }
      },
      // The token is at the sink, the last requester, which is the next requester once in n times.
      light: (setup) => ({
        ...bounds(setup),
        mean: treeMeanDistance(setup.topology) + (setup.nodes - 1) / setup.nodes,
      }),
      // In a round of n entries the sink walks round the tree, twice over each edge; and a token each.
      heavy: (setup) => ({
        ...bounds(setup),
        mean: setup.nodes === 1 ? 0 : (2 * (setup.nodes - 1)) / setup.nodes + 1,
      }),
    },
    syncDelay: { formula: '1', hops: () => ({ min: 1, max: 1 }) },
    faults: ['spike', 'pause'],
    fallsSilent: true,
    timing: 'any',
    timers: {},
  },
  options: {},
  shapes: {
    state: { last: 'node', next: 'node', holding: 'data', fence: { clock: 'fence' } },
    messages: { request: { origin: 'node' }, token: { fence: { clock: 'fence' } } },
    fence: { clock: 'fence', scaled: false },
  },
  tokens: {
    held: ({ fence }) => (fence === null ? 0 : 1),
    carried: ({ type }) => (type === 'token' ? 1 : 0),
  },

  init(self, setup) {
    const sink = firstHolder(setup)
    return {
      last: self === sink ? null : (setup.topology.towards(sink)[self] ?? outOfBounds()),
      next: null,
      holding: self === sink && !setup.inside.includes(self),
      fence: self === sink ? 0 : null,
    }
  },

  request(node, here) {
    if (node.holding) {
      here.because?.('node {self} has the token, and nobody else has asked for it')
      return enter(node, here)
    }
    if (node.last === null) return impossible('a sink that has not asked does not have the token')
    here.because?.(
      'the end of the queue lies beyond node {last}: node {self} asks there, and is the end now',
      {
        last: node.last,
      },
    )
    here.send(node.last, { type: 'request', origin: here.self })
    node.last = null
  },

  release(node, here) {
    if (node.next === null) {
      here.because?.('node {self} keeps the token: nobody comes after it')
      node.holding = true
    } else {
      here.because?.('node {self} has left: the token goes straight to its NEXT, node {next}', {
        next: node.next,
      })
      passToken(node, here, node.next)
      node.next = null
    }
  },

  receive: {
    request(node, here, request, from) {
      if (node.last === from)
        impossible(`a request of node ${request.origin} comes from the node it should go to`)
      const { origin } = request
      if (node.last !== null) {
        here.because?.(
          'the end of the queue lies beyond node {last}: the request of node {origin} goes there',
          {
            last: node.last,
            origin,
          },
        )
        here.send(node.last, request)
      } else if (node.holding) {
        here.because?.('node {self} has the token and does not need it: node {origin} gets it', { origin })
        passToken(node, here, origin)
      } else {
        here.because?.('node {self} was the end of the queue: node {origin} comes after it', { origin })
        appoint(node, origin)
      }
      node.last = from
    },

    token(node, here, { fence }) {
      node.fence = fence
      here.because?.('the token has come to node {self}, which has waited for it')
      enter(node, here)
    },
  },
}

function enter(node: State, here: Here<Message>): void {
  if (node.fence === null) return impossible('a node enters without the token')
  node.holding = false
  node.fence += 1
  here.enter(node.fence)
}

function passToken(node: State, here: Here<Message>, to: NodeId): void {
  if (node.fence === null) return impossible(`the token for node ${to} is elsewhere`)
  here.send(to, { type: 'token', fence: node.fence })
  node.fence = null
  node.holding = false
}

/** Only a sink that has asked appoints its successor, and it is a sink once per request. */
function appoint(node: State, next: NodeId): void {
  if (node.next !== null) impossible(`nodes ${node.next} and ${next} are both next`)
  node.next = next
}

function bounds({ topology, nodes }: Setup) {
  return { min: 0, max: nodes === 1 ? 0 : treeDiameter(topology) + 1 }
}
