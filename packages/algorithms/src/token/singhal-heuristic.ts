/**
 * Singhal, "A heuristically-aided algorithm for mutual exclusion in distributed systems", IEEE Transactions on
 * Computers 38(5), 1989; here after Velazquez 1993, section 4.
 *
 * The node that holds the token may enter. A node that wants it asks only nodes that it believes to be requesting: they
 * have the token or will have it. Its beliefs, a state and a request number per node, come from requests and from the
 * token. The token carries the same two vectors, and at every exit the later news overwrites the older, both ways.
 *
 * Why it is safe: there is one token, and it goes only to a node whose latest request it has not served. Why nobody is
 * forgotten: of any two nodes, the one that executed longer ago believes the other to be requesting, or messages that
 * will make it believe so are under way. So a request reaches the holder or a future holder. The start is a staircase,
 * as if the nodes had executed one by one, the holder last. Why nobody starves: the smallest request number is served
 * first, and a node that was served asks next time with a larger one.
 *
 * Assumes reliable channels between every two nodes; no order. With one request at a time a node asks those that
 * executed since it last did, (n+1)/2 messages on average. When all nodes wait it asks all: n, never more.
 *
 * Where we differ: the survey's rules lose requests. Suppose a request is served while it still travels to a third
 * node, and that node has had the token since. It discards the request as outdated. The sender, too, forgot that node
 * on leaving, so neither will ask the other. Here a node answers an outdated request with its own latest one, as a
 * waiting node does in the survey. Each number goes to each node once. The fence is our addition.
 *
 * Failures: the survey says that the paper discusses failed nodes and channels, and gives no rule. We add none. If the
 * node that holds or will get the token fails, the token is lost, and no node makes another. All nodes may be stopped,
 * but two are never inside together.
 */
import { type Algorithm, type Here, impossible, type NodeId } from '@turnwise/core/algorithm'
import { get, increase } from '@turnwise/core/bounds'
import { nodesWhere } from '@turnwise/core/reason'
import { firstHolder } from '@turnwise/core/setup'

/** Requesting, not requesting, executing, holding the idle token. */
type Activity = 'R' | 'N' | 'E' | 'H'

interface Token {
  /** TSV[j], the state of node j: R or N. */
  readonly states: readonly Activity[]
  /** TSN[j], the number of the request of node j to which that state belongs. */
  readonly numbers: readonly number[]
  /** Counts the entries. */
  readonly fence: number
}

export type Message =
  | { readonly type: 'request'; readonly number: number }
  | { readonly type: 'token'; readonly token: Token }

export interface State {
  /** SV[j], what node j was doing when we last heard of it; for ourselves, what we do. */
  states: Activity[]
  /** SN[j], the latest request number heard of node j; for ourselves, the latest sent. */
  numbers: number[]
  token: Token | null
  /** The nodes that have been sent our latest number. Before the first there is nothing to send. */
  told: boolean[]
}

export const singhalHeuristic: Algorithm<State, Message> = {
  facts: {
    name: 'singhal-heuristic',
    title: 'Singhal heuristic',
    year: 1989,
    family: 'token',
    idea:
      'The node that holds the token may enter. Every node guesses what the others are doing and asks only nodes that ' +
      'seem to be requesting, since they have the token or will get it. Requests and the token spread the news.',
    sources: ['velazquez-1993 §4'],
    entries: 1,
    sharedMode: false,
    channels: 'unordered',
    topology: 'complete',
    knows: 'everyone',
    quorums: false,
    messages: {
      formula: '(n+1)/2 - 1/n at light load, n at heavy load, never more',
      // The node that executed k-th last asks the k - 1 that did since and gets the token: k messages, but none for the
      // last itself. A node that executes moves to the front; a random requester has a random place.
      light: ({ nodes }) => ({ ...bounds(nodes), mean: (nodes + 1) / 2 - 1 / nodes }),
      heavy: ({ nodes }) => ({ ...bounds(nodes), mean: bounds(nodes).max }),
    },
    syncDelay: { formula: '1', hops: () => ({ min: 1, max: 1 }) },
    faults: ['spike', 'pause'],
    fallsSilent: true,
    timing: 'any',
    timers: {},
  },
  options: {},
  shapes: {
    state: {
      states: { perNode: 'data' },
      numbers: { perNode: { clock: 'number' } },
      token: tokenShape(),
      told: { perNode: 'data' },
    },
    messages: { request: { number: { clock: 'number' } }, token: { token: tokenShape() } },
    fence: { clock: 'fence', scaled: false },
  },
  tokens: {
    held: ({ token }) => (token === null ? 0 : 1),
    carried: ({ type }) => (type === 'token' ? 1 : 0),
  },

  init(self, setup) {
    const { nodes, inside } = setup
    const first = firstHolder(setup)
    const step = (node: NodeId) => (node - first + nodes) % nodes
    const forAll = <Value>(value: (node: NodeId) => Value) =>
      Array.from({ length: nodes }, (_, node) => value(node))
    const states = forAll((node): Activity => (step(node) < step(self) ? 'R' : 'N'))
    if (self === first) states[self] = inside.includes(self) ? 'E' : 'H'
    return {
      states,
      numbers: forAll(() => 0),
      token: self === first ? { states: forAll(() => 'N'), numbers: forAll(() => 0), fence: 0 } : null,
      told: forAll(() => true),
    }
  },

  request(node, here) {
    if (node.token !== null) {
      here.because?.('node {self} has the token')
      return enter(node, here, node.token)
    }
    here.because?.('node {self} asks {asked}, which wanted the token when it last heard of them', {
      asked: nodesWhere(node.states, (state) => state === 'R'),
    })
    increase(node.numbers, here.self)
    node.told = node.states.map((_, other) => other === here.self)
    node.states.forEach((state, other) => {
      if (state === 'R') tell(node, here, other)
    })
    node.states[here.self] = 'R'
  },

  release(node, here) {
    here.because?.('node {self} has left')
    handOn(node, here)
  },

  receive: {
    request(node, here, { number }, from) {
      const outdated = isOutdated(node, from, number)
      const activity = node.states[here.self]
      if (outdated || activity === 'R') {
        if (!node.told[from])
          here.because?.('node {from} does not know yet that node {self} has asked too', { from })
        tell(node, here, from)
      }
      if (outdated) return here.because?.('node {self} knows of a later request of node {from}', { from })
      here.because?.('node {self} notes that node {from} wants the token', { from })
      node.states[from] = 'R'
      node.numbers[from] = number
      if (activity === 'H') handOn(node, here)
    },

    token(node, here, { token }) {
      if (node.states[here.self] !== 'R') impossible(`node ${here.self} did not ask for the token`)
      here.because?.('the token has come to node {self}, which asked for it')
      enter(node, here, token)
    },
  },
}

function enter(node: State, here: Here<Message>, token: Token): void {
  node.states[here.self] = 'E'
  node.token = { ...token, fence: token.fence + 1 }
  here.enter(node.token.fence)
}

/** Sends our latest request to a node that has not been sent it. */
export function tell(node: State, here: Here<Message>, other: NodeId): void {
  if (node.told[other]) return
  node.told[other] = true
  here.send(other, { type: 'request', number: get(node.numbers, here.self) })
}

/** Whether we, or the token in our hands, know of a request of that node at least as late. */
function isOutdated({ numbers, token }: State, from: NodeId, number: number): boolean {
  return number <= get(numbers, from) || (token !== null && number <= get(token.numbers, from))
}

/** Passes the token to the next node that wants it, or keeps it idle. */
export function handOn(node: State, here: Here<Message>): void {
  const token = exchangeNews(node, here.self)
  const next = nextToServe(token, here.self)
  node.states[here.self] = next === null ? 'H' : 'N'
  node.token = next === null ? token : null
  if (next === null) return here.because?.('the token stays at node {self}: nobody is known to want it')
  here.because?.('of those who want the token, node {next} has the smallest number, {number}', {
    next,
    number: get(token.numbers, next),
  })
  here.send(next, { type: 'token', token })
}

/** For each node, whichever of our vectors and the token's knows the later request overwrites the other. */
function exchangeNews(node: State, self: NodeId): Token {
  const token = node.token ?? impossible(`node ${self} leaves without a token`)
  const states = token.states.with(self, 'N')
  const numbers = [...token.numbers]
  for (const [other, its] of token.numbers.entries()) {
    const ours = get(node.numbers, other)
    if (ours > its) {
      states[other] = get(node.states, other)
      numbers[other] = ours
    } else {
      node.states[other] = get(states, other)
      node.numbers[other] = its
    }
  }
  return { states, numbers, fence: token.fence }
}

/** The requesting node with the smallest number; of several, the first on the ring from here. */
function nextToServe({ states, numbers }: Token, self: NodeId): NodeId | null {
  let next: NodeId | null = null
  for (let step = 1; step < states.length; step += 1) {
    const node = (self + step) % states.length
    if (states[node] === 'R' && (next === null || get(numbers, node) < get(numbers, next))) next = node
  }
  return next
}

function bounds(nodes: number) {
  return { min: 0, max: nodes === 1 ? 0 : nodes }
}

function tokenShape() {
  return {
    fields: {
      states: { perNode: 'data' },
      numbers: { perNode: { clock: 'number' } },
      fence: { clock: 'fence' },
    },
  } as const
}
