/**
 * Sanders, "The information structure of distributed mutual exclusion algorithms", ACM TOCS 5(3), 1987, section 8:
 * an information structure that changes while the algorithm runs. It is the algorithm of Carvalho and Roucairol
 * (1983), told in inform, request and status sets.
 *
 * At first every node asks all others and tells only itself, as in Ricart-Agrawala. A node i that grants to j must ask
 * and tell j from then on (j joins I_i and R_i and leaves S_i). A node j that i has granted need not ask i again, and
 * will be told by it (i leaves R_j and joins S_j). So a node that enters again while no other asks sends nothing.
 *
 * Exclusion: at any time, of every two nodes, either each asks the other or one tells the other. This is the condition of
 * the theorem (section 4) for the union of all local views. No node sees that union: it knows only its own three sets.
 * Nobody starves, since requests are granted by timestamp and a kept permission is lost to the first smaller request.
 *
 * Costs two messages for each node in R_i at the time of the request, and two for each permission given away while waiting:
 * 0 to 2(n-1). No node ever sends a RELEASE: a node that enters has been granted by all, so no other is in its I.
 *
 * Where we differ: rule 2 also takes i out of I_j. Otherwise the views would contradict each other and condition a. A
 * node that grants while it waits asks the node it granted to, with its old timestamp: R_i has grown, and section 8
 * does not say that a node asks then. While a node is inside, all requests wait: a node that re-entered without asking
 * may have the larger timestamp. The fence travels with GRANTs.
 *
 * Assumes reliable channels between every two nodes; they need not keep order.
 */
import type { Algorithm, Here, NodeId } from '@turnwise/core/algorithm'
import { nodesWhere } from '@turnwise/core/reason'
import { precedes, type Timestamp } from '@turnwise/core/timestamp'

export type DynamicMessage =
  /** REQUEST, with the time of the request; with the sender's number it is its timestamp. */
  | { readonly type: 'request'; readonly time: number }
  /** GRANT: you have my permission, until I ask you. */
  | { readonly type: 'grant'; readonly fence: number }

export interface DynamicState {
  /** The largest time seen. */
  clock: number
  /** The time of our request while we wait; null otherwise, also inside. */
  time: number | null
  wants: boolean
  /** I_i, R_i and S_i, our local view. A node implicitly asks itself. */
  inform: boolean[]
  request: boolean[]
  status: boolean[]
  /** The queue: the nodes that wait for our GRANT until we have left. */
  waiting: boolean[]
  /** The largest fence heard of. */
  fence: number
}

export const sandersDynamic: Algorithm<DynamicState, DynamicMessage> = {
  facts: {
    name: 'sanders-dynamic',
    title: 'Sanders, dynamic structure',
    year: 1987,
    family: 'quorum',
    idea:
      'The sets of nodes that a node asks and tells change with every GRANT. A node that was granted need not ask ' +
      'again until it grants itself. No node knows the whole structure, yet at any time it satisfies the theorem.',
    sources: ['sanders-1987 §8', 'velazquez-1993 §5'],
    entries: 1,
    sharedMode: false,
    channels: 'unordered',
    topology: 'complete',
    knows: 'everyone',
    quorums: false,
    messages: {
      formula: '0 to 2(n-1), n-1 on average',
      light: ({ nodes }) => ({ min: 0, max: 2 * (nodes - 1), mean: nodes - 1 }),
      heavy: ({ nodes }) => ({ min: 0, max: 2 * (nodes - 1), mean: 2 * (nodes - 1) }),
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
      clock: { clock: 'time' },
      time: { clock: 'time' },
      wants: 'data',
      inform: { perNode: 'data' },
      request: { perNode: 'data' },
      status: { perNode: 'data' },
      waiting: { perNode: 'data' },
      fence: { clock: 'fence' },
    },
    messages: { request: { time: { clock: 'time' } }, grant: { fence: { clock: 'fence' } } },
    fence: { clock: 'fence', scaled: false },
  },

  init(self, { nodes, inside }) {
    const isInside = inside.includes(self)
    const set = (has: (node: NodeId) => boolean) => Array.from({ length: nodes }, (_, node) => has(node))
    return {
      clock: 0,
      time: null,
      wants: isInside,
      // A node that is inside when the world begins has been granted by all others.
      inform: set((node) => node === self || (!isInside && inside.includes(node))),
      request: set((node) => node !== self && !isInside),
      status: set((node) => node === self || isInside),
      waiting: set(() => false),
      fence: 0,
    }
  },

  request(node, here) {
    node.wants = true
    const asked = nodesWhere(node.request, Boolean)
    if (asked.length === 0) {
      here.because?.('node {self} has granted to nobody since all others granted to it, so it asks nobody')
      return enter(node, here)
    }
    node.clock += 1
    const time = node.clock
    node.time = time
    here.because?.('node {self} asks its request set, {asked}, with stamp {time}.{self}', { asked, time })
    for (const other of asked) here.send(other, { type: 'request', time })
  },

  release(node, here) {
    node.wants = false
    const waiting = nodesWhere(node.waiting, Boolean)
    node.waiting = node.waiting.map(() => false)
    if (waiting.length === 0) here.because?.('nobody waits, so node {self} need not ask again')
    else
      here.because?.('node {self} has left: it grants to {waiting}, and must ask before it enters again', {
        waiting,
      })
    for (const other of waiting) grant(node, here, other)
  },

  receive: {
    request(node, here, { time }, from) {
      node.clock = Math.max(node.clock, time)
      const isInside = node.wants && node.time === null
      const isSmaller =
        node.time !== null && precedes({ time: node.time, node: here.self }, { time, node: from })
      if (isInside || isSmaller) {
        sayWhyWaits(here, { time, node: from }, node.time)
        node.waiting[from] = true
        return
      }
      if (node.time === null)
        here.because?.('node {self} does not want to enter, so it grants to node {from}', { from })
      else
        here.because?.('node {self} grants to node {from}: {time}.{from} is smaller than {ours}.{self}', {
          from,
          time,
          ours: node.time,
        })
      const wasFree = !node.request[from]
      grant(node, here, from)
      if (node.time === null || !wasFree) return
      here.because?.('node {from} is new in the request set, so node {self} must ask it, too', { from })
      here.send(from, { type: 'request', time: node.time })
    },

    grant(node, here, { fence }, from) {
      node.request[from] = false
      node.inform[from] = false
      node.status[from] = true
      node.fence = Math.max(node.fence, fence)
      if (node.time === null || node.request.includes(true))
        return here.because?.('node {self} still waits for the grant of {missing}', {
          missing: nodesWhere(node.request, Boolean),
        })
      here.because?.('node {self} has been granted by all others, and its request set is empty')
      enter(node, here)
    },
  },
}

function sayWhyWaits(here: Here<DynamicMessage>, { time, node: from }: Timestamp, ours: number | null): void {
  if (ours === null) here.because?.('node {self} is inside, so node {from} waits until it leaves', { from })
  else
    here.because?.(
      'node {from} waits until node {self} leaves: {ours}.{self} is smaller than {time}.{from}',
      {
        from,
        ours,
        time,
      },
    )
}

/** Rule 1: from now on we must ask and tell the node that we grant to, and it no longer tells us. */
export function grant(node: DynamicState, here: Here<DynamicMessage>, to: NodeId): void {
  node.inform[to] = true
  node.request[to] = true
  node.status[to] = false
  here.send(to, { type: 'grant', fence: node.fence })
}

function enter(node: DynamicState, here: Here<DynamicMessage>): void {
  node.time = null
  node.fence += 1
  here.enter(node.fence)
}
