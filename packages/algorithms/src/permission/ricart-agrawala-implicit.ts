/**
 * Ricart and Agrawala, "An optimal algorithm for mutual exclusion in computer networks", CACM 24(1), 1981,
 * section 6.1: implicit replies; with `broadcast` combined with section 6.2.
 *
 * As `ricart-agrawala`, but if message delays are bounded, silence can replace a reply. A node that would reply says
 * nothing. A node that would not says DEFERRED at once, and REPLY when it leaves. A node enters when it has the REPLY
 * of all that deferred, and the others have been silent for T, longer than a request and an answer take.
 *
 * Why it is safe, and why nobody starves: silence for T says what a reply says, as long as the bound holds. A single
 * DEFERRED that comes later than T lets two nodes in. Everything rests on this one assumption.
 *
 * Assumes reliable channels between every two nodes with a bound on delay, below T/2; messages may overtake each other.
 * An entry costs n-1 messages and 2 for each node that defers: n-1 to 3(n-1). The price is time: without competition a
 * node waits for T instead of one round trip, so the bound should be close to the mean.
 *
 * With `broadcast` a request is one message, and so is the REPLY at exit, which lists whom it is for (6.2.2): an entry
 * costs 1 message without competition, and at most n+1.
 *
 * Where we differ:
 *  - Once all have deferred and replied, no silence matters any more, and the node does not wait for the end of T.
 *  - So a REPLY that has overtaken its DEFERRED must not count before the DEFERRED arrives. Otherwise we might enter, leave
 *    and ask again, take the late DEFERRED for an answer to the new request, and wait for a REPLY that no node owes us.
 *  - The number sent is recorded, as in `ricart-agrawala`.
 */
import type { Algorithm, Here, NodeId } from '@turnwise/core/algorithm'
import { exactly, type Prediction } from '@turnwise/core/facts'
import { nodesWhere } from '@turnwise/core/reason'
import { comesFirst } from './priority.ts'
import { fence, nobody } from './ricart-agrawala.ts'

export type Message =
  | { readonly type: 'request'; readonly number: number }
  /** Not now: our REPLY will come when we leave. */
  | { readonly type: 'deferred' }
  /** REPLY, at exit, to those listed: to one, or to all who hear it. */
  | { readonly type: 'reply'; readonly recipients: readonly NodeId[] }

/**
 * What another node has answered to our request: nothing so far; DEFERRED; a REPLY that has overtaken its DEFERRED; or
 * all we need (DEFERRED and REPLY, or silence for T). It is also `settled` while we do not ask.
 */
type Answer = 'none' | 'deferred' | 'reply first' | 'settled'

export interface State {
  highest: number
  /** Our_Sequence_Number while waiting and inside; null otherwise. */
  ours: number | null
  answers: Answer[]
  /** Reply_Deferred[j]: j waits for our REPLY until we leave. */
  deferred: boolean[]
}

export interface Options {
  T: number
  broadcast: boolean
}

export const ricartAgrawalaImplicit: Algorithm<State, Message, Options> = {
  facts: {
    name: 'ricart-agrawala-implicit',
    title: 'Ricart-Agrawala, implicit replies',
    year: 1981,
    family: 'permission',
    idea:
      'Ask every other node and wait for as long as a request and its answer can take: silence is consent. A node ' +
      'that has priority says at once that it defers, and replies when it leaves. Needs a bound on delay.',
    sources: ['ricart-agrawala-1981 §6.1', 'ricart-agrawala-1981 §6.2'],
    entries: 1,
    sharedMode: false,
    channels: 'unordered',
    medium: 'broadcast',
    topology: 'complete',
    knows: 'everyone',
    quorums: false,
    messages: {
      formula: 'n-1 to 3(n-1); by broadcast 1 to n+1',
      light: ({ nodes, options }) => exactly(requestCost(nodes, options)),
      heavy: ({ nodes, options }) => heavy(nodes, options),
    },
    // A node that asked shortly before the exit still has to wait for the silence of the others.
    syncDelay: { formula: '1, at most T', hops: ({ options }) => ({ min: 1, max: options.T }) },
    faults: [],
    fallsSilent: true,
    timing: 'bounded',
    timers: { silence: 'round-trip' },
  },
  options: {
    T: {
      kind: 'integer',
      default: 7,
      min: 1,
      title: 'Silence is a reply after (T)',
      about: 'units of time after which silence is a reply: more than the longest delay of two messages',
    },
    broadcast: {
      kind: 'flag',
      default: false,
      title: 'One broadcast to all',
      about: 'send requests, and replies at exit, by one broadcast to all (section 6.2)',
    },
  },
  shapes: {
    state: {
      highest: { clock: 'number' },
      ours: { clock: 'number' },
      answers: { perNode: 'data' },
      deferred: { perNode: 'data' },
    },
    messages: {
      request: { number: { clock: 'number' } },
      deferred: {},
      reply: { recipients: { list: 'node' } },
    },
    fence: { clock: 'number', scaled: true },
  },

  init(self, { nodes, inside }) {
    return {
      highest: 0,
      ours: inside.includes(self) ? 0 : null,
      answers: Array.from({ length: nodes }, (): Answer => 'settled'),
      deferred: nobody(nodes),
    }
  },

  request(node, here) {
    const { nodes, options } = here.setup
    node.ours = node.highest + 1
    node.highest = node.ours
    node.answers = node.answers.map((_, other) => (other === here.self ? 'settled' : 'none'))
    if (nodes === 1) return enterIfSettled(node, here)
    here.because?.('node {self} takes number {number}: who is silent for {T} has no objection', {
      number: node.ours,
      T: options.T,
    })
    if (options.broadcast) here.broadcast({ type: 'request', number: node.ours })
    else here.sendToOthers({ type: 'request', number: node.ours })
    here.setTimer('silence', options.T)
  },

  release(node, here) {
    node.ours = null
    const recipients = nodesWhere(node.deferred, Boolean)
    node.deferred = nobody(here.setup.nodes)
    if (recipients.length === 0) return here.because?.('node {self} has left, and has deferred nobody')
    here.because?.('node {self} has left: it owes {recipients}, whom it has deferred, a REPLY', {
      recipients,
    })
    if (here.setup.options.broadcast) here.broadcast({ type: 'reply', recipients })
    else for (const other of recipients) here.send(other, { type: 'reply', recipients: [other] })
  },

  timeout(node, here) {
    const silent = nodesWhere(node.answers, (answer) => answer === 'none')
    const { T } = here.setup.options
    if (silent.length === 0) here.because?.('nobody has been silent to node {self} for {T}', { T })
    else here.because?.('the silence of {silent} for {T} is a reply to node {self}', { silent, T })
    node.answers = node.answers.map((answer) => (answer === 'deferred' ? answer : 'settled'))
    enterIfSettled(node, here)
  },

  receive: {
    request(node, here, { number }, from) {
      node.highest = Math.max(node.highest, number)
      if (!comesFirst(node.ours, here, { time: number, node: from })) return
      node.deferred[from] = true
      here.send(from, { type: 'deferred' })
    },

    deferred(node, here, _deferred, from) {
      if (node.answers[from] === 'settled') return
      if (node.answers[from] === 'reply first')
        here.because?.('the REPLY of node {from} was here before this DEFERRED, and counts now', { from })
      else here.because?.('node {from} comes before node {self}, and will reply when it leaves', { from })
      node.answers[from] = node.answers[from] === 'reply first' ? 'settled' : 'deferred'
      enterIfSettled(node, here)
    },

    reply(node, here, { recipients }, from) {
      if (!recipients.includes(here.self) || node.answers[from] === 'settled') return
      if (node.answers[from] === 'deferred')
        here.because?.('node {from} had deferred node {self}, and has left', { from })
      else
        here.because?.('this REPLY of node {from} has overtaken its DEFERRED, and counts only after it', {
          from,
        })
      node.answers[from] = node.answers[from] === 'deferred' ? 'settled' : 'reply first'
      enterIfSettled(node, here)
    },
  },
}

export function enterIfSettled(node: State, here: Here<Message, Options>): void {
  const open = nodesWhere(node.answers, (answer) => answer !== 'settled')
  if (open.length > 0)
    return here.because?.(
      'node {self} still waits for {open}: for a REPLY, or until the silence is long enough',
      {
        open,
      },
    )
  here.because?.('no other node objects to node {self} any more')
  here.cancelTimer('silence')
  here.enter(fence(node.ours as number, here.self, here.setup.nodes))
}

/** The cost of a request. */
function requestCost(nodes: number, { broadcast }: Options): number {
  return broadcast ? Math.min(1, nodes - 1) : nodes - 1
}

/** Each of the others may defer, which costs a DEFERRED and its share of a REPLY. */
function heavy(nodes: number, options: Options): Prediction {
  const least = requestCost(nodes, options)
  return { min: least, max: least + (nodes - 1) + least, mean: null }
}
