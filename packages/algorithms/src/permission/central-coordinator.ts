/**
 * The central coordinator, as in Kessler's lecture (2024) and figure 1a of Sanders (1987).
 *
 * One node decides. Whoever wants to enter asks it; it grants one request at a time, in the order in which
 * they reach it, and grants the next when the holder has given the section back.
 *
 * Why it is safe: only the coordinator grants, and it remembers whom it let in until that node releases.
 *
 * Assumes reliable channels to the coordinator. A turn costs 3 messages, none for the coordinator itself.
 * A coordinator that fails stops everyone; `central-coordinator-election` replaces it.
 *
 * Where we differ: requests carry a serial number and a release names the one it ends, so that channels need
 * not keep order (a release overtaken by the same node's next request would end the wrong turn).
 */
import type { Algorithm, Here, NodeId } from '@turnwise/core/algorithm'
import type { Prediction } from '@turnwise/core/facts'
import type { Setup } from '@turnwise/core/setup'

type Message =
  | { readonly type: 'request'; readonly serial: number }
  | { readonly type: 'grant'; readonly serial: number; readonly fence: number }
  | { readonly type: 'release'; readonly serial: number }

interface Turn {
  readonly node: NodeId
  readonly serial: number
}

interface State {
  /** The number of our latest request. */
  serial: number
  /** Whether we wait for it. */
  waiting: boolean
  /** At the coordinator only: who is inside, who waits in which order, and the last fence given out. */
  desk: { holder: Turn | null; queue: Turn[]; fence: number } | null
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
    state: {
      serial: { clock: 'serial', of: 'self' },
      waiting: 'data',
      desk: {
        fields: {
          holder: { fields: { node: 'node', serial: { clock: 'serial', of: 'node' } } },
          queue: { list: { fields: { node: 'node', serial: { clock: 'serial', of: 'node' } } } },
          fence: { clock: 'fence' },
        },
      },
    },
    messages: {
      request: { serial: { clock: 'serial', of: 'sender' } },
      grant: { serial: { clock: 'serial', of: 'self' }, fence: { clock: 'fence' } },
      release: { serial: { clock: 'serial', of: 'sender' } },
    },
    fence: { clock: 'fence', scaled: false },
  },

  init(self, { home, inside }) {
    const holder = inside.length === 0 ? null : { node: inside[0], serial: 0 }
    return { serial: 0, waiting: false, desk: self === home ? { holder, queue: [], fence: 0 } : null }
  },

  request(node, here) {
    node.serial += 1
    node.waiting = true
    if (node.desk === null) here.send(here.setup.home, { type: 'request', serial: node.serial })
    else decide(node, here, { node: here.self, serial: node.serial })
  },

  release(node, here) {
    if (node.desk === null) here.send(here.setup.home, { type: 'release', serial: node.serial })
    else serveNext(node, here)
  },

  receive: {
    request(node, here, { serial }, from) {
      decide(node, here, { node: from, serial })
    },

    grant(node, here, { serial, fence }) {
      if (!node.waiting || serial !== node.serial) return
      node.waiting = false
      here.enter(fence)
    },

    release(node, here, { serial }, from) {
      const holder = node.desk?.holder
      if (holder?.node === from && holder.serial === serial) serveNext(node, here)
    },
  },
}

/** At the coordinator: a request has arrived. */
function decide({ desk, ...node }: State, here: Here<Message>, turn: Turn): void {
  if (desk === null) return
  desk.queue.push(turn)
  if (desk.holder === null) serveNext({ desk, ...node }, here)
}

/** At the coordinator: the section is free. */
function serveNext(node: State, here: Here<Message>): void {
  const { desk } = node
  if (desk === null) return
  desk.holder = desk.queue.shift() ?? null
  if (desk.holder === null) return
  desk.fence += 1
  if (desk.holder.node === here.self) {
    node.waiting = false
    here.enter(desk.fence)
  } else {
    here.send(desk.holder.node, { type: 'grant', serial: desk.holder.serial, fence: desk.fence })
  }
}

/** Every node asks equally often: n-1 of n entries cost 3. */
function perEntry({ nodes }: Setup): Prediction {
  return { min: 0, max: nodes === 1 ? 0 : 3, mean: (3 * (nodes - 1)) / nodes }
}
