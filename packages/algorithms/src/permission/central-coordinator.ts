/**
 * The central coordinator, as in Kessler's lecture (2024) and figure 1a of Sanders (1987).
 *
 * One node decides. A node that wants to enter asks it. It grants one request at a time, in the order in which they
 * reach it, and grants the next when the holder has released.
 *
 * Why it is safe: only the coordinator grants, and it remembers whom it let in until that node releases.
 * Why nobody starves: the queue is first come, first served.
 *
 * Assumes reliable channels to and from the coordinator. They need not keep order: a request that overtakes the release
 * of the same node's last turn waits in the queue until that release arrives. A turn costs 3 messages, none for the
 * coordinator itself. If the coordinator fails, all nodes are stopped.
 */
import type { Algorithm, Here, NodeId } from '@turnwise/core/algorithm'
import type { Prediction } from '@turnwise/core/facts'
import type { Setup } from '@turnwise/core/setup'

export type Message =
  | { readonly type: 'request' }
  | { readonly type: 'grant'; readonly fence: number }
  | { readonly type: 'release' }

/** What only the coordinator knows. */
interface Desk {
  /** Who is inside, or has been granted to be. */
  holder: NodeId | null
  /** Who waits, in the order in which the requests came. */
  queue: NodeId[]
  /** The last fence given out. */
  fence: number
}

export interface State {
  desk: Desk | null
}

export const centralCoordinator: Algorithm<State, Message> = {
  facts: {
    name: 'central-coordinator',
    title: 'Central coordinator',
    year: 1978,
    family: 'permission',
    idea:
      'One node decides. Ask it, enter when it grants, tell it when you leave; it serves requests in the order ' +
      'in which they arrive.',
    sources: ['kessler-2024', 'sanders-1987 fig. 1a', 'velazquez-1993 §2'],
    entries: 1,
    sharedMode: false,
    channels: 'unordered',
    topology: 'complete',
    knows: 'coordinator',
    quorums: false,
    messages: { formula: '3, 0 for the coordinator', light: perEntry, heavy: perEntry },
    syncDelay: {
      formula: '2, or 1 from or to the coordinator',
      hops: ({ nodes }) => ({ min: 1, max: nodes > 2 ? 2 : 1 }),
    },
    faults: ['spike', 'pause'],
    fallsSilent: true,
    timing: 'any',
    timers: {},
  },
  options: {},
  shapes: {
    state: { desk: { fields: { holder: 'node', queue: { list: 'node' }, fence: { clock: 'fence' } } } },
    messages: { request: {}, grant: { fence: { clock: 'fence' } }, release: {} },
    fence: { clock: 'fence', scaled: false },
  },

  init(self, { home, inside }) {
    return { desk: self === home ? { holder: inside[0] ?? null, queue: [], fence: 0 } : null }
  },

  request({ desk }, here) {
    if (desk !== null) return queueUp(desk, here, here.self)
    here.because?.('only node {home} may let node {self} in', { home: here.setup.home })
    here.send(here.setup.home, { type: 'request' })
  },

  release({ desk }, here) {
    if (desk !== null) return serveNext(desk, here)
    here.because?.('node {self} has left: node {home} may let the next one in', { home: here.setup.home })
    here.send(here.setup.home, { type: 'release' })
  },

  receive: {
    request({ desk }, here, _request, from) {
      if (desk !== null) queueUp(desk, here, from)
    },

    grant(_node, here, { fence }, from) {
      here.because?.('node {from} decides, and lets node {self} in', { from })
      here.enter(fence)
    },

    release({ desk }, here, _release, from) {
      if (desk?.holder === from) serveNext(desk, here)
    },
  },
}

function queueUp(desk: Desk, here: Here<Message>, who: NodeId): void {
  desk.queue.push(who)
  if (desk.holder === null) return serveNext(desk, here)
  here.because?.('node {holder} has the section: node {who} is number {place} in the queue', {
    holder: desk.holder,
    who,
    place: desk.queue.length,
  })
}

/** The section is free: the first in the queue gets it, with a fence above all before. */
function serveNext(desk: Desk, here: Here<Message>): void {
  desk.holder = desk.queue.shift() ?? null
  if (desk.holder === null) return here.because?.('the queue is empty: the section stays free')
  desk.fence += 1
  if (desk.holder === here.self) {
    here.because?.('the section is free, and node {self} itself is first in the queue')
    return here.enter(desk.fence)
  }
  here.because?.('the section is free, and node {next} is first in the queue', { next: desk.holder })
  here.send(desk.holder, { type: 'grant', fence: desk.fence })
}

/** Every node asks equally often: n-1 of n entries cost 3. */
function perEntry({ nodes }: Setup): Prediction {
  return { min: 0, max: nodes === 1 ? 0 : 3, mean: (3 * (nodes - 1)) / nodes }
}
