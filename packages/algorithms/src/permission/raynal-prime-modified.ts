/**
 * Velazquez, "A survey of distributed mutual exclusion algorithms", technical report CS-93-116, 1993, section 5:
 * the modification proposed there of Raynal's algorithm (see raynal-prime.ts).
 *
 * Every node knows all values X from the start, and asks no other. A node that changes its X tells all others by an
 * INFORM. Each multiplies, and sees whether the product names it. If it does, and the node wants to enter, it enters.
 * If the node does not want to, it behaves as if it were leaving: it changes its X, and the next node has the turn.
 *
 * Why it is safe: as for Raynal's. A node whose product fits has heard of the turn of its predecessor, and has not
 * taken its own since. Why nobody starves: a node passes on a turn that it does not want, so the turn comes round.
 *
 * Assumes reliable channels between every two nodes. A turn costs n-1 messages, an entry up to (n-1)² if the farthest
 * node wants it. The turn goes round even if no node wants it, so the network never falls silent.
 *
 * Where we differ:
 *  - A node also checks whether it has the turn when the world begins. In the survey only a message makes it check; the
 *    first node, which has the turn without one, would keep it until it asks.
 *  - A node that does not want to enter rests for `hop` units of time before it passes the turn on, as in a token
 *    ring; a request that finds the turn resting enters at once.
 *  - X is kept in exponents, see prime-product.ts, and the product contains the own X. An INFORM tells the last
 *    fence too: it counts entries, not turns.
 * INFORMs need no version and channels no order: before a node has its next turn, all others have had theirs, and for
 * that they must have heard of its last. A handler asserts this, and the checker agrees.
 */
import { type Algorithm, type Here, impossible, type NodeId } from '@turnwise/core/algorithm'
import { get, increase } from '@turnwise/core/bounds'
import { exactly } from '@turnwise/core/facts'
import { firstHolder } from '@turnwise/core/setup'
import { isTurnOf, productOf, successor } from './prime-product.ts'

/** INFORM(i, X_i), where X_i is given by the number of turns that the sender i has taken; and the last fence given out. */
export type Message = { readonly type: 'inform'; readonly turns: number; readonly fence: number }

export interface State {
  /** X of every node, by the number of turns that it has taken. */
  turns: number[]
  /** Waits for its turn. */
  wants: boolean
  /** Is inside. */
  using: boolean
  /** The last fence given out that we know of. At the node that has the turn it is the last of all. */
  fence: number
}

export interface Options {
  hop: number
}

type Place = Here<Message, Options>
type Rules = Pick<
  Algorithm<State, Message, Options>,
  'init' | 'start' | 'request' | 'withdraw' | 'release' | 'timeout' | 'receive'
>

export const raynalPrimeModified: Algorithm<State, Message, Options> = {
  facts: {
    name: 'raynal-prime-modified',
    title: 'Raynal (primes), modified',
    year: 1993,
    family: 'permission',
    idea:
      'The product of the values that all nodes hold tells by its prime factors whose turn it is. A node that ' +
      'leaves, or does not want its turn, changes its value and tells all others. No node asks.',
    sources: ['velazquez-1993 §5'],
    entries: 1,
    sharedMode: false,
    channels: 'unordered',
    topology: 'complete',
    knows: 'everyone',
    quorums: false,
    messages: {
      formula: 'n-1 per turn, up to (n-1)²; idle turns go on',
      // Every exit informs the others, so no entry is cheaper. The cost of idle turns depends on how long the section
      // is idle.
      light: ({ nodes }) =>
        nodes === 1 ? exactly(0) : { min: nodes - 1, max: Number.POSITIVE_INFINITY, mean: null },
      // All want their turn when it comes. In a run with one entry all others may have to pass it on first.
      heavy: ({ nodes }) => ({ min: nodes - 1, max: nodes * (nodes - 1), mean: nodes - 1 }),
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
      about: 'units of time that a node keeps a turn that it does not want',
    },
  },
  shapes: {
    state: { turns: { perNode: { clock: 'turn' } }, wants: 'data', using: 'data', fence: { clock: 'fence' } },
    messages: { inform: { turns: { clock: 'turn' }, fence: { clock: 'fence' } } },
    fence: { clock: 'fence', scaled: false },
  },

  ...turnRules(productOf),
}

/** How a node multiplies the values it knows: all of them, except in a broken variant. */
type Product = (turns: readonly number[], first: NodeId, self: NodeId) => readonly number[]

export function turnRules(product: Product): Rules {
  function hasTurn({ turns }: State, { self, setup }: Pick<Place, 'self' | 'setup'>): boolean {
    return isTurnOf(self, product(turns, firstHolder(setup), self))
  }

  return {
    init: (self, { nodes, inside }) => ({
      turns: Array.from({ length: nodes }, () => 0),
      wants: false,
      using: inside.includes(self),
      fence: 0,
    }),

    start(node, here) {
      if (hasTurn(node, here) && !node.using) rest(here)
    },

    request(node, here) {
      node.wants = true
      if (!hasTurn(node, here))
        return here.because?.('it is not the turn of node {self}, which waits until the product names it')
      here.cancelTimer('hop')
      enter(node, here)
    },

    withdraw(node, here) {
      here.because?.('node {self} wants its turn no more, and will pass it on')
      node.wants = false
    },

    release(node, here) {
      node.using = false
      here.because?.('node {self} has left, and its turn ends')
      passOn(node, here)
    },

    timeout(node, here) {
      here.because?.('node {self} has had the turn for {hop}, and still does not want it', {
        hop: here.setup.options.hop,
      })
      passOn(node, here)
    },

    receive: {
      inform(node, here, { turns, fence }, from) {
        if (turns !== get(node.turns, from) + 1)
          impossible(`node ${here.self} has missed a turn of node ${from}`)
        node.turns[from] = turns
        node.fence = Math.max(node.fence, fence)
        if (!hasTurn(node, here))
          return here.because?.('node {from} has ended its turn, but the product does not name node {self}', {
            from,
          })
        if (node.wants) return enter(node, here)
        here.because?.('the product names node {self}, which does not want its turn now')
        rest(here)
      },
    },
  }
}

function enter(node: State, here: Place): void {
  here.because?.('the product of all values names node {self}, which wants its turn')
  node.wants = false
  node.using = true
  node.fence += 1
  here.enter(node.fence)
}

function rest(here: Pick<Place, 'setup' | 'setTimer'>): void {
  if (here.setup.nodes > 1) here.setTimer('hop', here.setup.options.hop)
}

function passOn(node: State, here: Place): void {
  here.because?.('node {self} changes its value, so that the product names node {next}', {
    next: successor(here.self, here.setup.nodes),
  })
  here.sendToOthers({ type: 'inform', turns: increase(node.turns, here.self), fence: node.fence })
}
