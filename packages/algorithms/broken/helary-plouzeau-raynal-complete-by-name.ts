/**
 * Section 6's form for complete networks, with the order of section 4.3. That order never compares the times of
 * different nodes, so a clock need not hear of others. Here each node has its own clock, and even runs of any length
 * have finitely many states. For the same reason a node asks again only when everyone has heard its last request
 * (`heard`, which is ours). Both only leave out runs: every run shown is a run of the published rules.
 */
import type { Algorithm, Here, NodeId } from '@turnwise/core/algorithm'
import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import {
  helaryPlouzeauRaynalComplete,
  type Message as PublishedMessage,
  type State as PublishedState,
} from '../src/token/helary-plouzeau-raynal-complete.ts'

type Message = PublishedMessage | { readonly type: 'heard' }

interface State extends PublishedState {
  /** How many nodes have not heard our last request yet. */
  unheard: number
  /** Whether we wait for them, to ask again. */
  wants: boolean
}

const OWN_TIMES = { perNode: { clock: 'time', of: 'index' } } as const
const TOKEN = { fields: { gaveAway: OWN_TIMES, fence: { clock: 'fence' } } } as const

const published = helaryPlouzeauRaynalComplete

const algorithm: Algorithm<State, Message> = {
  ...published,
  shapes: {
    state: {
      clock: { clock: 'time', of: 'self' },
      requested: OWN_TIMES,
      token: TOKEN,
      inside: 'data',
      unheard: 'data',
      wants: 'data',
    },
    messages: {
      request: { time: { clock: 'time', of: 'sender' } },
      token: { token: TOKEN },
      heard: {},
    },
    fence: published.shapes.fence,
  },

  init: (self, setup) => ({ ...published.init(self, setup), unheard: 0, wants: false }),

  request(node, here, ask) {
    if (node.token !== null) return published.request(node, here, ask)
    if (node.unheard > 0) node.wants = true
    else askAll(node, here)
  },

  release(node, here) {
    node.inside = false
    serveSmallestName(node, here)
  },

  receive: {
    request(node, here, { time }, from) {
      node.requested[from] = time
      here.send(from, { type: 'heard' })
      if (node.token !== null && !node.inside) serveSmallestName(node, here)
    },
    heard(node, here) {
      node.unheard -= 1
      if (node.unheard > 0 || !node.wants) return
      node.wants = false
      askAll(node, here)
    },
    token: published.receive.token,
  },
}

function askAll(node: State, here: Here<Message>): void {
  node.unheard = here.setup.nodes - 1
  here.sendToOthers({ type: 'request', time: node.clock })
}

/** min(X) over couples of name and time, the name first. */
function serveSmallestName(node: State, here: Here<Message>): void {
  const { token } = node
  const next: NodeId = node.requested.findIndex((time, other) => {
    const last = token?.gaveAway[other] ?? null
    return time !== null && (last === null || last < time)
  })
  if (next === -1 || token === null) return
  here.send(next, {
    type: 'token',
    token: { ...token, gaveAway: token.gaveAway.with(here.self, node.clock) },
  })
  node.token = null
  node.clock += 1
}

export const variant: BrokenVariant = {
  algorithm: renamed('helary-plouzeau-raynal-complete-by-name', algorithm),
  of: 'helary-plouzeau-raynal-complete',
  published: 'helary-plouzeau-raynal-1988 §4.3, min; otherwise in §3 (v)',
  fails: 'no-starvation',
  rule: 'The owner serves the least couple of name and time, compared in this order.',
  failure:
    'A node with a small name always goes first. Two such nodes pass the token to each other for ever.',
  repair:
    'Compare the times first, and names only if the times are equal, as section 3 (v) says, and the comment where min is used.',
  instance: { nodes: 3, requests: 'any', channels: 'fifo' },
}
