/**
 * Mizuno, Neilsen and Rao, "A token based distributed mutual exclusion algorithm based on quorum agreements",
 * ICDCS 1991; here after Velazquez 1993, section 4.
 *
 * The token is that of Suzuki and Kasami, but it is found without asking everyone. Node i sends its request to a
 * request set R_i; a node j that gets the token says so to an acquired set A_j. Every R_i meets every A_j, so some
 * node, the relation-link, hears of both and relays the requests it knows of to the holder. If R is all nodes and A
 * only the node itself, this is the algorithm of Suzuki and Kasami.
 *
 * Why it is safe: there is one token. Why nobody starves: as long as the token stays with j, some node of R_i
 * and A_j knows of i and of j, and tells j; if the token has left, j remembers i for its next turn, and the next
 * holder is told likewise. The token's queue is first come first served.
 *
 * Assumes reliable channels between every two nodes, no order, and sets known to all. An entry costs |R|-1
 * requests, the token, |A|-1 times ACQUIRED and at most as many relays: up to 3K-2 messages with the lines of a
 * projective plane of n = K(K-1)+1 nodes, 2 sqrt(2n) - 2 on a grid, 3h-2 with the paths of a tree of height h.
 *
 * Where we differ:
 *  - The survey relays only when ACQUIRED arrives: a request that comes later, as it does when the token lies idle, is
 *    lost. Here a node that knows of no waiting node remembers the holder, and relays when it learns of one.
 *  - It relays once per ACQUIRED: a holder that hears of a request passes the token on, so it need hear no more.
 *  - ACQUIREDs can overtake each other. LN orders them, since it rises with every turn, and a node ignores an older one.
 *  - LN[i] is set when i gets the token, not when it leaves, so that ACQUIRED is right about its sender as well.
 *  - A node relays nothing to a holder that the requester asks itself.
 */
import type { Algorithm, Here, NodeId } from '@turnwise/core/algorithm'
import { get, increase } from '@turnwise/core/bounds'
import {
  agreementFrom,
  agreementSizes,
  broadcast,
  type QuorumAgreement,
} from '@turnwise/core/quorum/agreement'
import { planeOrder } from '@turnwise/core/quorum/projective'
import { defaultQuorums } from '@turnwise/core/quorum/quorum-from-text'
import { firstHolder, type Setup } from '@turnwise/core/setup'

type Message =
  | { readonly type: 'request'; readonly number: number }
  /** REQUEST(RN): all that the relaying node knows of requests. */
  | { readonly type: 'relay'; readonly requested: readonly number[] }
  | {
      readonly type: 'token'
      readonly queue: readonly NodeId[]
      readonly served: readonly number[]
      readonly fence: number
    }
  | { readonly type: 'acquired'; readonly served: readonly number[] }

interface State {
  /** RN[j], the highest request number of node j that this node knows of. */
  requested: number[]
  /** LN[j], the number of node j's request that was served last, as of the newest turn this node knows of. */
  served: readonly number[]
  /** The node that has this turn, as long as this node knows of no reason for it to end; else null. */
  holder: NodeId | null
  /** The token, or null: Q, the nodes that waited at the last exit, in order, and a count of the entries. */
  token: { readonly queue: readonly NodeId[]; readonly fence: number } | null
  /** Whether this node is inside. */
  using: boolean
}

interface Options {
  agreement: 'quorums' | 'broadcast'
}

export const mizunoNeilsenRao: Algorithm<State, Message, Options> = {
  facts: {
    name: 'mizuno-neilsen-rao',
    title: 'Mizuno-Neilsen-Rao',
    year: 1991,
    family: 'token',
    idea:
      'A request is sent to a small set of nodes, and the place of the token is told to another small set. Every ' +
      'set of the one kind meets every set of the other, and the node they share relays the request to the holder.',
    sources: ['velazquez-1993 §4'],
    entries: 1,
    sharedMode: false,
    channels: 'unordered',
    topology: 'complete',
    knows: 'everyone',
    quorums: true,
    messages: {
      formula: 'r+a-1 to r+2a-2, r and a the sizes of R and A; 0 with the token here',
      letters(setup) {
        const { request, acquired } = agreementSizes(agreementOf(setup))
        // They are counted without the node itself.
        return {
          r: { min: request.min + 1, max: request.max + 1 },
          a: { min: acquired.min + 1, max: acquired.max + 1 },
        }
      },
      light: (setup) => ({ ...bounds(setup), mean: lightMean(agreementOf(setup)) }),
      heavy: (setup) => ({ ...bounds(setup), mean: heavyMean(agreementOf(setup)) }),
    },
    syncDelay: {
      formula: '1; up to 3 while the holder has not heard who waits',
      hops: () => ({ min: 1, max: 3 }),
    },
    faults: ['spike', 'pause'],
    fallsSilent: true,
    timing: 'any',
    timers: {},
  },
  options: {
    agreement: {
      kind: 'choice',
      default: 'quorums',
      choices: ['quorums', 'broadcast'],
      title: 'Sets R and A from',
      about:
        'R and A from the quorums (of a grid the columns and the rows), or R all nodes and A only the node itself',
    },
  },
  shapes: {
    state: {
      requested: perRequester(),
      served: perRequester(),
      holder: 'node',
      token: { fields: { queue: { list: 'node' }, fence: { clock: 'fence' } } },
      using: 'data',
    },
    messages: {
      request: { number: { clock: 'number', of: 'sender' } },
      relay: { requested: perRequester() },
      token: { queue: { list: 'node' }, served: perRequester(), fence: { clock: 'fence' } },
      acquired: { served: perRequester() },
    },
    fence: { clock: 'fence', scaled: false },
  },
  tokens: {
    held: ({ token }) => (token === null ? 0 : 1),
    carried: ({ type }) => (type === 'token' ? 1 : 0),
  },

  init(self, setup) {
    const zeros = () => Array.from({ length: setup.nodes }, () => 0)
    const first = firstHolder(setup)
    const isTold = self !== first && agreementOf(setup).acquired(first).includes(self)
    return {
      requested: zeros(),
      served: zeros(),
      holder: isTold ? first : null,
      token: self === first ? { queue: [], fence: 0 } : null,
      using: setup.inside.includes(self),
    }
  },

  request(node, here) {
    const { self, setup } = here
    if (node.token !== null) {
      here.because?.('node {self} has the token')
      return enter(node, here)
    }
    const number = increase(node.requested, self)
    const asked = others(here, agreementOf(setup).request(self))
    if (asked.length === 0) here.because?.('node {self} is its own request set, and asks nobody else')
    else
      here.because?.('node {self} asks its request set, {asked}, which meets every acquired set', { asked })
    tell(here, asked, { type: 'request', number })
    answerHolder(node, here)
  },

  release(node, here) {
    node.using = false
    here.because?.('node {self} has left')
    passToken(node, here)
  },

  receive: {
    request(node, here, { number }, from) {
      node.requested[from] = Math.max(get(node.requested, from), number)
      here.because?.('node {self} notes request {number} of node {from}', { number, from })
      passToken(node, here)
      answerHolder(node, here)
    },

    relay(node, here, { requested }, from) {
      here.because?.('node {from} tells node {self} of requests that it may not have heard of', { from })
      node.requested = node.requested.map((number, other) => Math.max(number, get(requested, other)))
      passToken(node, here)
      answerHolder(node, here)
    },

    token(node, here, { queue, served, fence }) {
      node.token = { queue, fence }
      node.served = served.with(here.self, get(node.requested, here.self))
      const told = others(here, agreementOf(here.setup).acquired(here.self))
      if (told.length === 0) here.because?.('node {self} has the token, which no other node needs to know')
      else here.because?.('node {self} has the token: {told} shall pass requests on to it', { told })
      tell(here, told, { type: 'acquired', served: node.served })
      enter(node, here)
    },

    acquired(node, here, { served }, from) {
      const isOlder = served.some((number, other) => number < get(node.served, other))
      if (isOlder)
        return here.because?.('node {self} has heard of a later turn than that of node {from}', { from })
      here.because?.('node {self} passes requests on to node {from}, which has the token', { from })
      node.served = served
      node.holder = from
      answerHolder(node, here)
    },
  },
}

function enter(node: State, here: Here<Message, Options>): void {
  if (node.token === null) return
  node.token = { ...node.token, fence: node.token.fence + 1 }
  node.using = true
  here.enter(node.token.fence)
}

/** Queues the waiting nodes, by number as the survey does, and sends the token to the first, if it is here and free. */
function passToken(node: State, here: Here<Message, Options>): void {
  const { token, served } = node
  if (token === null) return
  if (node.using) return here.because?.('node {self} is inside, and looks at the queue when it leaves')
  const queue = [...token.queue, ...waiting(node).filter((other) => !token.queue.includes(other))]
  const next = queue.shift()
  if (next === undefined) return here.because?.('the token stays at node {self}: nobody is known to wait')
  here.because?.('node {next} is the first in the queue of the token', { next })
  here.send(next, { type: 'token', queue, served, fence: token.fence })
  node.token = null
}

/**
 * The relation-link tells the holder which nodes wait, unless they all do so themselves. Then it forgets the holder:
 * either way the holder learns of a request, and its turn ends.
 */
function answerHolder(node: State, here: Here<Message, Options>): void {
  const { holder } = node
  if (holder === null) return
  const known = waiting(node)
  if (known.length === 0) return
  const agreement = agreementOf(here.setup)
  if (known.every((other) => agreement.request(other).includes(holder)))
    here.because?.('{known} ask node {holder}, which has the token, themselves', { known, holder })
  else {
    here.because?.('node {holder} has the token, and may not hear of {known} otherwise', { known, holder })
    here.send(holder, { type: 'relay', requested: [...node.requested] })
  }
  node.holder = null
}

/** Who waits, as far as this node knows. */
function waiting({ requested, served }: State): NodeId[] {
  return requested.flatMap((number, other) => (number > get(served, other) ? [other] : []))
}

function others({ self }: Pick<Here, 'self'>, members: readonly NodeId[]): NodeId[] {
  return members.filter((member) => member !== self)
}

function tell(here: Here<Message, Options>, members: readonly NodeId[], message: Message): void {
  for (const member of members) here.send(member, message)
}

function agreementOf({ nodes, quorums, options }: Setup<Options>): QuorumAgreement {
  if (options.agreement === 'broadcast') return broadcast(nodes)
  return agreementFrom(quorums ?? defaultQuorums(nodes))
}

function bounds(setup: Setup<Options>) {
  if (setup.nodes === 1) return { min: 0, max: 0 }
  const { request, acquired } = agreementSizes(agreementOf(setup))
  return { min: 0, max: request.max + 1 + 2 * acquired.max }
}

/**
 * A node remembers the last turn it noticed; each turn it can notice is the last equally often. It relays a request if
 * it was told of that turn and the requester does not ask its holder itself, whether or not the token is still there.
 */
function lightMean(agreement: QuorumAgreement): number {
  const { nodes } = agreement
  const { request, acquired } = agreementSizes(agreement)
  const noticed = Array.from({ length: nodes }, () => 0)
  const tellers = Array.from({ length: nodes }, (): NodeId[] => [])
  for (let holder = 0; holder < nodes; holder += 1) {
    const told = agreement.acquired(holder)
    for (const node of told) if (node !== holder) get(tellers, node).push(holder)
    for (const node of new Set([...agreement.request(holder), ...told])) increase(noticed, node)
  }
  let relays = 0
  for (let requester = 0; requester < nodes; requester += 1) {
    const asked = new Set(agreement.request(requester))
    for (const node of asked) {
      relays += get(tellers, node).filter((holder) => !asked.has(holder)).length / get(noticed, node)
    }
  }
  return (1 - 1 / nodes) * (request.mean + 1 + acquired.mean) + relays / nodes
}

/**
 * If each R meets each A in one node, no holder is asked by all waiting nodes, and every ACQUIRED is answered. A tree
 * has holders near the root that all nodes ask, and the lines of a folded plane meet more than once.
 */
function heavyMean(agreement: QuorumAgreement): number | null {
  if (!['projective', 'grid', 'broadcast'].includes(agreement.kind)) return null
  if (agreement.kind === 'projective' && planeOrder(agreement.nodes) === null) return null
  const { request, acquired } = agreementSizes(agreement)
  return agreement.nodes === 1 ? 0 : request.mean + 1 + 2 * acquired.mean
}

function perRequester() {
  return { perNode: { clock: 'number', of: 'index' } } as const
}
