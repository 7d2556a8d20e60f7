/**
 * Le Lann's token ring (token-ring.ts; Kessler 2024, Velazquez 1993, section 3.1) without the messages that the paper's
 * token spends while no node wants it. While it is wanted it goes round as there: one message for an entry if all nodes
 * ask, and no request. After a turn in which no node used it, it rests at its home, and a node that wants it then has
 * to stir it. So the network falls silent, and no timer paces an idle token.
 *
 * Why it is safe: there is one token, and only its holder enters. Why nobody starves: as in the ring, once it moves. It
 * rests only if no node counts on it. A node that used it on its last visit counts on it and does not stir: the token
 * comes home used, and makes another turn. Every other node stirs it before it waits, and home sends it round once more
 * if it was stirred since it left.
 *
 * Assumes reliable channels from each node to the next and to home, without order. An entry of home costs nothing if the
 * token rests, one of another node alone 2n + 1 messages: to stir it, a turn that is used and one that finds nobody.
 *
 * Where we differ from Le Lann: the resting is ours. A token that no node wants does not stay for a `hop` at each node
 * either. The token carries a counter as fence: of entries, not of hops.
 */
import { type Algorithm, type Here, impossible } from '@turnwise/core/algorithm'
import { exactly } from '@turnwise/core/facts'
import { firstHolder, type Setup } from '@turnwise/core/setup'
import { enter } from './token-ring.ts'

export type Message =
  /** `used`: whether a node has entered since it left home. */
  | { readonly type: 'token'; readonly fence: number; readonly used: boolean }
  /** To home, from a node that waits and that the token has passed unused. */
  | { readonly type: 'stir' }

export interface State {
  /** The last fence given out, where the token is; null elsewhere. */
  fence: number | null
  /** Waits for the token. */
  wants: boolean
  using: boolean
  /**
   * Whether the token will certainly come once more. At home, where it always comes back: whether another node counts
   * on that.
   */
  counted: boolean
}

export const tokenRingOnDemand: Algorithm<State, Message> = {
  facts: {
    name: 'token-ring-on-demand',
    title: 'Token ring on demand',
    year: 1977,
    family: 'token',
    idea:
      'A token goes round a ring of nodes as long as they use it. After a turn in which no node used it, it rests ' +
      'at its home, and a node that wants it then has to stir it first.',
    sources: ['kessler-2024', 'velazquez-1993 §3.1'],
    entries: 1,
    sharedMode: false,
    channels: 'unordered',
    topology: 'complete',
    knows: 'everyone',
    quorums: false,
    messages: {
      formula: '1 if all ask; 2n+1 alone, 0 at home',
      light: ({ nodes }) => ({
        min: 0,
        max: nodes === 1 ? 0 : 2 * nodes + 1,
        mean: ((nodes - 1) * (2 * nodes + 1)) / nodes,
      }),
      // One. A short run pays more, for the first stir of each node and the last turns that no node uses.
      heavy: ({ nodes }) => (nodes === 1 ? exactly(0) : { min: 0, max: 2 * nodes + 1, mean: null }),
    },
    syncDelay: {
      formula: '1 to n-1, or n where it rests again while it is being stirred',
      hops: ({ nodes }) => ({ min: 1, max: nodes }),
    },
    faults: ['spike', 'pause'],
    fallsSilent: true,
    timing: 'any',
    timers: {},
  },
  options: {},
  shapes: {
    state: { fence: { clock: 'fence' }, wants: 'data', using: 'data', counted: 'data' },
    messages: { token: { fence: { clock: 'fence' }, used: 'data' }, stir: {} },
    fence: { clock: 'fence', scaled: false },
  },
  tokens: {
    held: ({ fence }) => (fence === null ? 0 : 1),
    carried: ({ type }) => (type === 'token' ? 1 : 0),
  },

  init(self, setup) {
    return {
      fence: self === homeIn(setup) ? 0 : null,
      wants: false,
      using: setup.inside.includes(self),
      counted: false,
    }
  },

  request(node, here) {
    node.wants = true
    if (node.fence !== null) {
      here.because?.('the token rests at node {self}')
      enter(node, here)
    } else if (isHome(here)) here.because?.('the token goes round, and comes home to node {self}')
    else if (node.counted) here.because?.('the token is on its way round for node {self} already')
    else {
      const home = homeIn(here.setup)
      here.because?.('the token may rest at home: node {self} stirs node {home}', { home })
      node.counted = true
      here.send(home, { type: 'stir' })
    }
  },

  withdraw(node, here) {
    here.because?.('node {self} lets the token pass')
    node.wants = false
  },

  release(node, here) {
    node.using = false
    here.because?.('node {self} has left')
    if (isHome(here)) restOrPassOn(node, here)
    else passOn(node, here, true)
  },

  receive: {
    token(node, here, { fence, used }) {
      node.fence = fence
      if (isHome(here)) node.counted ||= used
      else node.counted = node.wants
      if (node.wants) {
        here.because?.('the token has come to node {self}, which waits for it')
        return enter(node, here)
      }
      here.because?.('node {self} does not want to enter')
      if (isHome(here)) restOrPassOn(node, here)
      else passOn(node, here, used)
    },

    stir(node, here, _stir, from) {
      here.because?.('node {from} waits for the token', { from })
      node.counted = true
      if (node.fence !== null && !node.using) restOrPassOn(node, here)
      else here.because?.('when the token is home and free, it goes round once more')
    },
  },
}

/** Where the token begins, and rests. */
function homeIn(setup: Setup): number {
  return firstHolder(setup)
}

function isHome({ self, setup }: Here<Message>): boolean {
  return self === homeIn(setup)
}

/** At home. */
export function restOrPassOn(node: State, here: Here<Message>): void {
  if (!node.counted)
    return here.because?.('nobody has asked since the token set out: it rests at node {self}')
  node.counted = false
  passOn(node, here, false)
}

function passOn(node: State, here: Here<Message>, used: boolean): void {
  if (node.fence === null) impossible(`node ${here.self} passes on a token that it does not have`)
  const next = (here.self + 1) % here.setup.nodes
  here.because?.('node {next} is the next in the ring', { next })
  here.send(next, { type: 'token', fence: node.fence, used })
  node.fence = null
}
