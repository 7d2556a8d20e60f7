/**
 * Helary, Plouzeau and Raynal, "A distributed algorithm for mutual exclusion in an arbitrary network", The
 * Computer Journal 31(4), 1988.
 *
 * A node knows its neighbours and nothing else, not even how many nodes there are. A request carries a Lamport stamp
 * and floods the network. It names the nodes that have it or are about to, so that no node sends it there again. Every
 * node notes from which neighbour it heard of a request first. The owner of the token serves the oldest request it
 * knows: the token walks back along the path by which that request came. It carries for each node the time at which it
 * last gave the token away; requests of that node up to then are satisfied.
 *
 * Why it is safe: there is one token, and only its owner enters. Why nobody starves: a node that has heard of a request
 * stamps its own next one later, so only finitely many are older (section 5.5).
 *
 * Assumes a connected graph of reliable channels; no order. With the token elsewhere an entry costs n messages
 * on a complete graph, n-1+d on a tree (d hops to the owner), on any graph at most 2e with e edges.
 *
 * Section 7 lets channels and nodes fail, come and go: `helary-plouzeau-raynal-reconfiguration`, and for lost tokens
 * `helary-plouzeau-raynal-regeneration`. Section 6 has a simple form for complete networks,
 * `helary-plouzeau-raynal-complete`.
 *
 * Where we differ:
 *  - In section 4.3 the owner forgets a request that it serves, so a late copy counts as new and is flooded again. We
 *    keep its time and forget only the way back, at every node on the way, as section 5.5 supposes. Then a node passes
 *    a request on once, and the counts of section 6 hold: at most 2e-n+1 requests and n-1 tokens.
 *  - `min` compares couples of name and time by the name first, which starves large names. We compare by
 *    time, then name, as section 3 (v) says.
 *  - `lud` is an array over all nodes, but no node knows how many there are. Ours grows with the nodes that had the
 *    token, which also carries a counter as fence.
 *  - Section 6 promises an idle token within 2D delays, D the diameter. But a request may arrive first by a long and
 *    fast path, and the token must take that path back: D+n-1.
 */
import { type Algorithm, type Here, impossible, type NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { firstHolder, type Setup } from '@turnwise/core/setup'
import { precedes, type Timestamp } from '@turnwise/core/timestamp'
import { distancesTo, isTree, type Topology, treeDiameter, treeMeanDistance } from '@turnwise/core/topology'

export interface RequestMessage {
  readonly type: 'request'
  /** req_id: the origin, and its clock when it asked. Names the request in the whole history of the system. */
  readonly id: Timestamp
  /** already_seen: the nodes that have this request, or to which it has been sent. */
  readonly alreadySeen: readonly NodeId[]
}

export interface Token {
  /** lud: each node's clock when it last gave the token away; sorted by node, without nodes that never did. */
  readonly gaveAway: readonly Timestamp[]
  /** Counts the entries. */
  readonly fence: number
}

export interface TokenMessage extends Token {
  readonly type: 'token'
  /** elec: the node that will own it. Nodes on the way only pass it on. */
  readonly addressee: NodeId
}

export type Message = RequestMessage | TokenMessage

/** The youngest request heard of a node. */
export interface Heard extends Timestamp {
  /** The neighbour that it came from; null once the token went back that way. */
  readonly via: NodeId | null
}

export interface State {
  /** C, a Lamport clock. */
  clock: number
  /** req_array: one request per origin, sorted by origin. */
  heard: readonly Heard[]
  /** token_here: the token this node owns, or null. A handler passes it on at once. */
  token: Token | null
  /** in_CS. */
  inside: boolean
}

export type Place = Here<Message>

const STAMP = { time: { clock: 'time' }, node: 'node' } as const
const TOKEN = { gaveAway: { list: { fields: STAMP } }, fence: { clock: 'fence' } } as const

export const helaryPlouzeauRaynal: Algorithm<State, Message> = {
  facts: {
    name: 'helary-plouzeau-raynal',
    title: 'Helary-Plouzeau-Raynal',
    year: 1988,
    family: 'token',
    idea:
      'Works on any connected graph of which a node knows only its neighbours. Stamped requests flood the ' +
      'network without visiting a node twice; the token goes back along the path of the oldest one.',
    sources: [
      'helary-plouzeau-raynal-1988 §3',
      'helary-plouzeau-raynal-1988 §4',
      'helary-plouzeau-raynal-1988 §6',
      'velazquez-1993 §4',
    ],
    entries: 1,
    sharedMode: false,
    channels: 'unordered',
    topology: 'connected',
    knows: 'neighbours',
    quorums: false,
    messages: {
      formula: 'n on a complete graph, n-1+d on a tree, at most 2e on any; 0 with the token here',
      letters({ topology, nodes }) {
        let ends = 0
        for (let node = 0; node < nodes; node += 1) ends += topology.neighbours(node).length
        return { e: { what: 'channels', min: ends / 2, max: ends / 2 } }
      },
      light: (setup) => ({ min: 0, max: mostMessages(setup), mean: meanWhenIdle(setup) }),
      heavy: (setup) => ({
        min: 0,
        max: mostMessages(setup),
        mean: isComplete(setup.topology) ? mostMessages(setup) : null,
      }),
    },
    syncDelay: {
      formula: 'the distance to the next, at most D',
      // With equal delays a request arrives first by a shortest path, and the token takes that path back.
      hops: ({ topology }) => ({ min: 1, max: longestDistance(topology) }),
    },
    faults: ['spike', 'pause'],
    fallsSilent: true,
    timing: 'any',
    timers: {},
  },
  options: {},
  shapes: {
    state: {
      clock: { clock: 'time' },
      heard: { list: { fields: { ...STAMP, via: 'node' } } },
      token: { fields: TOKEN },
      inside: 'data',
    },
    messages: {
      request: { id: { fields: STAMP }, alreadySeen: { list: 'node' } },
      token: { addressee: 'node', ...TOKEN },
    },
    fence: { clock: 'fence', scaled: false },
  },
  tokens: {
    held: ({ token }) => (token === null ? 0 : 1),
    carried: ({ type }) => (type === 'token' ? 1 : 0),
  },

  init(self, setup) {
    return {
      clock: 0,
      heard: [],
      token: self === firstHolder(setup) ? { gaveAway: [], fence: 0 } : null,
      inside: setup.inside.includes(self),
    }
  },

  request(node, here) {
    if (node.token !== null) {
      here.because?.('node {self} owns the token')
      return enter(node, here, node.token)
    }
    here.because?.('node {self} does not own the token: it asks, at time {time}', { time: node.clock })
    // The clock need not tick: it did when this node last gave the token away, so the stamp is new.
    flood(here, { time: node.clock, node: here.self }, [here.self])
  },

  release(node, here) {
    node.inside = false
    transmitToken(node, here)
  },

  receive: {
    request(node, here, request, from) {
      if (!isNews(node, request.id))
        return here.because?.('node {self} knows this request of node {origin}, or a younger one', {
          origin: request.id.node,
        })
      takeRequest(node, here, request, from)
      if (node.token === null) return
      if (node.inside) here.because?.('node {self} is inside, and owns the token until it leaves')
      else transmitToken(node, here)
    },

    token(node, here, token) {
      const { addressee, gaveAway, fence } = token
      if (addressee === here.self) {
        here.because?.('the token has come back on the way of the request of node {self}')
        return enter(node, here, { gaveAway, fence })
      }
      const request = node.heard.find((heard) => heard.node === addressee)
      if (request === undefined || request.via === null) {
        return impossible(
          `the token for node ${addressee} comes to node ${here.self}, which has not seen its request`,
        )
      }
      here.because?.('the token is for node {addressee}, whose request came from node {via}', {
        addressee,
        via: request.via,
      })
      here.send(request.via, { type: 'token', addressee, gaveAway, fence })
      forgetWayBack(node, request)
    },
  },
}

function enter(node: State, here: Place, token: Token): void {
  node.token = { ...token, fence: token.fence + 1 }
  node.inside = true
  here.enter(node.token.fence)
}

/** Sends a request to the neighbours that have not seen it, and tells them who has. */
function flood(here: Place, id: Timestamp, alreadySeen: readonly NodeId[]): void {
  const seen = new Set(alreadySeen)
  const others = here.setup.topology.neighbours(here.self).filter((neighbour) => !seen.has(neighbour))
  if (others.length === 0)
    return here.because?.('every neighbour of node {self} has the request of node {origin}, or soon has', {
      origin: id.node,
    })
  here.because?.('the request of node {origin} has not gone to {others} yet', { origin: id.node, others })
  const nowSeen = [...alreadySeen, ...others].toSorted((a, b) => a - b)
  for (const other of others) here.send(other, { type: 'request', id, alreadySeen: nowSeen })
}

/** Not heard before, and not overtaken by a younger request of the same origin, which asks again only once served. */
export function isNews({ heard }: State, id: Timestamp): boolean {
  return !heard.some(({ node, time }) => node === id.node && time >= id.time)
}

/** Notes a new request together with the way back to its origin, and passes it on. */
export function takeRequest(node: State, here: Place, request: RequestMessage, from: NodeId): void {
  const { id, alreadySeen } = request
  node.clock = Math.max(node.clock, id.time) + 1
  node.heard = noted(node.heard, { ...id, via: from })
  flood(here, id, alreadySeen)
}

/** transmit_token: the owner gives the token to the oldest request that it knows to be waiting, if there is one. */
function transmitToken(node: State, here: Place): void {
  const oldest = first(unsatisfied(node.heard, node.token), precedes)
  if (oldest === null)
    return here.because?.('node {self} keeps the token: every request that it knows is satisfied')
  here.because?.('node {next} has the oldest request, of time {time}, which came from node {via}', {
    next: oldest.node,
    time: oldest.time,
    via: oldest.via ?? here.self,
  })
  giveToken(node, here, oldest, here.self)
}

/**
 * Line (A) of the proof: the owner writes its clock into the token under its own name (`dated`) and ticks, so that its
 * requests so far count as satisfied, and its next one does not.
 */
export function giveToken(node: State, here: Place, to: Heard, dated: NodeId): void {
  const { token, clock } = node
  if (token === null || to.via === null) return impossible(`node ${here.self} has no token, or no way for it`)
  const gaveAway = noted(token.gaveAway, { time: clock, node: dated })
  here.send(to.via, { type: 'token', addressee: to.node, gaveAway, fence: token.fence })
  node.token = null
  node.clock += 1
  forgetWayBack(node, to)
}

/** The time of the request stays, so that a late copy of it is not new. */
function forgetWayBack(node: State, request: Heard): void {
  node.heard = noted(node.heard, { ...request, via: null })
}

/** min(X) by the given order, or null of nothing. */
export function first<Request extends Timestamp>(
  requests: readonly Request[],
  isBefore: (a: Request, b: Request) => boolean,
): Request | null {
  return requests.reduce<Request | null>((a, b) => (a === null || isBefore(b, a) ? b : a), null)
}

/** X: a request is satisfied if its origin has given the token away since. */
export function unsatisfied<Request extends Heard>(
  heard: readonly Request[],
  token: Token | null,
): Request[] {
  const gaveAway = new Map(token?.gaveAway.map(({ node, time }) => [node, time]))
  return heard.filter(({ node, time, via }) => {
    const last = gaveAway.get(node)
    return via !== null && (last === undefined || last < time)
  })
}

/** The list with that node's entry replaced. Sorted, so that equal knowledge is equal data. */
export function noted<Entry extends Timestamp>(entries: readonly Entry[], entry: Entry): Entry[] {
  const at = entries.findIndex(({ node }) => node >= entry.node)
  if (at === -1) return [...entries, entry]
  return entries.toSpliced(at, get(entries, at).node === entry.node ? 1 : 0, entry)
}

/** Section 6, sharpened: no node sends a request back to its sender, so 2e-(n-1) requests, n-1 tokens. */
function mostMessages({ topology, nodes }: Setup): number {
  if (nodes === 1) return 0
  if (isTree(topology)) return nodes - 1 + treeDiameter(topology)
  if (isComplete(topology)) return nodes
  // On a ring at most n+1 requests, and the token goes back at most n-3 steps when they are so many.
  return isRing(topology) ? 2 * nodes - 2 : 2 * edgesOf(topology)
}

/** The token is at the last requester, which is the next requester once in n times and pays nothing. */
function meanWhenIdle({ topology, nodes }: Setup): number | null {
  if (isTree(topology)) return ((nodes - 1) * (nodes - 1)) / nodes + treeMeanDistance(topology)
  return isComplete(topology) ? nodes - 1 : null
}

/** The path through node 0 bounds the distance of any two nodes. */
function longestDistance(topology: Topology): number {
  if (isTree(topology)) return treeDiameter(topology)
  return isComplete(topology) ? 1 : 2 * distancesTo(topology, 0).reduce((a, b) => Math.max(a, b), 0)
}

/** Of four nodes or more: three are also complete. */
function isRing(topology: Topology): boolean {
  const nodes = Array.from({ length: topology.nodes }, (_, node) => node)
  return topology.nodes > 3 && nodes.every((node) => topology.neighbours(node).length === 2)
}

function isComplete(topology: Topology): boolean {
  return topology.kind === 'complete' || edgesOf(topology) === (topology.nodes * (topology.nodes - 1)) / 2
}

function edgesOf(topology: Topology): number {
  let ends = 0
  for (let node = 0; node < topology.nodes; node += 1) ends += topology.neighbours(node).length
  return ends / 2
}
