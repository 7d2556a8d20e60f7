/**
 * Srimani and Reddy, "Another distributed algorithm for multiple entries to a critical section", Information
 * Processing Letters 41(1), 1992; here after Velazquez 1993, section 6, which tells it without its procedures.
 *
 * Suzuki and Kasami's algorithm with k tokens. Whoever holds a token may enter. A node without one broadcasts a
 * numbered request, and everyone with an idle token sends it, so several may come. What is too much is passed on to
 * whoever waits, even by a node that is inside with another token. Every token knows which requests it has seen
 * served (LN), and so does every node (PLN); the two are brought together wherever they meet.
 *
 * Why it is safe: there are k tokens. Why nobody starves: a request reaches everyone who holds or will hold a token,
 * and no token rests where someone is known to wait; its queue is first come first served.
 *
 * Numbers are bounded: a node numbers its requests from 1 to L and then begins again, in a new round. Everyone
 * acknowledges the L-th request of a round, so that none is under way any more. And every token is brought into
 * the round (LT) by the first who holds it and knows of the round, and who reports this: a token long under way could
 * otherwise come from rounds ago and take new requests for served. With all reports and acknowledgements in, nothing
 * is older than the round at its end; so three rounds can be told apart by a number modulo 3, earlier from later.
 *
 * Assumes reliable channels between every two nodes; no order. Costs nothing with an idle token here, else n - 1
 * requests and 1 to k tokens; L entries of a node cost up to n - 1 acknowledgements and k reports on top.
 *
 * Where we differ:
 *  - The survey names what a round needs (acknowledgements, LT, L > n) but not the rules: reports and the count modulo
 *    3 are our reconstruction, any L from 1 on will do, and only the next request waits for the round, never a token.
 *  - The survey notes that the original's test for the first request of a round, RN[i] = 1, must read 2; we take it
 *    that the number has been raised before. As printed no round is ever begun: the numbers start again, and pass for
 *    served. Here `beginRound` is one step; the misprint, as we read it, is kept among the broken variants.
 *  - A sender takes the request as served by the token that it sends, which saves a second one; the survey has PLN
 *    updated from tokens only, and the checker finds nothing wrong with that either.
 */
import type { Algorithm, Here, NodeId } from '@turnwise/core/algorithm'
import type { Prediction } from '@turnwise/core/facts'
import type { Setup } from '@turnwise/core/setup'

/** A sequence number: of a round, counted modulo 3, from 1 to L; 0 before its first request. */
interface Numbered {
  readonly round: number
  readonly number: number
}

export interface Token {
  /** Which of the k tokens. */
  readonly slot: number
  /** Q, those who waited when it was last passed on, in order. */
  readonly queue: readonly NodeId[]
  /** LN[j] and LT[j]: the number of node j's request that was served last, and its round. */
  readonly served: readonly Numbered[]
  /** Counts the entries with this token. */
  readonly fence: number
}

export type Message =
  | ({ readonly type: 'request' } & Numbered)
  | { readonly type: 'privilege'; readonly token: Token }
  /** All L requests of your round have arrived. */
  | { readonly type: 'ack' }
  /** A token has been brought into your round. */
  | { readonly type: 'recorded' }

export interface State {
  /** RN[j], the latest request number heard from node j. */
  requested: Numbered[]
  /** PLN[j], the latest of node j's requests known to be served. */
  served: Numbered[]
  /** How many requests of node j's round have arrived, up to L - 1: with the L-th the count begins again. */
  arrived: number[]
  /** How many have acknowledged our L-th request, and how many tokens are in our round. */
  acknowledged: number
  recorded: number
  /** Tokens that lie here unused. */
  idle: Token[]
  /** The token that we are inside with. */
  using: Token | null
  /** Whether we want to enter and have asked, or want to and must first end our round. */
  waiting: boolean
  putOff: boolean
}

export interface Options {
  L: number
}

export type Place = Here<Message, Options>

export const srimaniReddy: Algorithm<State, Message, Options> = {
  facts: {
    name: 'srimani-reddy',
    title: 'Srimani-Reddy',
    year: 1992,
    family: 'multi',
    idea:
      "Suzuki and Kasami's algorithm with k tokens. A request is broadcast, and everyone who has a token to spare sends " +
      'it; what comes too much is passed on at once to whoever else waits. Request numbers are bounded.',
    sources: ['velazquez-1993 §6'],
    entries: 'k',
    sharedMode: false,
    channels: 'unordered',
    topology: 'complete',
    knows: 'everyone',
    quorums: false,
    messages: {
      formula: 'n to n+k-1, or 0 with an idle token here',
      light: (setup) => ({ ...bounds(setup), mean: lightMean(setup) }),
      heavy: (setup) => ({ ...bounds(setup), mean: setup.entries === setup.nodes ? 0 : null }),
    },
    // A token may first go to a node that another one has served, and be under way when the section falls empty.
    syncDelay: { formula: '1', hops: ({ entries }) => ({ min: entries === 1 ? 1 : 0, max: entries }) },
    faults: ['spike', 'pause'],
    fallsSilent: true,
    timing: 'any',
    timers: {},
  },
  options: {
    L: {
      kind: 'integer',
      default: 1_000_000,
      min: 1,
      about: 'how many requests a node makes with numbers of one round',
    },
  },
  shapes: {
    state: {
      requested: { perNode: 'data' },
      served: { perNode: 'data' },
      arrived: { perNode: 'data' },
      acknowledged: 'data',
      recorded: 'data',
      idle: { list: tokenShape() },
      using: tokenShape(),
      waiting: 'data',
      putOff: 'data',
    },
    messages: {
      request: { round: 'data', number: 'data' },
      privilege: { token: tokenShape() },
      ack: {},
      recorded: {},
    },
    fence: { clock: 'fence', scaled: false, slots: true },
  },
  tokens: {
    held: ({ idle, using }) => idle.length + (using === null ? 0 : 1),
    carried: ({ type }) => (type === 'privilege' ? 1 : 0),
  },

  init(self, setup) {
    const slot = holders(setup).indexOf(self)
    const token = slot === -1 ? null : { slot, queue: [], served: beginnings(setup), fence: 0 }
    const isInside = setup.inside.includes(self)
    return {
      requested: beginnings(setup),
      served: beginnings(setup),
      arrived: Array.from({ length: setup.nodes }, () => 0),
      acknowledged: 0,
      // The first round finds all tokens in it.
      recorded: setup.entries,
      idle: token === null || isInside ? [] : [token],
      using: isInside ? token : null,
      waiting: false,
      putOff: false,
    }
  },

  request(node, here) {
    ask(node, here)
  },

  ...handlers(passOn),
}

/** All that passes tokens on, in whichever way. */
export function handlers(
  pass: (node: State, here: Place, token: Token) => void,
): Pick<Algorithm<State, Message, Options>, 'release' | 'receive'> {
  return {
    release(node, here) {
      const token = node.using as Token
      node.using = null
      pass(node, here, token)
    },

    receive: {
      request(node, here, { round, number }, from) {
        const heard: Numbered = { round, number }
        if (isLater(heard, node.requested[from])) node.requested[from] = heard
        // Its first request of a round tells that all of the last one were served.
        learn(node, from, { round, number: 0 })
        node.arrived[from] = (node.arrived[from] + 1) % here.setup.options.L
        if (node.arrived[from] === 0) here.send(from, { type: 'ack' })
        bringUpToDate(node, here)
        const token = node.idle.at(-1)
        if (token === undefined || !isLater(node.requested[from], node.served[from])) return
        node.idle.pop()
        pass(node, here, token)
      },

      privilege(node, here, { token }) {
        token.served.forEach((served, other) => learn(node, other, served))
        if (node.waiting) enter(node, here, token)
        else pass(node, here, token)
        bringUpToDate(node, here)
      },

      ack(node, here) {
        node.acknowledged += 1
        beginRound(node, here)
      },

      recorded(node, here) {
        node.recorded += 1
        beginRound(node, here)
      },
    },
  }
}

function ask(node: State, here: Place): void {
  const token = node.idle.pop()
  if (token !== undefined) return enter(node, here, token)
  const { round, number } = node.requested[here.self]
  if (number === here.setup.options.L) {
    node.putOff = true
    return
  }
  const next: Numbered = { round, number: number + 1 }
  node.requested[here.self] = next
  node.waiting = true
  here.sendToOthers({ type: 'request', ...next })
}

function enter(node: State, here: Place, token: Token): void {
  node.waiting = false
  node.putOff = false
  learn(node, here.self, node.requested[here.self])
  node.using = { ...token, fence: token.fence + 1 }
  here.enter(node.using.fence * here.setup.entries + token.slot)
}

/** Sends a token to the next in its queue, or keeps it where nobody is known to wait. */
export function passOn(node: State, here: Place, token: Token, marks = true): void {
  const { slot, fence, queue } = token
  const served = merged(node, here, token)
  const waits = (other: NodeId) => isLater(node.requested[other], served[other])
  const cyclic = served.map((_, step) => (here.self + 1 + step) % here.setup.nodes)
  const [next, ...rest] = new Set([...queue, ...cyclic].filter(waits))
  if (next === undefined) {
    const kept = { slot, queue: [], served, fence }
    node.idle = [...node.idle, kept].toSorted((a, b) => a.slot - b.slot)
    if (node.putOff) ask(node, here)
    return
  }
  // Whoever is sent a token need not be sent another for the same request.
  if (marks) learn(node, next, node.requested[next])
  here.send(next, {
    type: 'privilege',
    token: { slot, queue: rest, served: served.with(next, node.served[next]), fence },
  })
}

/** LN and PLN brought together; those whose round the token had not seen are told that it has now. */
function merged(node: State, here: Place, { served }: Token): Numbered[] {
  return served.map((inToken, other) => {
    learn(node, other, inToken)
    const known = node.served[other]
    if (known.round !== inToken.round) {
      if (other === here.self) node.recorded += 1
      else here.send(other, { type: 'recorded' })
    }
    return known
  })
}

/** All tokens that are here learn what the node knows. */
function bringUpToDate(node: State, here: Place): void {
  node.idle = node.idle.map((token) => ({ ...token, served: merged(node, here, token) }))
  if (node.using !== null) node.using = { ...node.using, served: merged(node, here, node.using) }
  beginRound(node, here)
}

/** Turns to the next round once nobody can take its numbers for those of this one, or of the one before. */
function beginRound(node: State, here: Place): void {
  const { nodes, entries, options } = here.setup
  const { round, number } = node.requested[here.self]
  const isOver = number === options.L && !node.waiting
  if (!isOver || node.acknowledged < nodes - 1 || node.recorded < entries) return
  const first: Numbered = { round: (round + 1) % 3, number: 0 }
  node.requested[here.self] = first
  node.served[here.self] = first
  node.acknowledged = 0
  node.recorded = 0
  bringUpToDate(node, here)
  if (node.putOff) {
    node.putOff = false
    ask(node, here)
  }
}

function learn(node: State, other: NodeId, served: Numbered): void {
  if (isLater(served, node.served[other])) node.served[other] = served
}

/** Of two numbers that are at most one round apart. */
function isLater(a: Numbered, b: Numbered): boolean {
  return a.round === b.round ? a.number > b.number : a.round === (b.round + 1) % 3
}

/** Those inside have a token each; the others lie at home and the nodes after it. */
function holders({ nodes, entries, home, inside }: Setup): NodeId[] {
  const cyclic = Array.from({ length: nodes }, (_, step) => (home + step) % nodes)
  return [...new Set([...inside, ...cyclic])].slice(0, entries)
}

function beginnings({ nodes }: Setup): Numbered[] {
  return Array.from({ length: nodes }, () => ({ round: 0, number: 0 }))
}

function bounds({ nodes, entries, options }: Setup<Options>): { min: number; max: number } {
  if (entries === nodes) return { min: 0, max: 0 }
  return { min: 0, max: nodes - 1 + entries + (nodes - 1 + entries) / options.L }
}

/**
 * One token: as Suzuki and Kasami. Two tokens lie together or apart: together, all but their holder pay n and part
 * them; apart, all but the two holders pay n + 1 and bring them together. More tokens have more ways to lie.
 */
function lightMean({ nodes, entries, options }: Setup<Options>): Prediction['mean'] {
  if (entries === nodes) return 0
  if (entries > 2 || options.L < 1000) return null
  if (entries === 1) return nodes - 1
  return ((nodes - 1) * (nodes - 2) * (2 * nodes + 1)) / (nodes * (2 * nodes - 3))
}

function tokenShape() {
  return {
    fields: { slot: 'data', queue: { list: 'node' }, served: { perNode: 'data' }, fence: { clock: 'fence' } },
  } as const
}
