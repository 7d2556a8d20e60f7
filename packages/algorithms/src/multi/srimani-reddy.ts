/**
 * Srimani and Reddy, "Another distributed algorithm for multiple entries to a critical section", Information
 * Processing Letters 41(1), 1992; here after Velazquez 1993, section 6, which tells it without its procedures.
 *
 * Suzuki and Kasami's algorithm with k tokens. A node that holds a token may enter. A node without one broadcasts a
 * numbered request, and every node with an idle token sends it, so several may come. The node passes surplus tokens on
 * to waiting nodes, even while it is inside with another token. Every token knows which requests it has seen served
 * (LN), and so does every node (PLN). The two are merged wherever they meet.
 *
 * Why it is safe: there are k tokens. Why nobody starves: a request reaches every node that holds or will hold a token,
 * and no token rests at a node that knows of a waiting node. Its queue is first come, first served.
 *
 * Numbers are bounded: a node numbers its requests from 1 to L and then begins a new round. All nodes acknowledge the
 * L-th request of a round, so that none is under way any more. The first holder of a token that knows of the round
 * brings the token into it (LT) and reports this. Otherwise a token that was under way for rounds could take new
 * requests for served. When all reports and acknowledgements are in, nothing older than this round is left. So a number
 * modulo 3 tells earlier rounds from later ones.
 *
 * Assumes reliable channels between every two nodes; no order. Costs nothing with an idle token here, else n - 1
 * requests and 1 to k tokens. L entries of a node add up to n - 1 acknowledgements and k reports.
 *
 * Where we differ:
 *  - The survey names what a round needs (acknowledgements, LT, L > n) but not the rules. Reports and the count modulo
 *    3 are our reconstruction. Any L from 1 on works. Only the next request waits for the round, never a token.
 *  - The survey notes that the original's test for the first request of a round, RN[i] = 1, must read 2, since the
 *    number has been raised before, as we understand it. As printed, no round ever begins: the numbers start again, and
 *    look served. Here `beginRound` is one step. The misprint, as we read it, is a broken variant.
 *  - A node that sends a token marks the request as served, which saves a second token. The survey updates PLN from
 *    tokens only, and the checker finds nothing wrong with that either.
 */
import type { Algorithm, Here, NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
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
  /** Q, the nodes that waited when it was last passed on, in order. */
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
  /** How many nodes have acknowledged our L-th request, and how many tokens are in our round. */
  acknowledged: number
  recorded: number
  /** Tokens that lie here unused. */
  idle: Token[]
  /** The token that we are inside with. */
  using: Token | null
  /** Whether we want to enter and have asked, or must first end our round. */
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
      "Suzuki and Kasami's algorithm with k tokens. A request is broadcast, and every node with a token to spare " +
      'sends it. Surplus tokens are passed on at once to other waiting nodes. Request numbers are bounded.',
    sources: ['velazquez-1993 §6'],
    entries: 'k',
    sharedMode: false,
    channels: 'unordered',
    topology: 'complete',
    knows: 'everyone',
    quorums: false,
    messages: {
      formula: 'n to n+k-1, or 0 with an idle token here',
      letters: ({ entries }) => ({ k: { what: 'together inside', min: entries, max: entries } }),
      light: (setup) => ({ ...bounds(setup), mean: lightMean(setup) }),
      heavy: (setup) => ({ ...bounds(setup), mean: setup.entries === setup.nodes ? 0 : null }),
    },
    // A token may first go to a node that another token has served, and be under way when the section becomes empty.
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
      title: 'Requests of a round (L)',
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
      // All tokens are in the first round.
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

/** The functions that pass tokens on. */
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
        note(node, here, { round, number }, from)
        const token = node.idle.at(-1)
        if (token === undefined || !isLater(get(node.requested, from), get(node.served, from)))
          return sayWhyNone(node, here, number, from)
        node.idle.pop()
        pass(node, here, token)
      },

      privilege(node, here, { token }) {
        if (node.waiting) {
          here.because?.('node {self} waits for a token, and any of them will do')
          enter(node, here, token)
        } else {
          here.because?.('node {self} had a token for its request already, so this one is surplus')
          pass(node, here, token)
        }
        bringUpToDate(node, here)
      },

      ack(node, here, _ack, from) {
        node.acknowledged += 1
        here.because?.('no request that node {self} sent to node {from} is under way any more', { from })
        beginRound(node, here)
      },

      recorded(node, here, _recorded, from) {
        node.recorded += 1
        here.because?.('a token that was at node {from} knows the round of node {self}', { from })
        beginRound(node, here)
      },
    },
  }
}

/** A request of a node has arrived, perhaps the last of its round. */
function note(node: State, here: Place, heard: Numbered, from: NodeId): void {
  const { L } = here.setup.options
  if (isLater(heard, get(node.requested, from))) node.requested[from] = heard
  // The first request of a round tells that all requests of the last round were served.
  learn(node, from, { round: heard.round, number: 0 })
  node.arrived[from] = (get(node.arrived, from) + 1) % L
  if (node.arrived[from] === 0) {
    here.because?.('node {self} has all {L} requests of the round of node {from}', { L, from })
    here.send(from, { type: 'ack' })
  }
  bringUpToDate(node, here)
}

function sayWhyNone({ idle }: State, here: Place, number: number, from: NodeId): void {
  if (idle.length === 0)
    here.because?.('node {self} has no idle token, and notes request {number} of node {from}', {
      from,
      number,
    })
  else
    here.because?.('request {number} of node {from} was served already, as node {self} knows', {
      from,
      number,
    })
}

function ask(node: State, here: Place): void {
  const token = node.idle.pop()
  if (token !== undefined) {
    here.because?.('an idle token lies at node {self}, so it need not ask')
    return enter(node, here, token)
  }
  const { round, number } = get(node.requested, here.self)
  if (number === here.setup.options.L) {
    here.because?.('node {self} has used number {number}, the last, and first has to end its round', {
      number,
    })
    node.putOff = true
    return
  }
  const next: Numbered = { round, number: number + 1 }
  node.requested[here.self] = next
  node.waiting = true
  here.because?.('no idle token lies at node {self}, so it asks all others, with number {number}', {
    number: next.number,
  })
  here.sendToOthers({ type: 'request', ...next })
}

function enter(node: State, here: Place, token: Token): void {
  node.waiting = false
  node.putOff = false
  learn(node, here.self, get(node.requested, here.self))
  node.using = { ...token, fence: token.fence + 1 }
  here.enter(node.using.fence * here.setup.entries + token.slot)
}

/** Sends a token to the next in its queue, or keeps it if no node is known to wait. */
export function passOn(node: State, here: Place, token: Token, marks = true): void {
  const { slot, fence, queue } = token
  const served = merged(node, here, token)
  const waits = (other: NodeId) => isLater(get(node.requested, other), get(served, other))
  const cyclic = served.map((_, step) => (here.self + 1 + step) % here.setup.nodes)
  const [next, ...rest] = new Set([...queue, ...cyclic].filter(waits))
  if (next === undefined) {
    here.because?.('node {self} keeps the token: all requests that it knows of were served')
    const kept = { slot, queue: [], served, fence }
    node.idle = [...node.idle, kept].toSorted((a, b) => a.slot - b.slot)
    if (node.putOff) ask(node, here)
    return
  }
  here.because?.('node {next} gets the token: its request {number} was not served yet', {
    next,
    number: get(node.requested, next).number,
  })
  // A node needs only one token for a request.
  if (marks) learn(node, next, get(node.requested, next))
  here.send(next, {
    type: 'privilege',
    token: { slot, queue: rest, served: served.with(next, get(node.served, next)), fence },
  })
}

/** Merges LN and PLN. Reports to the nodes whose round the token had not seen that it has now. */
function merged(node: State, here: Place, { served }: Token): Numbered[] {
  return served.map((inToken, other) => {
    learn(node, other, inToken)
    const known = get(node.served, other)
    if (known.round !== inToken.round) {
      if (other === here.self) node.recorded += 1
      else {
        here.because?.('a token at node {self} learns of a new round of node {other}', { other })
        here.send(other, { type: 'recorded' })
      }
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

/** Begins the next round once no node can take its numbers for those of this round, or of the one before. */
function beginRound(node: State, here: Place): void {
  const { nodes, entries, options } = here.setup
  const { round, number } = get(node.requested, here.self)
  const isOver = number === options.L && !node.waiting
  if (!isOver || node.acknowledged < nodes - 1 || node.recorded < entries) return
  here.because?.('all others and all tokens know the round of node {self}, so its numbers begin again')
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
  if (isLater(served, get(node.served, other))) node.served[other] = served
}

/** Compares two numbers that are at most one round apart. */
function isLater(a: Numbered, b: Numbered): boolean {
  return a.round === b.round ? a.number > b.number : a.round === (b.round + 1) % 3
}

/** Each node inside has a token. The other tokens are at home and at the nodes after it. */
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
 * One token: as Suzuki and Kasami. Two tokens are at one node or at two. At one, all but their holder pay n and part
 * them. At two, all but the two holders pay n + 1 and bring them together. With more tokens there are more cases.
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
