/**
 * Raymond, "A tree-based algorithm for distributed mutual exclusion", ACM TOCS 7(1), 1989; here after
 * Velazquez 1993, section 4.
 *
 * The nodes form a tree, and every node knows in which direction the privilege lies: its HOLDER is a
 * neighbour or itself. A request travels towards the privilege, one hop per node; each node keeps a queue of
 * the neighbours that asked it, itself among them, and asks for all of them once. The privilege travels back
 * along the heads of the queues and turns the HOLDER of every node it passes.
 *
 * Why it is safe: there is one privilege, and following HOLDER always leads to it. Why nobody starves: every
 * queue is first come first served, and a node that hands the privilege on while others wait asks for it back.
 *
 * Assumes a tree of reliable channels; no order; a node knows its neighbours only. An idle privilege at
 * distance d costs d requests and d privileges: at most 2D messages on a tree of diameter D, about 4 when
 * everybody asks. With `piggyback` a node that hands the privilege on and asks for it back says both in one
 * message: 2 to 3 when everybody asks, and nothing is saved when nobody else does.
 *
 * With `recovery` a node that failed and comes back rebuilds its state from what its neighbours know, and the
 * privilege with it: see raymond-recovery.ts.
 *
 * Where we differ: the privilege carries a counter as fence. Service is first come first served per node, not
 * over the whole tree as the survey has it.
 */
import { type Algorithm, type Here, impossible, type NodeId } from '@turnwise/core/algorithm'
import { firstHolder, type Setup } from '@turnwise/core/setup'
import { type Topology, treeDiameter, treeMeanDistance } from '@turnwise/core/topology'
import {
  type Advice,
  admits,
  adviceFor,
  askForAdvice,
  calm,
  isRebuilding,
  type Recovery,
  type Tagged,
  tagged,
  take,
} from './raymond-recovery.ts'

type Proper =
  | { readonly type: 'request' }
  | { readonly type: 'privilege'; readonly fence: number }
  /** Both at once, with `piggyback`: the sender asks for the privilege back. */
  | { readonly type: 'privilege-and-request'; readonly fence: number }

export type Message =
  | Tagged<Proper>
  /** With `recovery`: the sender has lost its state, and is told what the receiver knows of it. */
  | { readonly type: 'restart' }
  | Advice

export interface State {
  /** HOLDER: where the privilege lies, a neighbour or this node itself. */
  holder: NodeId
  /** USING: whether this node is inside. */
  using: boolean
  /** REQUEST_Q: who asked this node, without repetition; itself among them. */
  queue: NodeId[]
  /** ASKED: whether a request to HOLDER is under way. */
  asked: boolean
  /** The last fence given out, where the privilege is; null elsewhere. */
  fence: number | null
  /** Null without the option. */
  recovery: Recovery<Proper> | null
}

export interface Options {
  piggyback: boolean
  recovery: boolean
}

type Place = Here<Message, Options>

export const raymond: Algorithm<State, Message, Options> = {
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
      light: ({ topology }) => ({
        min: 0,
        max: 2 * treeDiameter(topology),
        mean: 2 * treeMeanDistance(topology),
      }),
      heavy: (setup) => ({ min: 0, max: 2 * treeDiameter(setup.topology), mean: saturatedMean(setup) }),
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
  options: {
    piggyback: {
      kind: 'flag',
      default: false,
      about: 'one message where a node hands the privilege on and asks for it back at once',
    },
    recovery: {
      kind: 'flag',
      default: false,
      survives: ['crash', 'restart'],
      about: 'a node that failed and comes back rebuilds its state from what its neighbours know',
    },
  },
  shapes: {
    state: {
      holder: 'node',
      using: 'data',
      queue: { list: 'node' },
      asked: 'data',
      fence: { clock: 'fence' },
      recovery: recoveryShape(),
    },
    messages: {
      request: { incarnation: 'data' },
      privilege: { fence: { clock: 'fence' }, incarnation: 'data' },
      'privilege-and-request': { fence: { clock: 'fence' }, incarnation: 'data' },
      restart: {},
      advise: adviceShape(),
    },
    fence: { clock: 'fence', scaled: false },
  },
  tokens: {
    held: ({ fence }) => (fence === null ? 0 : 1),
    carried: ({ type }) => (type === 'privilege' || type === 'privilege-and-request' ? 1 : 0),
  },

  init(self, setup) {
    const first = firstHolder(setup)
    return {
      holder: setup.topology.towards(first)[self],
      using: setup.inside.includes(self),
      queue: [],
      asked: false,
      fence: self === first ? 0 : null,
      recovery: setup.options.recovery ? calm() : null,
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

  /** Without the option the node goes on with what it has; without memory that is a new node's state. */
  restart(node, here) {
    const hasNeighbours = here.setup.nodes > 1
    if (node.recovery !== null && hasNeighbours) askForAdvice(node, here)
  },

  instead: ({ recovery }) => (recovery ? recovering : null),

  receive: {
    request(node, here, request, from) {
      if (!admits(node, request, from)) return
      enqueue(node, from)
      assignPrivilege(node, here)
      makeRequest(node, here)
    },

    privilege(node, here, privilege, from) {
      if (!admits(node, privilege, from)) return
      holdPrivilege(node, here, privilege.fence)
      assignPrivilege(node, here)
      makeRequest(node, here)
    },

    'privilege-and-request'(node, here, privilege, from) {
      if (!admits(node, privilege, from)) return
      holdPrivilege(node, here, privilege.fence)
      enqueue(node, from)
      assignPrivilege(node, here)
      makeRequest(node, here)
    },

    restart(node, here, _restart, from) {
      const advice = adviceFor(node, from)
      if (advice !== null) here.send(from, advice)
    },

    advise(node, here, advice, from) {
      const early = take(node, here, advice, from)
      if (early === null) return
      assignPrivilege(node, here)
      makeRequest(node, here)
      for (const { from: sender, message } of early) receiveEarly(node, here, message, sender)
    },
  },
}

/** A privilege that a restart has made void may be under way beside the new one: they cannot be counted by looking. */
const { tokens: _tokens, ...recovering } = raymond

function receiveEarly(node: State, here: Place, message: Tagged<Proper>, from: NodeId): void {
  switch (message.type) {
    case 'request':
      return raymond.receive.request(node, here, message, from)
    case 'privilege':
      return raymond.receive.privilege(node, here, message, from)
    case 'privilege-and-request':
      return raymond.receive['privilege-and-request'](node, here, message, from)
  }
}

function holdPrivilege(node: State, here: Place, fence: number): void {
  node.holder = here.self
  node.fence = fence
  if (node.recovery !== null) node.recovery.seen = fence
}

/** ASSIGN_PRIVILEGE: serve the head of the queue, if the privilege is here and free. */
export function assignPrivilege(node: State, here: Place): void {
  if (node.holder !== here.self || node.using || node.queue.length === 0 || node.fence === null) return
  const next = node.queue.shift() as NodeId
  node.asked = false
  if (next === here.self) {
    node.using = true
    node.fence += 1
    here.enter(node.fence)
  } else {
    node.holder = next
    // With piggyback this says already what MAKE_REQUEST would say to the same node.
    node.asked = here.setup.options.piggyback && node.queue.length > 0
    const type = node.asked ? 'privilege-and-request' : 'privilege'
    here.send(next, tagged(node, next, { type, fence: node.fence }))
    if (node.recovery !== null) node.recovery.seen = node.fence
    node.fence = null
  }
}

/** MAKE_REQUEST: ask for the privilege once for all who wait here. */
function makeRequest(node: State, here: Place): void {
  if (node.holder === here.self || node.queue.length === 0 || node.asked || isRebuilding(node)) return
  node.asked = true
  here.send(node.holder, tagged(node, node.holder, { type: 'request' }))
}

/** A node asks its holder once until it is served, so nobody stands in a queue twice. */
function enqueue(node: State, who: NodeId): void {
  if (node.queue.includes(who)) impossible(`node ${who} asks a second time`)
  node.queue.push(who)
}

/** In a round of n entries the privilege walks round the tree: twice over each edge, asked for each time. */
function saturatedMean({ topology, nodes, options }: Setup<Options>): number {
  const privileges = 2 * (nodes - 1)
  // Where a node has others to serve it asks along with the privilege: only a leaf has none.
  const requests = options.piggyback ? leaves(topology) : privileges
  return (privileges + requests) / nodes
}

function leaves(topology: Topology): number {
  let count = 0
  for (let node = 0; node < topology.nodes; node += 1) if (topology.neighbours(node).length === 1) count += 1
  return count
}

function recoveryShape() {
  const fence = { clock: 'fence' } as const
  const early = { fields: { type: 'data', fence, incarnation: 'data' } } as const
  const advice = { fields: { type: 'data', ...adviceShape() } } as const
  return {
    fields: {
      incarnations: { list: { fields: { neighbour: 'node', count: 'data' } } },
      seen: fence,
      rebuilding: {
        fields: {
          advice: { list: { fields: { from: 'node', advice } } },
          early: { list: { fields: { from: 'node', message: early } } },
        },
      },
    },
  } as const
}

function adviceShape() {
  return {
    incarnation: 'data',
    holderIsYou: 'data',
    asked: 'data',
    queued: 'data',
    fence: { clock: 'fence' },
  } as const
}
