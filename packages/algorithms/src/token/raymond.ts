/**
 * Raymond, "A tree-based algorithm for distributed mutual exclusion", ACM TOCS 7(1), 1989; here after
 * Velazquez 1993, section 4.
 *
 * The nodes form a tree, and every node knows in which direction the privilege lies: its HOLDER is a
 * neighbour or itself. A request travels towards the privilege, one hop per node; each node keeps a queue of
 * the neighbours that asked it, itself among them, and asks for all of them once. The privilege travels back
 * along the heads of the queues and turns the HOLDER of every node it passes.
 *
 * Why it is safe: there is one privilege, and following HOLDER always leads to it. Why nobody starves: every queue is
 * first come first served, and a node that passes the privilege on while others wait asks for it back.
 *
 * Assumes a tree of reliable channels; no order; a node knows its neighbours only. An idle privilege at distance d
 * costs d requests and d privileges: at most 2D messages on a tree of diameter D, about 4 when all nodes ask.
 *
 * Where we differ: the privilege carries a counter as fence. Service is first come first served per node, not
 * over the whole tree as the survey has it.
 */
import { type Algorithm, type Here, impossible, type NodeId } from '@turnwise/core/algorithm'
import { outOfBounds } from '@turnwise/core/bounds'
import { firstHolder } from '@turnwise/core/setup'
import { treeDiameter, treeMeanDistance } from '@turnwise/core/topology'

export type Message = { readonly type: 'request' } | { readonly type: 'privilege'; readonly fence: number }

export interface State {
  /** HOLDER: where the privilege lies, a neighbour or this node itself. */
  holder: NodeId
  /** USING: whether this node is inside. */
  using: boolean
  /** REQUEST_Q: the neighbours that asked this node, and itself, without repetition. */
  queue: NodeId[]
  /** ASKED: whether a request to HOLDER is under way. */
  asked: boolean
  /** The last fence given out, where the privilege is; null elsewhere. */
  fence: number | null
}

type Place = Here<Message>

export const raymond: Algorithm<State, Message> = {
  facts: {
    name: 'raymond',
    title: 'Raymond tree',
    year: 1989,
    family: 'token',
    idea:
      'Nodes form a tree and know only in which direction the token lies. Requests climb towards it, merging ' +
      'where they meet; the token descends along the queues and turns every pointer it passes.',
    sources: ['velazquez-1993 §4'],
    entries: 1,
    sharedMode: false,
    channels: 'unordered',
    topology: 'tree',
    knows: 'neighbours',
    quorums: false,
    messages: {
      formula: '2d, d the distance to the token; at most 2D',
      letters: ({ topology }) => {
        const max = treeDiameter(topology)
        return { D: { what: 'diameter', min: max, max } }
      },
      light: ({ topology }) => ({
        min: 0,
        max: 2 * treeDiameter(topology),
        mean: 2 * treeMeanDistance(topology),
      }),
      // In a round of n entries the privilege walks round the tree, twice over each edge, each time with a request.
      heavy: ({ topology, nodes }) => ({
        min: 0,
        max: 2 * treeDiameter(topology),
        mean: (4 * (nodes - 1)) / nodes,
      }),
    },
    syncDelay: {
      formula: 'the distance to the next, at most D',
      hops: ({ topology }) => ({ min: 1, max: treeDiameter(topology) }),
    },
    faults: ['spike', 'pause'],
    fallsSilent: true,
    timing: 'any',
    timers: {},
  },
  options: {},
  shapes: {
    state: {
      holder: 'node',
      using: 'data',
      queue: { list: 'node' },
      asked: 'data',
      fence: { clock: 'fence' },
    },
    messages: { request: {}, privilege: { fence: { clock: 'fence' } } },
    fence: { clock: 'fence', scaled: false },
  },
  tokens: {
    held: ({ fence }) => (fence === null ? 0 : 1),
    carried: ({ type }) => (type === 'privilege' ? 1 : 0),
  },

  init(self, setup) {
    const first = firstHolder(setup)
    return {
      holder: setup.topology.towards(first)[self] ?? outOfBounds(),
      using: setup.inside.includes(self),
      queue: [],
      asked: false,
      fence: self === first ? 0 : null,
    }
  },

  request(node, here) {
    enqueue(node, here.self)
    assignPrivilege(node, here)
    makeRequest(node, here)
  },

  release(node, here) {
    node.using = false
    assignPrivilege(node, here)
    makeRequest(node, here)
  },

  receive: {
    request(node, here, _request, from) {
      enqueue(node, from)
      assignPrivilege(node, here)
      makeRequest(node, here)
    },

    privilege(node, here, { fence }) {
      node.holder = here.self
      node.fence = fence
      assignPrivilege(node, here)
      makeRequest(node, here)
    },
  },
}

/** ASSIGN_PRIVILEGE: serve the head of the queue, if the privilege is here and free. */
export function assignPrivilege(node: State, here: Place): void {
  if (node.holder !== here.self || node.fence === null) return
  if (node.queue.length === 0) return here.because?.('node {self} keeps the privilege: nobody waits at it')
  if (node.using)
    return here.because?.('node {self} is inside, so {queue} must wait', { queue: [...node.queue] })
  const next = node.queue.shift() as NodeId
  node.asked = false
  if (next === here.self) {
    node.using = true
    node.fence += 1
    here.because?.('node {self} has the privilege, and is the head of its own queue')
    here.enter(node.fence)
  } else {
    node.holder = next
    here.because?.('node {self} passes the privilege on to node {next}, the head of its queue', { next })
    here.send(next, { type: 'privilege', fence: node.fence })
    node.fence = null
  }
}

/** MAKE_REQUEST: ask for the privilege once for all who wait here. */
function makeRequest(node: State, here: Place): void {
  const { holder, queue } = node
  if (holder === here.self || queue.length === 0) return
  if (node.asked)
    return here.because?.('node {self} has asked node {holder} already, once for all in its queue', {
      holder,
    })
  here.because?.('the privilege lies beyond node {holder}: node {self} asks there for {queue}', {
    holder,
    queue: [...queue],
  })
  node.asked = true
  here.send(node.holder, { type: 'request' })
}

/** A node asks its holder once until it is served, so no node is in a queue twice. */
function enqueue(node: State, who: NodeId): void {
  if (node.queue.includes(who)) impossible(`node ${who} asks a second time`)
  node.queue.push(who)
}
