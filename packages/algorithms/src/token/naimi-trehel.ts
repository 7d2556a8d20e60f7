/**
 * Naimi and Trehel, "An improvement of the log(n) distributed algorithm for mutual exclusion", 7th
 * International Conference on Distributed Computing Systems, 1987; here after Velazquez 1993, section 4.
 *
 * Every node knows who asked LAST, as far as it has heard. A request follows these pointers to the root, where the
 * queue ends. Every node that passes it on now points at its origin, the new root: the path is reversed. The old root
 * notes the origin as its NEXT, or sends it an idle token. The chain of NEXT is the queue; no node holds all of it.
 *
 * Why it is safe: there is one token, and only its holder enters. Why nobody starves: if a request under way counts as
 * the pointer of its origin, the pointers always form a tree. So a request meets no node twice and ends at a root,
 * where it joins the end of the queue, which is served in order.
 *
 * Assumes reliable channels between every two nodes; no order; at the start a node knows only the first root. An entry
 * costs the length of the path in requests, and the token: at most n, none with the token idle here. Once all have
 * asked, one at a time and at random, the mean is the harmonic number H(n-1), about ln n (Lavault, LNCS 634, 1992). The
 * initial star is flatter than later trees, so the beginning of a run costs less.
 *
 * Where we differ: the survey marks the root by LAST = itself and speaks only of roots with the token. But a waiting
 * root does not have it yet, and notes its NEXT like a root that is inside. Here the root has no LAST, and the token is
 * a variable of its own, with a counter as fence. The survey's time-outs and election of a new token are left out.
 */
import { type Algorithm, type Here, impossible, type NodeId } from '@turnwise/core/algorithm'
import { harmonic } from '@turnwise/core/facts'
import { firstHolder } from '@turnwise/core/setup'

export type Message =
  /** The origin wants to enter. The sender may only have passed this on. */
  | { readonly type: 'request'; readonly origin: NodeId }
  /** The node that has it may enter. It counts the entries. */
  | { readonly type: 'token'; readonly fence: number }

export interface State {
  /** LAST: the node to ask, the origin of the last request that came by; null at the root. */
  last: NodeId | null
  /** NEXT: who gets the token when this node leaves. */
  next: NodeId | null
  /** Whether this node waits or is inside. */
  requesting: boolean
  /** The last fence given out, where the token is; null elsewhere. */
  fence: number | null
}

export const naimiTrehel: Algorithm<State, Message> = {
  facts: {
    name: 'naimi-trehel',
    title: 'Naimi-Trehel path reversal',
    year: 1987,
    family: 'token',
    idea:
      'Every node points at the last requester it has heard of. A request follows the pointers to the node at the end of ' +
      'the queue and bends every pointer on its way to its own origin, so that paths stay short: about ln n.',
    sources: ['velazquez-1993 §4'],
    entries: 1,
    sharedMode: false,
    channels: 'unordered',
    topology: 'complete',
    knows: 'coordinator',
    quorums: false,
    messages: {
      formula: 'H(n-1) on average, about ln n; at most n',
      // If all have asked before, as in a long run. The first n ln n entries or so cost less.
      light: ({ nodes }) => ({ ...bounds(nodes), mean: harmonic(nodes - 1) }),
      // All ask in one circular order. Of n+1 requests one then runs through everybody, two take one hop and
      // the other n-2 take two, which is 3(n-1) together; and a token each.
      heavy: ({ nodes }) => ({
        ...bounds(nodes),
        mean: nodes === 1 ? 0 : (3 * (nodes - 1)) / (nodes + 1) + 1,
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
    state: { last: 'node', next: 'node', requesting: 'data', fence: { clock: 'fence' } },
    messages: { request: { origin: 'node' }, token: { fence: { clock: 'fence' } } },
    fence: { clock: 'fence', scaled: false },
  },
  tokens: {
    held: ({ fence }) => (fence === null ? 0 : 1),
    carried: ({ type }) => (type === 'token' ? 1 : 0),
  },

  init(self, setup) {
    const root = firstHolder(setup)
    return {
      last: self === root ? null : root,
      next: null,
      requesting: setup.inside.includes(self),
      fence: self === root ? 0 : null,
    }
  },

  request(node, here) {
    node.requesting = true
    if (node.fence !== null) {
      here.because?.('node {self} has the token, and nobody else has asked for it')
      return enter(node, here, node.fence)
    }
    if (node.last === null) return impossible('a root that has not asked does not have the token')
    here.because?.(
      'node {self} asks node {last}, the last requester it has heard of, and ends the queue now',
      {
        last: node.last,
      },
    )
    here.send(node.last, { type: 'request', origin: here.self })
    node.last = null
  },

  release(node, here) {
    node.requesting = false
    if (node.next === null) return here.because?.('node {self} keeps the token: nobody comes after it')
    here.because?.('node {self} has left: the token goes to its NEXT, node {next}', { next: node.next })
    passToken(node, here, node.next)
    node.next = null
  },

  receive: {
    request(node, here, request) {
      const { origin } = request
      if (node.last !== null) {
        here.because?.(
          'node {self} is not the end of the queue: it passes the request of node {origin} on to node {last}',
          {
            origin,
            last: node.last,
          },
        )
        here.send(node.last, request)
      } else if (node.requesting) {
        here.because?.('node {self} was the end of the queue: node {origin} comes after it', { origin })
        appoint(node, origin)
      } else {
        here.because?.('node {self} has the token and does not need it: node {origin} gets it', { origin })
        passToken(node, here, origin)
      }
      node.last = origin
    },

    token(node, here, { fence }) {
      here.because?.('the token has come to node {self}, which has waited for it')
      enter(node, here, fence)
    },
  },
}

function enter(node: State, here: Here<Message>, fence: number): void {
  node.fence = fence + 1
  here.enter(node.fence)
}

function passToken(node: State, here: Here<Message>, to: NodeId): void {
  if (node.fence === null) return impossible(`the token for node ${to} is elsewhere`)
  here.send(to, { type: 'token', fence: node.fence })
  node.fence = null
}

/** Only a root that has asked appoints its successor, and it is a root once per request. */
function appoint(node: State, next: NodeId): void {
  if (node.next !== null) impossible(`nodes ${node.next} and ${next} are both next`)
  node.next = next
}

function bounds(nodes: number) {
  return { min: 0, max: nodes === 1 ? 0 : nodes }
}
