/**
 * Raymond, "A distributed algorithm for multiple entries to a critical section", Information Processing Letters
 * 30, 1989; here after Velazquez 1993, section 6.
 *
 * Ricart and Agrawala's algorithm for k entries. A node that wants to enter asks all others with a number above all it has
 * seen, and enters when n - k of them have replied: then at most k - 1 others can be inside. The other k - 1 replies come
 * while it is inside, or long after it has left. So every node counts the replies that each other node still owes. A node
 * that stays inside while another asks several times answers with one reply that says how many requests it answers.
 *
 * Why it is safe: of k + 1 nodes that want to enter, the k with smaller numbers all defer their reply to the one with
 * the largest. That node counts another as outside only when all replies of that other have come. Why nobody starves:
 * once all have seen a number they choose larger ones, and the smallest gets every reply in time.
 *
 * Assumes reliable channels between every two nodes; no order. An entry costs 2(n-1) messages, or less if replies are
 * merged: at least n - 1 requests and the n - k replies before the entry.
 *
 * Where we differ:
 *  - In the survey a request carries the highest number known. It must carry one more: with an equal number and a
 *    smaller name, a node would precede another to which it has replied (`raymond-k-same-number`).
 *  - We remember by name whose replies are missing. The survey counts the nodes that are outside, which is the same.
 *  - Entries of k nodes need not follow their numbers, so fences only tell entries apart (k = 1: they rise).
 */
import type { Algorithm, Here, NodeId } from '@turnwise/core/algorithm'
import { get, increase } from '@turnwise/core/bounds'
import { nodesWhere } from '@turnwise/core/reason'
import type { Setup } from '@turnwise/core/setup'
import { precedes, timestampFence } from '@turnwise/core/timestamp'

export type Message =
  | { readonly type: 'request'; readonly number: number }
  /** I have no objection: the answer to so many of your requests. */
  | { readonly type: 'reply'; readonly count: number }

export interface State {
  /** The highest number sent or received. */
  highest: number
  /** The number of our request while we want to enter or are inside; null otherwise. */
  ours: number | null
  inside: boolean
  /** How many replies are still to come from each node, to all our requests. */
  missing: number[]
  /** How many requests of each node we have deferred our reply to. */
  deferred: number[]
}

export const raymondK: Algorithm<State, Message> = {
  facts: {
    name: 'raymond-k',
    title: 'Raymond, k entries',
    year: 1989,
    family: 'multi',
    idea:
      'To enter, ask every other node, and go in as soon as n - k have replied: then at most k - 1 others are ' +
      'inside. Late replies are counted, so that a reply to an old request never counts for the new one.',
    sources: ['velazquez-1993 §6'],
    entries: 'k',
    sharedMode: false,
    channels: 'unordered',
    topology: 'complete',
    knows: 'everyone',
    quorums: false,
    messages: {
      formula: '2(n-1), as few as 2n-k-1 where replies are merged',
      letters: ({ entries }) => ({ k: { what: 'together inside', min: entries, max: entries } }),
      light: ({ nodes }) => ({ ...bounds(nodes, 1), mean: 2 * (nodes - 1) }),
      heavy: ({ nodes, entries }) => ({
        ...bounds(nodes, entries),
        mean: entries === 1 ? 2 * (nodes - 1) : null,
      }),
    },
    syncDelay: { formula: '1', hops: ({ entries }) => ({ min: entries === 1 ? 1 : 0, max: 1 }) },
    faults: ['spike', 'pause'],
    fallsSilent: true,
    timing: 'any',
    timers: {},
  },
  options: {},
  shapes: {
    state: {
      highest: { clock: 'number' },
      ours: { clock: 'number' },
      inside: 'data',
      missing: { perNode: 'data' },
      deferred: { perNode: 'data' },
    },
    messages: { request: { number: { clock: 'number' } }, reply: { count: 'data' } },
    fence: { clock: 'number', scaled: true },
  },

  init(self, { nodes, inside }) {
    const isInside = inside.includes(self)
    return {
      highest: 0,
      ours: isInside ? 0 : null,
      inside: isInside,
      missing: zeros(nodes),
      deferred: zeros(nodes),
    }
  },

  request(node, here) {
    node.highest += 1
    node.ours = node.highest
    node.missing = node.missing.map((count, other) => (other === here.self ? 0 : count + 1))
    if (here.setup.nodes === 1) here.because?.('node {self} is alone, and has nobody to ask')
    else
      here.because?.('node {self} takes number {number}, above all it has seen, and asks all others', {
        number: node.ours,
      })
    here.sendToOthers({ type: 'request', number: node.ours })
    enterIfEnoughReplied(node, here)
  },

  release(node, here) {
    node.ours = null
    node.inside = false
    const deferred = nodesWhere(node.deferred, (count) => count > 0)
    if (deferred.length === 0) here.because?.('nobody waits for a reply of node {self}')
    else here.because?.('node {self} has left, so it replies to {deferred} now', { deferred })
    node.deferred.forEach((count, other) => {
      if (count > 0) here.send(other, { type: 'reply', count })
    })
    node.deferred = zeros(here.setup.nodes)
  },

  receive: {
    request(node, here, { number }, from) {
      node.highest = Math.max(node.highest, number)
      const { ours } = node
      const isOursFirst =
        ours !== null && precedes({ time: ours, node: here.self }, { time: number, node: from })
      if (node.inside || isOursFirst) {
        sayWhyDeferred(node, here, number, from)
        increase(node.deferred, from)
      } else {
        sayWhyReplied(node, here, number, from)
        here.send(from, { type: 'reply', count: 1 })
      }
    },

    reply(node, here, { count }, from) {
      increase(node.missing, from, -count)
      if (node.ours === null || node.inside)
        here.because?.(
          'node {self} entered without this reply; replies of node {from} still to come: {left}',
          {
            from,
            left: get(node.missing, from),
          },
        )
      enterIfEnoughReplied(node, here)
    },
  },
}

function enterIfEnoughReplied(node: State, here: Here<Message>): void {
  if (node.ours === null || node.inside) return
  const { nodes, entries } = here.setup
  const owing = nodesWhere(node.missing, (count) => count !== 0)
  // Our own entry stays 0.
  if (owing.length >= entries) {
    if (entries === 1) here.because?.('node {self} waits for the reply of {owing}', { owing })
    else
      here.because?.(
        'node {self} waits: replies of {owing} are missing, more than the {spare} it can do without',
        {
          owing,
          spare: entries - 1,
        },
      )
    return
  }
  if (owing.length === 0) here.because?.('all others have replied to node {self}')
  else
    here.because?.('node {self} does not wait for {owing}: with it at most {entries} are inside', {
      owing,
      entries,
    })
  node.inside = true
  here.enter(timestampFence({ time: node.ours, node: here.self }, nodes))
}

function sayWhyDeferred({ ours, inside }: State, here: Here<Message>, number: number, from: NodeId): void {
  if (inside || ours === null)
    here.because?.('node {self} is inside, and replies to node {from} when it leaves', { from })
  else if (ours === number)
    here.because?.(
      'node {self} goes before node {from}: both have number {number}, and node {self} is smaller',
      {
        from,
        number,
      },
    )
  else
    here.because?.('node {self} goes before node {from}: its number {ours} is below {number}', {
      from,
      number,
      ours,
    })
}

function sayWhyReplied({ ours }: State, here: Here<Message>, number: number, from: NodeId): void {
  if (ours === null)
    here.because?.('node {self} does not want to enter, so it has no objection to node {from}', { from })
  else if (ours === number)
    here.because?.(
      'node {from} goes before node {self}: both have number {number}, and node {from} is smaller',
      {
        from,
        number,
      },
    )
  else
    here.because?.('node {from} goes before node {self}: its number {number} is below {ours}', {
      from,
      number,
      ours,
    })
}

function zeros(nodes: number): number[] {
  return Array.from({ length: nodes }, () => 0)
}

/** The least: all replies that an entry need not wait for are merged into later ones. The most: none is. */
function bounds(nodes: number, entries: Setup['entries']) {
  return { min: 2 * nodes - entries - 1, max: 2 * (nodes - 1) }
}
