/**
 * The token ring that outlives crashes: Le Lann 1977 after Kessler 2024 (token ring algorithm), in which a crashed
 * process is taken out of the ring and an elected process replaces a lost token. The election is after Chang and
 * Roberts 1979, the ring-based algorithm of the same lecture; its rules are in election/ring-election-rules.ts.
 *
 * A token goes round the living processes, and the process that has it may enter. The predecessor of a crashed process
 * closes the ring and calls an election: numbers go round, the highest comes home, and its announcement goes round once
 * more. Every process that it passes adds whether it has the token. If it comes home and none had it, the winner makes one.
 *
 * Why there is one token: a process that the announcement has passed accepts no token of an earlier term, so a token
 * under way is void. Only an announcement that found no token makes another. Why nobody starves: as in the token ring.
 * A number, announcement or token that a crash may have lost was sent by the predecessor of the crashed process, which
 * calls an election in a new round. Processes leave an older round.
 *
 * Assumes a failure detector that names every crashed process and no other: in a partition each side would make a
 * token. Channels need no order, and only crashes lose messages. Costs what the token ring does, and with n living
 * processes m + 2n messages per crash, if the highest is m places behind the caller of the election: up to 3n-1.
 *
 * Where we differ:
 *  - All know all numbers, so the ring closes without a message, even over neighbours that crash together;
 *    `ring-election` knows only next-of-next.
 *  - Every crash causes an election, whether or not the token was lost: no process can tell before all have been asked.
 *  - Elections have rounds, and the round of the last announcement is the term of the token. `ring-election` instead
 *    repeats messages that may have been lost; but two copies of an announcement might make two tokens.
 *  - Each term in which a token is made has fences of its own, since the last fence may have died with its holder.
 */
import { type Algorithm, type Here, impossible, type NodeId } from '@turnwise/core/algorithm'
import { firstHolder } from '@turnwise/core/setup'
import { type Circle, type Contender, propose, weigh } from '../election/ring-election-rules.ts'
import { type Options, tokenRing } from './token-ring.ts'

export type Message =
  | { readonly type: 'token'; readonly term: number; readonly fence: number }
  | { readonly type: 'election'; readonly round: number; readonly id: NodeId }
  /** Process `id` is elected. Did any process that this has passed have the token? */
  | { readonly type: 'coordinator'; readonly round: number; readonly id: NodeId; readonly found: boolean }

export interface State extends Contender {
  /** The last fence given out, where the token is; null elsewhere. */
  fence: number | null
  wants: boolean
  using: boolean
  /** The round of the last announcement that has passed: tokens of earlier ones are void. */
  term: number
  /** The latest round of elections it has heard of. */
  round: number
  /** The processes that the failure detector has named. */
  down: NodeId[]
}

/** More fences than one term gives out. */
export const FENCES_EACH = 2 ** 24

export const tokenRingElection: Algorithm<State, Message, Options> = {
  facts: {
    ...tokenRing.facts,
    name: 'token-ring-election',
    title: 'Token ring with election',
    year: 1982,
    idea:
      'A token goes round the living processes. After a crash the one before the gap calls an election: the ' +
      'winner’s announcement goes round and asks for the token. If none has it, the winner makes a new one.',
    sources: ['kessler-2024'],
    topology: 'complete',
    knows: 'everyone',
    messages: { ...tokenRing.facts.messages, formula: '1 if all ask; n per idle turn; 2n to 3n-1 a crash' },
    faults: ['spike', 'pause', 'crash'],
  },
  options: tokenRing.options,
  shapes: {
    state: {
      fence: { clock: 'fence' },
      wants: 'data',
      using: 'data',
      term: 'data',
      round: 'data',
      best: 'node',
      down: { list: 'node' },
    },
    messages: {
      token: { term: 'data', fence: { clock: 'fence' } },
      election: { round: 'data', id: 'node' },
      coordinator: { round: 'data', id: 'node', found: 'data' },
    },
    fence: { clock: 'fence', scaled: false },
  },
  tokens: {
    held: ({ fence }) => (fence === null ? 0 : 1),
    carried: ({ type }) => (type === 'token' ? 1 : 0),
    isVoid: (message, { term }) => message.type === 'token' && message.term < term,
  },

  init(self, setup) {
    return {
      fence: self === firstHolder(setup) ? 0 : null,
      wants: false,
      using: setup.inside.includes(self),
      term: 0,
      round: 0,
      best: null,
      down: [],
    }
  },

  start(node, here) {
    if (node.fence !== null && !node.using) rest(node, here)
  },

  request(node, here) {
    node.wants = true
    if (node.fence === null) return here.because?.('node {self} waits until the token comes round')
    here.because?.('the token rests at node {self}')
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

  suspect(node, here, peer) {
    const wasNext = nextLiving(node, here) === peer
    node.down = [...node.down, peer].toSorted((a, b) => a - b)
    // Messages to it are lost, and it can no longer win.
    if (wasNext) here.because?.('node {peer} was next, and the token may be lost with it', { peer })
    else if (node.best === peer) here.because?.('node {peer} can no longer win the election', { peer })
    else return here.because?.('another node sends to node {peer}, and calls the election', { peer })
    callElection(node, here)
  },

  receive: {
    token(node, here, { term, fence }) {
      if (term < node.term)
        return here.because?.('the token is of term {term}, and a later one has begun', { term })
      node.term = term
      join(node, term)
      take(node, here, fence)
    },

    election(node, here, { round, id }) {
      if (round < node.round || round <= node.term)
        return here.because?.('round {round} of the election is over at node {self}', { round })
      join(node, round)
      weigh(node, circle(node, here), id)
    },

    coordinator(node, here, { round, id, found }) {
      if (round < node.round)
        return here.because?.('a later election than round {round} is under way', { round })
      if (id === here.self) conclude(node, here, found)
      else if (round > node.term) accept(node, here, round, id, found)
    },
  },
}

/** A newer round makes an older one void. */
function join(node: State, round: number): void {
  if (round <= node.round) return
  node.round = round
  node.best = null
}

export function callElection(node: State, here: Here<Message, Options>): void {
  join(node, node.round + 1)
  here.because?.('node {self} calls round {round} of the election', { round: node.round })
  propose(node, circle(node, here), here.self)
}

function circle(node: State, here: Here<Message, Options>): Circle {
  const next = nextLiving(node, here)
  return {
    self: here.self,
    next,
    down: node.down,
    pass: (id) => {
      here.because?.('node {id} is the best candidate that node {self} knows: node {next} hears of it', {
        id,
        next,
      })
      here.send(next, { type: 'election', round: node.round, id })
    },
    home: () => accept(node, here, node.round, here.self, false),
  }
}

/**
 * The announcement passes, or begins; a process that is alone has it back at once. A token that is here goes into the
 * new term.
 */
function accept(node: State, here: Here<Message, Options>, round: number, id: NodeId, found: boolean): void {
  join(node, round)
  node.term = round
  node.best = null
  here.elected(id)
  const next = nextLiving(node, here)
  const answer = found || node.fence !== null
  if (next === here.self) {
    here.because?.('node {self} is the only one left')
    return conclude(node, here, answer)
  }
  if (answer)
    here.because?.('node {id} has won, and the token is found: node {next} hears of both', { id, next })
  else here.because?.('node {id} has won, and asks all for the token: next node {next}', { id, next })
  here.send(next, { type: 'coordinator', round, id, found: answer })
}

/** The announcement is home: if it found no token, there is none. */
function conclude(node: State, here: Here<Message, Options>, found: boolean): void {
  if (found) return here.because?.('the announcement of node {self} is home, and a node has the token')
  here.because?.('nobody has the token: node {self} makes a new one, of term {term}', { term: node.term })
  take(node, here, node.term * FENCES_EACH)
}

export function take(node: State, here: Here<Message, Options>, fence: number): void {
  node.fence = fence
  if (node.wants) {
    here.because?.('the token is at node {self}, which waits for it')
    enter(node, here)
  } else {
    here.because?.('node {self} does not want to enter: the token rests, and goes on')
    rest(node, here)
  }
}

function enter(node: State, here: Here<Message, Options>): void {
  if (node.fence === null) impossible(`node ${here.self} enters without the token`)
  here.cancelTimer('hop')
  node.wants = false
  node.using = true
  node.fence += 1
  here.enter(node.fence)
}

function nextLiving(
  { down }: State,
  { self, setup }: Pick<Here<Message, Options>, 'self' | 'setup'>,
): NodeId {
  let next = (self + 1) % setup.nodes
  while (down.includes(next)) next = (next + 1) % setup.nodes
  return next
}

function rest(node: State, here: Pick<Here<Message, Options>, 'self' | 'setup' | 'setTimer'>): void {
  if (nextLiving(node, here) !== here.self) here.setTimer('hop', here.setup.options.hop)
}

function passOn(node: State, here: Here<Message, Options>): void {
  if (node.fence === null) impossible(`node ${here.self} passes on a token that it does not have`)
  const next = nextLiving(node, here)
  if (next === here.self) return here.because?.('no other node than node {self} is left in the ring')
  here.because?.('node {next} is the next living node', { next })
  here.send(next, { type: 'token', term: node.term, fence: node.fence })
  node.fence = null
}
