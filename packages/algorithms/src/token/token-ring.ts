/**
 * Le Lann, "Distributed systems: towards a formal approach", IFIP Congress, 1977; here after Kessler 2024 (token
 * ring algorithm) and Velazquez 1993, section 3.1.
 *
 * The nodes form a ring, and a token goes round it for ever. A node that receives it and wants to enter keeps it,
 * enters, and passes it on when leaving. A node that does not want to enter passes it on. No node sends a request.
 *
 * Why it is safe: there is one token, and only its holder enters. Why nobody starves: the ring has one direction,
 * so between two visits of the token every other node enters at most once.
 *
 * Assumes a ring of reliable channels, node i to node i+1; no order, since one message is under way at most. A node
 * knows its successor only. If all nodes ask, an entry costs 1 message. If none does, the token still costs n messages
 * for each turn of the ring, so the cost of an entry has no bound. From request to entry at most n-1 hops remain.
 *
 * Where we differ:
 *  - A node that does not want to enter lets the token rest for `hop` units of time; in the lecture it passes it on
 *    immediately. A request that finds it resting enters at once. So obtaining it takes 0 to n-1 messages, not 1 to n-1.
 *  - A node alone keeps the token. The token carries a counter as fence: of entries, not of hops.
 */
import { type Algorithm, type Here, impossible } from '@turnwise/core/algorithm'
import { exactly } from '@turnwise/core/facts'
import { firstHolder } from '@turnwise/core/setup'

export type Message = { readonly type: 'token'; readonly fence: number }

export interface State {
  /** The last fence given out, where the token is; null elsewhere. */
  fence: number | null
  /** Waits for the token. */
  wants: boolean
  /** Whether this node is inside. A token that is here and not in use rests. */
  using: boolean
}

export interface Options {
  hop: number
}

export const tokenRing: Algorithm<State, Message, Options> = {
  facts: {
    name: 'token-ring',
    title: 'Token ring',
    year: 1977,
    family: 'token',
    idea:
      'A token goes round a ring of nodes for ever. A node that wants to enter waits until it comes by, keeps it ' +
      'while inside and passes it on when leaving. No node sends a request.',
    sources: ['kessler-2024', 'velazquez-1993 §3.1'],
    entries: 1,
    sharedMode: false,
    channels: 'unordered',
    topology: 'ring',
    knows: 'neighbours',
    quorums: false,
    messages: {
      formula: '1 if all ask; n per idle turn',
      // Every exit sends the token on, so no entry is cheaper. The cost of an idle ring depends on how long it is idle.
      light: ({ nodes }) =>
        nodes === 1 ? exactly(0) : { min: 1, max: Number.POSITIVE_INFINITY, mean: null },
      // All wait wherever the token comes. In a run with one entry it may pass all the others first.
      heavy: ({ nodes }) => (nodes === 1 ? exactly(0) : { min: 1, max: nodes, mean: 1 }),
    },
    syncDelay: {
      formula: '1 to n-1, and a rest at each node passed',
      hops: ({ nodes, options }) => ({ min: 1, max: Math.max(1, nodes - 1 + (nodes - 2) * options.hop) }),
    },
    faults: ['spike', 'pause'],
    fallsSilent: false,
    timing: 'any',
    timers: { hop: 'pace' },
  },
  options: {
    hop: {
      kind: 'integer',
      default: 1,
      min: 1,
      title: 'Rest at each node',
      about: 'units of time that the token rests at a node that does not want to enter',
    },
  },
  shapes: {
    state: { fence: { clock: 'fence' }, wants: 'data', using: 'data' },
    messages: { token: { fence: { clock: 'fence' } } },
    fence: { clock: 'fence', scaled: false },
  },
  tokens: {
    held: ({ fence }) => (fence === null ? 0 : 1),
    carried: () => 1,
  },

  init(self, setup) {
    return {
      fence: self === firstHolder(setup) ? 0 : null,
      wants: false,
      using: setup.inside.includes(self),
    }
  },

  start(node, here) {
    if (node.fence !== null && !node.using) rest(here)
  },

  request(node, here) {
    node.wants = true
    if (node.fence === null) return here.because?.('node {self} waits until the token comes round')
    here.because?.('the token rests at node {self}')
    here.cancelTimer('hop')
    enter(node, here)
  },

  withdraw(node, here) {
    here.because?.('node {self} lets the token pass')
    node.wants = false
  },

  release(node, here) {
    node.using = false
    here.because?.('node {self} has left')
    passOn(node, here)
  },

  timeout(node, here) {
    here.because?.('the token has rested at node {self} long enough')
    passOn(node, here)
  },

  receive: {
    token(node, here, { fence }) {
      node.fence = fence
      if (node.wants) {
        here.because?.('the token has come to node {self}, which waits for it')
        enter(node, here)
      } else {
        here.because?.('node {self} does not want to enter: the token rests, and goes on')
        rest(here)
      }
    },
  },
}

export function enter(node: State, here: Pick<Here, 'self' | 'enter'>): void {
  if (node.fence === null) impossible(`node ${here.self} enters without the token`)
  node.wants = false
  node.using = true
  node.fence += 1
  here.enter(node.fence)
}

function rest(here: Pick<Here<Message, Options>, 'setup' | 'setTimer'>): void {
  if (here.setup.nodes > 1) here.setTimer('hop', here.setup.options.hop)
}

/** To the successor, whether or not it wants to enter. */
function passOn(node: State, here: Here<Message, Options>): void {
  if (node.fence === null) impossible(`node ${here.self} passes on a token that it does not have`)
  if (here.setup.nodes === 1) return here.because?.('the ring has no other node than node {self}')
  const next = (here.self + 1) % here.setup.nodes
  here.because?.('node {next} is the next in the ring', { next })
  here.send(next, { type: 'token', fence: node.fence })
  node.fence = null
}
