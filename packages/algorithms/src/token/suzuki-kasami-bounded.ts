/**
 * Suzuki and Kasami, "A distributed mutual exclusion algorithm", ACM TOCS 3(4), 1985, with bounded sequence
 * numbers; here after Velazquez 1993, section 4, which gives the cost of the modification but not its rules.
 *
 * As in `suzuki-kasami`, but a node numbers its requests from 1 to L and then begins again, in a new round. One bit
 * tells a round from the next. Every node counts the requests of a round and acknowledges the L-th. A node that has
 * been served L times keeps the token until all others have acknowledged, and only then begins the next round.
 *
 * Why numbers can be used again: when a round begins, every request of the last one has arrived everywhere, so no node
 * can take an old number for a new one. A number heard in another round than the token's is older than the token: it
 * was served. Numbers modulo L alone are not enough: a holder that has missed L - 1 requests of a node, all served by
 * others, takes the last one it heard of for the next.
 *
 * Why it is safe, and why nobody starves: as in `suzuki-kasami`, with a pause now and then; acknowledgements wait
 * for nothing but requests that are under way.
 *
 * Assumes reliable channels between every two nodes; no order. L entries of one node cost L n messages and n - 1
 * acknowledgements, or none while the token lies idle here.
 *
 * Where we differ: the bit and the acknowledgements are our reconstruction, chosen to cost what the survey says. It
 * asks for L of at least 2; 1 works as well. A request that comes while the node keeps the token is postponed.
 */
import type { Algorithm, Here, NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import type { Prediction } from '@turnwise/core/facts'
import { firstHolder, type Setup } from '@turnwise/core/setup'
import { scan, suzukiKasami, type Options as UnboundedOptions } from './suzuki-kasami.ts'

/** A sequence number: of a round, 1 to L; 0 before its first request. */
export interface Numbered {
  readonly round: 0 | 1
  readonly number: number
}

interface Token {
  /** Q, the nodes that waited at the last exit, in order. */
  readonly queue: readonly NodeId[]
  /** LN[j], the number of node j's request that was served last. */
  readonly served: readonly Numbered[]
  /** Counts the entries. */
  readonly fence: number
}

type Message =
  | ({ readonly type: 'request' } & Numbered)
  | { readonly type: 'privilege'; readonly token: Token }
  | { readonly type: 'ack' }

interface State {
  /** RN[j], the latest request number heard from node j. */
  requested: Numbered[]
  /** How many requests of node j's round have arrived, up to L - 1: with the L-th the count begins again. */
  arrived: number[]
  /** How many nodes have acknowledged our L-th request. */
  acknowledged: number
  /** Have_Privilege: the token, or null. */
  token: Token | null
  /** Whether we are inside. */
  using: boolean
  /** Whether we want to enter, but keep the token back. */
  putOff: boolean
}

export interface Options extends UnboundedOptions {
  L: number
}

export const suzukiKasamiBounded: Algorithm<State, Message, Options> = {
  facts: {
    ...suzukiKasami.facts,
    name: 'suzuki-kasami-bounded',
    title: 'Suzuki-Kasami, bounded',
    idea:
      "Suzuki and Kasami's token with request numbers from 1 to L. After L entries a node keeps the token until all " +
      'others have acknowledged its requests; then no old number is under way, and it may begin again at 1.',
    sources: ['velazquez-1993 §4', 'velazquez-1993 §4.1'],
    messages: {
      formula: 'n + (n-1)/L, or 0 with the token here; Ln + (n-1) for L entries of a node',
      letters: ({ options: { L } }) => ({ L: { min: L, max: L } }),
      light: (setup) => prediction(setup, (setup.nodes - 1) / setup.nodes),
      heavy: (setup) => prediction(setup, 1),
    },
  },
  options: {
    ...suzukiKasami.options,
    L: {
      kind: 'integer',
      default: 2,
      min: 1,
      title: 'Requests of a round (L)',
      about: 'how many requests a node makes with numbers of one round',
    },
  },
  shapes: {
    state: {
      requested: { perNode: 'data' },
      arrived: { perNode: 'data' },
      acknowledged: 'data',
      token: tokenShape(),
      using: 'data',
      putOff: 'data',
    },
    messages: {
      request: { round: 'data', number: 'data' },
      privilege: { token: tokenShape() },
      ack: {},
    },
    fence: { clock: 'fence', scaled: false },
  },
  tokens: {
    held: ({ token }) => (token === null ? 0 : 1),
    carried: ({ type }) => (type === 'privilege' ? 1 : 0),
  },

  init(self, setup) {
    return {
      requested: beginnings(setup.nodes),
      arrived: Array.from({ length: setup.nodes }, () => 0),
      acknowledged: 0,
      token: self === firstHolder(setup) ? { queue: [], served: beginnings(setup.nodes), fence: 0 } : null,
      using: setup.inside.includes(self),
      putOff: false,
    }
  },

  request(node, here) {
    ask(node, here)
  },

  release(node, here) {
    node.using = false
    here.because?.('node {self} has left')
    handOn(node, here)
  },

  receive: {
    request(node, here, request, from) {
      record(node, request, from)
      node.arrived[from] = (get(node.arrived, from) + 1) % here.setup.options.L
      if (node.arrived[from] === 0) {
        here.because?.('node {self} has all requests of a round of node {from}, and acknowledges them', {
          from,
        })
        here.send(from, { type: 'ack' })
      } else
        here.because?.('node {self} notes request {number} of node {from}', { number: request.number, from })
      handOn(node, here)
    },

    privilege(node, here, { token }) {
      here.because?.('the token has come to node {self}, which asked for it')
      enter(node, here, token)
    },

    ack(node, here, _ack, from) {
      here.because?.('node {from} has all requests of the round of node {self}', { from })
      node.acknowledged += 1
      handOn(node, here)
    },
  },
}

/** Before the first request of any node. */
export function beginnings(nodes: number): Numbered[] {
  return Array.from({ length: nodes }, () => ({ round: 0, number: 0 }))
}

/** Of two numbers of a round the larger is the later one; a number of another round begins that round. */
export function record(
  { requested }: Pick<State, 'requested'>,
  { round, number }: Numbered,
  of: NodeId,
): void {
  const known = get(requested, of)
  if (round !== known.round || number > known.number) requested[of] = { round, number }
}

/** All numbers of a round are used: the next round. */
export function nextRound({ round }: Numbered): Numbered {
  return { round: round === 0 ? 1 : 0, number: 0 }
}

function ask(node: State, here: Here<Message, Options>): void {
  const { round, number } = get(node.requested, here.self)
  if (node.token === null) {
    const next: Numbered = { round, number: number + 1 }
    node.requested[here.self] = next
    here.because?.('any node may have the token: node {self} sends request {number} of its round to all', {
      number: next.number,
    })
    here.sendToOthers({ type: 'request', ...next })
  } else if (number < here.setup.options.L) {
    here.because?.('node {self} has the token')
    enter(node, here, node.token)
  } else {
    here.because?.(
      'node {self} has used all {number} numbers of its round: it waits for the acknowledgements',
      { number },
    )
    node.putOff = true
  }
}

function enter(node: State, here: Here<Message, Options>, token: Token): void {
  node.token = { ...token, fence: token.fence + 1 }
  node.using = true
  here.enter(node.token.fence)
}

/** Passes a token that lies here unused, unless it must be kept back until the round is acknowledged. */
function handOn(node: State, here: Here<Message, Options>): void {
  if (node.token === null || node.using) return
  const { nodes, options } = here.setup
  if (get(node.requested, here.self).number === options.L) {
    if (node.acknowledged < nodes - 1)
      return here.because?.('the token stays at node {self} until all have acknowledged its round')
    here.because?.('all have acknowledged the round of node {self}: the next one begins')
    node.requested[here.self] = nextRound(get(node.requested, here.self))
    node.acknowledged = 0
  }
  serveNext(node, here, node.token)
  if (node.putOff) {
    node.putOff = false
    ask(node, here)
  }
}

function serveNext(node: State, here: Here<Message, Options>, { fence, ...token }: Token): void {
  const served = token.served.with(here.self, get(node.requested, here.self))
  const queue = [...token.queue]
  for (const other of scan(here.self, here.setup)) {
    if (!queue.includes(other) && waits(get(node.requested, other), get(served, other))) queue.push(other)
  }
  const next = queue.shift()
  node.token = next === undefined ? { queue, served, fence } : null
  if (next === undefined) return here.because?.('the token knows of no request that is not served')
  here.because?.('node {next} is the first in the queue of the token', { next })
  here.send(next, { type: 'privilege', token: { queue, served, fence } })
}

/** A request heard in another round than the token's is older than the token. */
export function waits(requested: Numbered, served: Numbered): boolean {
  return requested.round === served.round && requested.number > served.number
}

/** `asking` is the share of entries that need the token from elsewhere. */
export function prediction({ nodes, options }: Setup<Options>, asking: number): Prediction {
  const most = nodes === 1 ? 0 : nodes + (nodes - 1) / options.L
  return { min: 0, max: most, mean: asking * most }
}

function tokenShape() {
  return {
    fields: { queue: { list: 'node' }, served: { perNode: 'data' }, fence: { clock: 'fence' } },
  } as const
}
