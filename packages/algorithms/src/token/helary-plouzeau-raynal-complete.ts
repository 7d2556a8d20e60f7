/**
 * Helary, Plouzeau and Raynal, "A distributed algorithm for mutual exclusion in an arbitrary network", The
 * Computer Journal 31(4), 1988, section 6: the simple form for nodes that know that the network is complete.
 *
 * A request goes to all others at once and no node passes it on, so it carries a stamp and no list of nodes that have
 * seen it. Every node notes the latest stamp of each other. The token goes straight to the oldest request, and carries
 * for each node the time at which it last gave the token away.
 *
 * The result is Ricart and Agrawala's second algorithm with two differences, which the paper names: stamps are logical
 * clocks instead of counters, and the token goes to the oldest request instead of the next one around a circle. Both
 * cost n messages, n-1 requests and the token, or none with the token here.
 *
 * Why it is safe: there is one token, and only its owner enters. Why nobody starves: a node that has heard of a request
 * stamps its own next one later. Assumes reliable channels between every two nodes; no order.
 *
 * Where we differ: the paper describes this form in a sentence. We keep its line (A), which is needed: a node that
 * sends the token away dates its entry and lets its clock tick. Otherwise its next request would look satisfied. The
 * token carries a counter as fence.
 */
import type { Algorithm, Here, NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { exactly } from '@turnwise/core/facts'
import { firstHolder } from '@turnwise/core/setup'
import { precedes } from '@turnwise/core/timestamp'

interface Token {
  /** lud: each node's clock when it last gave the token away; null for those that never did. */
  readonly gaveAway: readonly (number | null)[]
  /** Counts the entries. */
  readonly fence: number
}

export type Message =
  | { readonly type: 'request'; readonly time: number }
  | { readonly type: 'token'; readonly token: Token }

export interface State {
  /** C, a Lamport clock. */
  clock: number
  /** req_array: the latest stamp heard of each node, or null. */
  requested: (number | null)[]
  /** token_here. */
  token: Token | null
  /** in_CS. */
  inside: boolean
}

const TIMES = { perNode: { clock: 'time' } } as const
const TOKEN = { fields: { gaveAway: TIMES, fence: { clock: 'fence' } } } as const

export const helaryPlouzeauRaynalComplete: Algorithm<State, Message> = {
  facts: {
    name: 'helary-plouzeau-raynal-complete',
    title: 'Helary-Plouzeau-Raynal, complete network',
    year: 1988,
    family: 'token',
    idea:
      'The simple form where all know that the network is complete: stamped requests go to everyone, and the token ' +
      'goes straight to the oldest. Like the second algorithm of Ricart and Agrawala, but first come first served.',
    sources: ['helary-plouzeau-raynal-1988 §6'],
    entries: 1,
    sharedMode: false,
    channels: 'unordered',
    topology: 'complete',
    knows: 'everyone',
    quorums: false,
    messages: {
      formula: 'n, or 0 with the token here',
      // The token is at the last requester, which is the next requester once in n times.
      light: ({ nodes }) => (nodes === 1 ? exactly(0) : { min: 0, max: nodes, mean: nodes - 1 }),
      heavy: ({ nodes }) => (nodes === 1 ? exactly(0) : { min: 0, max: nodes, mean: nodes }),
    },
    syncDelay: { formula: '1', hops: () => ({ min: 1, max: 1 }) },
    faults: ['spike', 'pause'],
    fallsSilent: true,
    timing: 'any',
    timers: {},
  },
  options: {},
  shapes: {
    state: { clock: { clock: 'time' }, requested: TIMES, token: TOKEN, inside: 'data' },
    messages: { request: { time: { clock: 'time' } }, token: { token: TOKEN } },
    fence: { clock: 'fence', scaled: false },
  },
  tokens: {
    held: ({ token }) => (token === null ? 0 : 1),
    carried: ({ type }) => (type === 'token' ? 1 : 0),
  },

  init(self, setup) {
    const nothing = () => Array.from({ length: setup.nodes }, () => null)
    return {
      clock: 0,
      requested: nothing(),
      token: self === firstHolder(setup) ? { gaveAway: nothing(), fence: 0 } : null,
      inside: setup.inside.includes(self),
    }
  },

  request(node, here) {
    if (node.token !== null) {
      here.because?.('node {self} owns the token')
      return enter(node, here, node.token)
    }
    here.because?.('any node may own the token: node {self} asks all, at time {time}', { time: node.clock })
    here.sendToOthers({ type: 'request', time: node.clock })
  },

  release(node, here) {
    node.inside = false
    transmitToken(node, here)
  },

  receive: {
    request(node, here, { time }, from) {
      const known = get(node.requested, from)
      node.clock = Math.max(node.clock, time) + 1
      node.requested[from] = known === null ? time : Math.max(known, time)
      here.because?.('node {self} notes the request of node {from}, of time {time}', { from, time })
      if (node.token === null) return
      if (node.inside) here.because?.('node {self} is inside, and owns the token until it leaves')
      else transmitToken(node, here)
    },
    token(node, here, { token }) {
      here.because?.('the token has come to node {self}, which asked for it')
      enter(node, here, token)
    },
  },
}

function enter(node: State, here: Here<Message>, token: Token): void {
  node.token = { ...token, fence: token.fence + 1 }
  node.inside = true
  here.enter(node.token.fence)
}

/** Line (A): the owner dates its own entry and ticks, so that its next request does not look satisfied. */
function transmitToken(node: State, here: Here<Message>): void {
  const next = oldest(node)
  if (node.token === null) return
  if (next === null)
    return here.because?.('node {self} keeps the token: every request that it knows is satisfied')
  here.because?.('node {next} has the oldest request that is not satisfied', { next })
  const { gaveAway, fence } = node.token
  here.send(next, { type: 'token', token: { gaveAway: gaveAway.with(here.self, node.clock), fence } })
  node.token = null
  node.clock += 1
}

/** min(X), over the requests whose origin has not sent the token away since. */
export function oldest({ requested, token }: State): NodeId | null {
  const waiting = requested.flatMap((time, node) => {
    const last = token?.gaveAway[node] ?? null
    return time === null || (last !== null && last >= time) ? [] : [{ time, node }]
  })
  return waiting.toSorted((a, b) => (precedes(a, b) ? -1 : 1))[0]?.node ?? null
}
