/**
 * Raynal, "Prime numbers as a tool to design distributed algorithms", Information Processing Letters 33(1), 1989;
 * here after Velazquez 1993, section 5.
 *
 * Every node has a number A_i, pairwise prime, and a value X_i that anyone may ask for. The product of all X is Q /
 * A_i, Q being the product of all A, exactly while node i has the turn. To enter, a node asks all others for their X
 * and multiplies. If it does not have the turn, it asks again later. On leaving it multiplies its own X by A_i /
 * A_next, which gives the turn to the next node on the ring.
 *
 * Why it is safe: only the node that has the turn changes its X. A product that fits contains the turn of the
 * predecessor, by which the turn came here, and the turn cannot have gone on. Reading the values at different moments
 * does no harm. The defect: a node that does not want to enter never takes its turn, and all others wait for it. The
 * survey says so. The paper is about the use of primes, not the algorithm; we keep the algorithm as it was published.
 *
 * Assumes reliable channels between every two nodes; messages may overtake each other. A poll costs 2(n-1) messages. The
 * survey's bound of 2(n-1)² per entry counts n-1 polls; but nothing bounds how often a node polls while others are inside.
 *
 * Where we differ:
 *  - The product contains the own X. The survey multiplies only the values received, and after the first turn none fits
 *    (raynal-prime-modified-without-own-term shows it, with no other change).
 *  - The successor is that of the ring 0, 1, …, n-1. The survey's (i+1) mod N with nodes 1 to N meets a node 0
 *    (raynal-prime-modified-node-zero).
 *  - X is kept in exponents, see prime-product.ts. The number of the turn is the fence.
 *  - A node stops asking after so many polls in a row without news, so that a stuck run ends. (`polls=0`: it asks for
 *    ever.)
 */
import type { Algorithm, Here, NodeId } from '@turnwise/core/algorithm'
import { exactly } from '@turnwise/core/facts'
import { nodesWhere } from '@turnwise/core/reason'
import { firstHolder } from '@turnwise/core/setup'
import { isTurnOf, productOf, successor } from './prime-product.ts'

export type Message =
  /** REQUEST(i): what is your X? */
  | { readonly type: 'request' }
  /** REPLY(j, X_j), where X_j is given by the number of turns that node j has taken. */
  | { readonly type: 'reply'; readonly turns: number }

export interface State {
  /** X_i, by the number of turns taken. */
  turns: number
  /** While we wait to enter. */
  poll: Poll | null
}

interface Poll {
  /** The last X heard of each node, including our own. */
  heard: (number | null)[]
  /** The nodes whose REPLY to the current poll is missing. */
  awaited: boolean[]
  /** Whether the current poll has shown a new X. */
  news: boolean
  /** How many polls in a row have shown none. */
  quiet: number
}

export interface Options {
  pace: number
  polls: number
}

type Place = Here<Message, Options>

export const raynalPrime: Algorithm<State, Message, Options> = {
  facts: {
    name: 'raynal-prime',
    title: 'Raynal (primes)',
    year: 1989,
    family: 'permission',
    idea:
      'Every node has a prime and a value; the product of all values tells by its factors whose turn it is. To enter, ' +
      'ask everyone for their values until the product names you; on leaving, change yours so that it names the next.',
    sources: ['velazquez-1993 §5'],
    entries: 1,
    sharedMode: false,
    channels: 'unordered',
    topology: 'complete',
    knows: 'everyone',
    quorums: false,
    messages: {
      formula: '2(n-1) per poll',
      light: ({ nodes }) => perEntry(nodes),
      heavy: ({ nodes }) => perEntry(nodes),
    },
    syncDelay: {
      formula: '1 to 3, and the time between two polls',
      hops: ({ options }) => ({ min: 1, max: 3 + options.pace }),
    },
    faults: [],
    fallsSilent: true,
    timing: 'any',
    timers: { poll: 'pace' },
    knownToFail: {
      property: 'no-deadlock',
      when: 'the node that has the turn does not ask: it keeps the turn, and no other node can enter',
    },
  },
  options: {
    pace: {
      kind: 'integer',
      default: 1,
      min: 1,
      title: 'Time between polls',
      about: 'units of time from the last reply to a poll until the next poll',
    },
    polls: {
      kind: 'integer',
      default: 10,
      min: 0,
      title: 'Polls without news',
      about: 'polls in a row without news after which a node asks no more; 0: it asks for ever',
    },
  },
  shapes: {
    state: {
      turns: { clock: 'turn' },
      poll: {
        fields: {
          heard: { perNode: { clock: 'turn' } },
          awaited: { perNode: 'data' },
          news: 'data',
          quiet: 'data',
        },
      },
    },
    messages: { request: {}, reply: { turns: { clock: 'turn' } } },
    fence: { clock: 'turn', scaled: true },
  },

  init: () => ({ turns: 0, poll: null }),

  request(node, here) {
    const { self, setup } = here
    const heard = Array.from({ length: setup.nodes }, (_, other) => (other === self ? node.turns : null))
    const poll: Poll = { heard, awaited: [], news: false, quiet: 0 }
    node.poll = poll
    ask(poll, here)
    if (setup.nodes === 1) conclude(node, poll, here)
  },

  release(node, here) {
    here.because?.('node {self} changes its value: the product now names node {next}', {
      next: successor(here.self, here.setup.nodes),
    })
    node.turns += 1
  },

  timeout(node, here) {
    if (node.poll !== null) ask(node.poll, here)
  },

  receive: {
    request(node, here, _request, from) {
      here.because?.('a node that asks gets the value of node {self}, which has taken {turns} turns', {
        turns: node.turns,
      })
      here.send(from, { type: 'reply', turns: node.turns })
    },

    reply(node, here, { turns }, from) {
      const { poll } = node
      if (poll === null || !poll.awaited[from]) return
      poll.awaited[from] = false
      if (poll.heard[from] !== turns) poll.news = true
      poll.heard[from] = turns
      if (!poll.awaited.includes(true)) return conclude(node, poll, here)
      here.because?.('the value of {missing} is still missing at node {self}', {
        missing: nodesWhere(poll.awaited, Boolean),
      })
    },
  },
}

function ask(poll: Poll, here: Place): void {
  poll.awaited = poll.heard.map((_, other) => other !== here.self)
  here.because?.('only the product of all values tells node {self} whether it has the turn')
  here.sendToOthers({ type: 'request' })
}

/** All have replied: enter, or ask again later. */
function conclude(node: State, poll: Poll, here: Place): void {
  const { self, setup } = here
  const first = firstHolder(setup)
  if (isTurnOf(self, productOf(poll.heard, first))) {
    here.because?.('the product of all values names node {self}: it has the turn')
    node.poll = null
    return here.enter(turnNumber(node.turns, self, first, setup.nodes))
  }
  const { polls, pace } = setup.options
  poll.quiet = poll.news || polls === 0 ? 0 : poll.quiet + 1
  poll.news = false
  if (polls > 0 && poll.quiet >= polls)
    return here.because?.('the product has not changed for {polls} polls: node {self} asks no more', {
      polls,
    })
  here.because?.('the product names another node: node {self} asks again in {pace}', { pace })
  here.setTimer('poll', pace)
}

/** The turn as counted from 1 over all nodes. Turns go round the ring, so it rises from entry to entry. */
function turnNumber(taken: number, node: NodeId, first: NodeId, nodes: number): number {
  return taken * nodes + ((node - first + nodes) % nodes) + 1
}

/** An entry takes at least one poll. How many it takes depends on how long the others stay inside. */
function perEntry(nodes: number) {
  return nodes === 1 ? exactly(0) : { min: 2 * (nodes - 1), max: Number.POSITIVE_INFINITY, mean: null }
}
