/**
 * The central coordinator with a new one when it crashes: Kessler 2024 (central coordinator algorithm; election), the
 * election after Garcia-Molina 1982, the bully algorithm.
 *
 * The process with the highest number coordinates: it grants one request at a time, in the order in which they come.
 * When it crashes, the highest living process takes over. It asks all others how they stand: who is inside holds the
 * section, who waits is queued; when all have answered, it grants. Who waited asks nobody anew.
 *
 * Why it is safe: the new coordinator grants nothing before it has heard from everyone alive, and whoever has answered
 * it takes no grant of an older one. Why nobody starves: the queue is first come, first served, and a takeover
 * queues all who wait.
 *
 * Assumes channels that keep order and lose nothing but to crashes, and a failure detector that names every crashed
 * process and no other: under a partition both sides would have a coordinator. An entry costs 3 messages, none for
 * the coordinator; a takeover 2(n-1).
 *
 * Where we differ:
 *  - The failure detector says what the bully's election and answer messages find out: the highest living process
 *    knows that it is, and its question how the others stand is the announcement.
 *  - No epochs: nobody comes back, so that coordinators have lower and lower numbers, and a message of an older one
 *    is known by its sender.
 *  - A coordinator that crashes inside takes the last fence with it. So each has fences of its own, all above those
 *    of the one before.
 */
import type { Algorithm, Here, NodeId } from '@turnwise/core/algorithm'
import type { Prediction } from '@turnwise/core/facts'
import type { Setup } from '@turnwise/core/setup'

export type Message =
  | { readonly type: 'request' }
  | { readonly type: 'grant'; readonly fence: number }
  | { readonly type: 'release' }
  /** The sender is coordinator now. How do you stand? */
  | { readonly type: 'coordinator' }
  | { readonly type: 'standing'; readonly stands: Stands }

/** More than one coordinator gives out. */
const FENCES_EACH = 2 ** 24

type Stands = 'out' | 'waiting' | 'inside'

/** What only the coordinator knows. */
interface Desk {
  /** Who is inside, or has been granted to be. */
  holder: NodeId | null
  /** Who waits, in the order in which the requests came. */
  queue: NodeId[]
  /** Who has not yet said how it stands: nothing is granted until then. */
  unheard: NodeId[]
  /** The last fence given out. */
  fence: number
}

export interface State {
  stands: Stands
  coordinator: NodeId
  /** Whom the failure detector has named. */
  down: NodeId[]
  desk: Desk | null
}

export const centralCoordinatorElection: Algorithm<State, Message> = {
  facts: {
    name: 'central-coordinator-election',
    title: 'Central coordinator with election',
    year: 1982,
    family: 'permission',
    idea:
      'The highest process decides who enters. When it crashes the next highest takes over: it asks all how they ' +
      'stand, so that who is inside stays inside and who waits goes on waiting.',
    sources: ['kessler-2024'],
    entries: 1,
    sharedMode: false,
    channels: 'fifo',
    topology: 'complete',
    knows: 'everyone',
    quorums: false,
    messages: { formula: '3, 0 for the coordinator; 2(n-1) a takeover', light: perEntry, heavy: perEntry },
    syncDelay: {
      formula: '2, or 1 from or to the coordinator',
      hops: ({ nodes }) => ({ min: 1, max: nodes > 2 ? 2 : 1 }),
    },
    faults: ['spike', 'pause', 'crash'],
    fallsSilent: true,
    timing: 'any',
    timers: {},
  },
  options: {},
  shapes: {
    state: {
      stands: 'data',
      coordinator: 'node',
      down: { list: 'node' },
      desk: {
        fields: {
          holder: 'node',
          queue: { list: 'node' },
          unheard: { list: 'node' },
          fence: { clock: 'fence' },
        },
      },
    },
    messages: {
      request: {},
      grant: { fence: { clock: 'fence' } },
      release: {},
      coordinator: {},
      standing: { stands: 'data' },
    },
    fence: { clock: 'fence', scaled: false },
  },

  init(self, { nodes, inside }) {
    return {
      stands: inside.includes(self) ? 'inside' : 'out',
      coordinator: nodes - 1,
      down: [],
      desk: self === nodes - 1 ? { holder: inside[0] ?? null, queue: [], unheard: [], fence: 0 } : null,
    }
  },

  request(node, here) {
    node.stands = 'waiting'
    if (node.desk === null) return here.send(node.coordinator, { type: 'request' })
    node.desk.queue.push(here.self)
    serve(node, here)
  },

  release(node, here) {
    node.stands = 'out'
    if (node.desk === null) here.send(node.coordinator, { type: 'release' })
    else leave(node, here, here.self)
  },

  suspect(node, here, peer) {
    node.down = [...node.down, peer].toSorted((a, b) => a - b)
    if (node.desk === null) {
      if (isHighest(node, here)) takeOver(node, here)
      return
    }
    node.desk.queue = node.desk.queue.filter((other) => other !== peer)
    node.desk.unheard = node.desk.unheard.filter((other) => other !== peer)
    leave(node, here, peer)
  },

  receive: {
    request(node, here, _request, from) {
      // What the dead sent before they died may arrive after the news; nobody is there to take a grant.
      if (node.desk === null || node.down.includes(from)) return
      node.desk.queue.push(from)
      serve(node, here)
    },

    grant(node, here, { fence }, from) {
      // Whoever has answered a newer coordinator is queued there.
      if (from === node.coordinator) enter(node, here, fence)
    },

    release(node, here, _release, from) {
      leave(node, here, from)
    },

    coordinator(node, here, _coordinator, from) {
      if (from > node.coordinator) return
      node.coordinator = from
      here.send(from, { type: 'standing', stands: node.stands })
      here.elected(from)
    },

    standing(node, here, { stands }, from) {
      const { desk } = node
      if (desk === null || node.down.includes(from)) return
      desk.unheard = desk.unheard.filter((other) => other !== from)
      if (stands === 'inside') desk.holder = from
      if (stands === 'waiting') desk.queue.push(from)
      serve(node, here)
    },
  },
}

function isHighest({ down }: State, { self, setup }: Here<Message>): boolean {
  for (let higher = self + 1; higher < setup.nodes; higher += 1) if (!down.includes(higher)) return false
  return true
}

/** Everyone above is dead: the announcement asks the others how they stand. */
export function takeOver(node: State, here: Here<Message>): void {
  node.coordinator = here.self
  node.desk = {
    holder: node.stands === 'inside' ? here.self : null,
    queue: node.stands === 'waiting' ? [here.self] : [],
    unheard: Array.from({ length: here.self }, (_, lower) => lower).filter(
      (lower) => !node.down.includes(lower),
    ),
    fence: (here.setup.nodes - 1 - here.self) * FENCES_EACH,
  }
  for (const lower of node.desk.unheard) here.send(lower, { type: 'coordinator' })
  here.elected(here.self)
  serve(node, here)
}

function leave(node: State, here: Here<Message>, who: NodeId): void {
  const { desk } = node
  if (desk === null) return
  if (desk.holder === who) desk.holder = null
  serve(node, here)
}

/** If the section is free, and that is certain, the first in the queue gets it, and a fence above all before. */
function serve(node: State, here: Here<Message>): void {
  const { desk } = node
  if (desk === null || desk.holder !== null || desk.unheard.length > 0) return
  const next = desk.queue.shift()
  if (next === undefined) return
  desk.holder = next
  desk.fence += 1
  if (next === here.self) enter(node, here, desk.fence)
  else here.send(next, { type: 'grant', fence: desk.fence })
}

export function enter(node: State, here: Here<Message>, fence: number): void {
  node.stands = 'inside'
  here.enter(fence)
}

/** Every node asks equally often: n-1 of n entries cost 3. */
function perEntry({ nodes }: Setup): Prediction {
  return { min: 0, max: nodes === 1 ? 0 : 3, mean: (3 * (nodes - 1)) / nodes }
}
