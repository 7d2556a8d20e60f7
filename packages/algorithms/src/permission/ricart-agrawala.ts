/**
 * Ricart and Agrawala, "An optimal algorithm for mutual exclusion in computer networks", CACM 24(1), 1981,
 * sections 2 to 5, 6.5 for other increments (`ricart-agrawala-numbering.ts`), and 6.6 for readers and writers. Section 6.4
 * is `ricart-agrawala-modulo`.
 *
 * A node that wants to enter picks a sequence number one above all it has seen, asks every other node, and enters when
 * all have replied. A node that is asked while it wants to enter itself compares. The smaller number has priority, and
 * among equal numbers the smaller node. A node that has priority defers its reply until it leaves.
 *
 * Why it is safe (3.1): two nodes that both want to enter compare the same two pairs, so exactly one of them defers its
 * reply. Why nobody starves (3.3): once all have seen a number, they choose larger ones.
 *
 * Readers and writers (6.6): a reader never defers its reply to another reader. Nothing else changes. A reader that
 * asks after a waiting writer waits behind it, so readers do not starve writers, nor writers readers: between the two
 * it is first come, first served.
 *
 * Assumes reliable channels between every two nodes; messages may overtake each other. Every entry costs
 * exactly 2(n-1) messages (section 4).
 *
 * Where we differ:
 *  - The paper defines the highest number as sent or received, but its code never records the number sent. We record
 *    it: numbers then grow with every request of a node, so they can serve as fences. Section 6.4 needs this.
 *  - A writer that is inside may go on as a reader.
 *  - The paper counts replies. We remember who has replied, so that a repeated reply changes nothing.
 *  - Handlers are atomic. The paper's semaphore covers the decision to defer but not its recording; a release between
 *    the two loses the reply (`ricart-agrawala-unlocked-deferral`). The other steps outside the semaphore do no harm.
 */
import type { Algorithm, Here, NodeId } from '@turnwise/core/algorithm'
import { exactly } from '@turnwise/core/facts'
import { nodesWhere } from '@turnwise/core/reason'
import { precedes, timestampFence } from '@turnwise/core/timestamp'
import {
  mayWait,
  NUMBERING,
  nextNumber,
  type NumberingOptions as Options,
} from './ricart-agrawala-numbering.ts'

export type Message =
  /** REQUEST(k, j): node j, the sender, asks with sequence number k. */
  | { readonly type: 'request'; readonly number: number; readonly reads: boolean }
  /** REPLY: I have no objection. */
  | { readonly type: 'reply' }

export interface State {
  /** Highest_Sequence_Number: the highest number sent or received. */
  highest: number
  /** Our_Sequence_Number while Requesting_Critical_Section, which stays true inside; null otherwise. */
  ours: number | null
  /** Whether that request is to read. Others may read at the same time (6.6). */
  reads: boolean
  /** Outstanding_Reply_Count, with names: whose replies are still missing. */
  awaiting: boolean[]
  outstanding: number
  /** Reply_Deferred[j]: j waits for our reply until we leave. */
  deferred: boolean[]
  /** Those of them who want to read. */
  deferredReaders: boolean[]
  /** Requests that we have not read yet, so as not to raise the highest number (6.5). */
  unread: Unread[]
}

interface Unread {
  readonly node: NodeId
  readonly number: number
  readonly reads: boolean
}

export type { Options }

export const ricartAgrawala: Algorithm<State, Message, Options> = {
  facts: {
    name: 'ricart-agrawala',
    title: 'Ricart-Agrawala',
    year: 1981,
    family: 'permission',
    idea:
      'To enter, ask every other node with a number above all you have seen, and wait for all replies. A node ' +
      'that wants to enter itself and has the smaller number defers its reply until it leaves.',
    sources: ['ricart-agrawala-1981 §2-6', 'velazquez-1993 §5', 'kessler-2024'],
    entries: 1,
    sharedMode: true,
    channels: 'unordered',
    topology: 'complete',
    knows: 'everyone',
    quorums: false,
    messages: {
      formula: '2(n-1)',
      light: ({ nodes }) => exactly(2 * (nodes - 1)),
      heavy: ({ nodes }) => exactly(2 * (nodes - 1)),
    },
    syncDelay: { formula: '1', hops: ({ options }) => ({ min: 1, max: 1 + options.delay }) },
    faults: ['spike', 'pause'],
    fallsSilent: true,
    timing: 'any',
    timers: { delay: 'pace' },
  },
  options: NUMBERING,
  shapes: {
    state: {
      highest: { clock: 'number' },
      ours: { clock: 'number' },
      reads: 'data',
      awaiting: { perNode: 'data' },
      outstanding: 'data',
      deferred: { perNode: 'data' },
      deferredReaders: { perNode: 'data' },
      unread: { list: { fields: { node: 'node', number: { clock: 'number' }, reads: 'data' } } },
    },
    messages: { request: { number: { clock: 'number' }, reads: 'data' }, reply: {} },
    fence: { clock: 'number', scaled: true },
  },

  init(self, { nodes, inside, insideMode }) {
    return {
      highest: 0,
      ours: inside.includes(self) ? 0 : null,
      reads: inside.includes(self) && insideMode === 'shared',
      awaiting: nobody(nodes),
      outstanding: 0,
      deferred: nobody(nodes),
      deferredReaders: nobody(nodes),
      unread: [],
    }
  },

  request(node, here, ask) {
    node.ours = nextNumber(node.highest, here, ask)
    node.reads = ask.mode === 'shared'
    node.highest = node.ours
    node.awaiting = others(here.self, here.setup.nodes)
    node.outstanding = here.setup.nodes - 1
    if (node.outstanding === 0) {
      here.because?.('node {self} is alone: nobody has to reply')
      return here.enter(fence(node.ours, here.self, here.setup.nodes))
    }
    here.because?.('node {self} takes number {number}, above all it has seen, and asks all others', {
      number: node.ours,
    })
    here.sendToOthers({ type: 'request', number: node.ours, reads: node.reads })
  },

  release(node, here) {
    node.ours = null
    node.reads = false
    const deferred = nodesWhere(node.deferred, Boolean)
    if (deferred.length === 0) here.because?.('nobody waits for a reply of node {self}')
    else
      here.because?.('node {self} has left: {deferred} may have the replies that it kept back', { deferred })
    for (const other of deferred) here.send(other, { type: 'reply' })
    node.deferred = nobody(here.setup.nodes)
    node.deferredReaders = nobody(here.setup.nodes)
  },

  /** From now on no reader would be deferred (6.6), so those that were get their reply. */
  downgrade(node, here) {
    node.reads = true
    const readers = nodesWhere(node.deferredReaders, Boolean)
    if (readers.length === 0) here.because?.('node {self} only reads now, and no reader waits for its reply')
    else here.because?.('node {self} only reads now: {readers} may read beside it (6.6)', { readers })
    for (const other of readers) {
      node.deferred[other] = false
      here.send(other, { type: 'reply' })
    }
    node.deferredReaders = nobody(here.setup.nodes)
  },

  timeout(node, here) {
    for (const request of node.unread) read(node, here, request)
    node.unread = []
  },

  receive: {
    request(node, here, { number, reads }, from) {
      const request = { node: from, number, reads }
      if (node.ours === null || !mayWait(from, here)) return read(node, here, request)
      here.because?.(
        'node {self} puts the request of node {from} aside, so as not to raise its numbers yet (6.5)',
        {
          from,
        },
      )
      if (node.unread.length === 0) here.setTimer('delay', here.setup.options.delay)
      node.unread.push(request)
    },

    reply(node, here, _reply, from) {
      if (!node.awaiting[from]) return
      node.awaiting[from] = false
      node.outstanding -= 1
      if (node.outstanding > 0) {
        return here.because?.('node {self} still waits for the reply of {missing}', {
          missing: nodesWhere(node.awaiting, Boolean),
        })
      }
      here.because?.('all others have replied to node {self}: none of them comes before it')
      here.enter(fence(node.ours as number, here.self, here.setup.nodes))
    },
  },
}

function read(node: State, here: Here<Message, Options>, { node: from, number, reads }: Unread): void {
  node.highest = Math.max(node.highest, number)
  const weComeFirst =
    node.ours !== null && precedes({ time: node.ours, node: here.self }, { time: number, node: from })
  if (!weComeFirst || (node.reads && reads)) {
    sayWhyReplied(node, here, { node: from, number, reads }, weComeFirst)
    return here.send(from, { type: 'reply' })
  }
  if (node.ours === number)
    here.because?.(
      'node {self} keeps its reply to node {from} back: both have number {number}, and node {self} is smaller',
      { from, number },
    )
  else
    here.because?.(
      'node {self} keeps its reply to node {from} back: its own number {ours} is below {number}',
      {
        from,
        number,
        ours: node.ours as number,
      },
    )
  node.deferred[from] = true
  node.deferredReaders[from] = reads
}

function sayWhyReplied(
  { ours }: State,
  here: Here<Message, Options>,
  { node: from, number }: Unread,
  weComeFirst: boolean,
): void {
  if (ours === null)
    here.because?.('node {self} does not want to enter, so it has no objection to node {from}', { from })
  else if (weComeFirst)
    here.because?.('node {self} comes first, but reads, and so does node {from}: both may be inside (6.6)', {
      from,
    })
  else if (ours === number)
    here.because?.(
      'node {self} lets node {from} go first: both have number {number}, and node {from} is smaller',
      {
        from,
        number,
      },
    )
  else
    here.because?.('node {self} lets node {from} go first: {number} is below its own number {ours}', {
      from,
      number,
      ours,
    })
}

/** If two entries exclude each other, the first has the smaller (number, node), so the pair is a fence. */
export function fence(number: number, self: NodeId, nodes: number): number {
  return timestampFence({ time: number, node: self }, nodes)
}

export function nobody(nodes: number): boolean[] {
  return Array.from({ length: nodes }, () => false)
}

export function others(self: NodeId, nodes: number): boolean[] {
  return Array.from({ length: nodes }, (_, node) => node !== self)
}
