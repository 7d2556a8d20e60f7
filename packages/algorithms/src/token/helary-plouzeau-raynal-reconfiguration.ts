/**
 * Section 7 of Helary, Plouzeau and Raynal (1988): channels and processes that fail and recover, channels and
 * nodes that are inserted and removed, all while requests are pending. In use with `reconfiguration=true`; as
 * long as nothing changes an entry costs what section 6 says.
 *
 * A request also tells its receivers their brothers and uncles in the spanning tree that its broadcast draws. The
 * token leaves a node to its father in the tree, else to the addressee itself, an uncle, a brother, or another
 * neighbour that has sent the request: the first to which the channel is up and which the token has not visited on
 * this way. Without an exit the node chooses another addressee; if there is none it keeps the token. Both ends of
 * a channel that comes up send each other their pending requests with their first stamps.
 *
 * Where we differ:
 *  - Section 7.1.1 (2) says that broadcasts complete while the network stays connected. They need not: a node to
 *    which a request was lost is in `already_seen`, so nobody else sends it there. Whoever is told of such a loss,
 *    and whoever has the token and no exit, calls the origin, which broadcasts again: a new wave, sent to everyone
 *    by everyone. It finds all who are connected, and every copy of it is an exit. A call goes over channels that
 *    come up later too, so a request that waits for a recovery is not forgotten. Without it a token with one
 *    request and no exit would stay where it is, though the network is connected.
 *  - A mere handler that chooses another addressee by `transmit_token` dates its own entry of `lud`, and its own
 *    pending request counts as satisfied and is lost. We date only where the token was owned, and the handler's
 *    own request is among those it chooses from.
 *  - The request without an exit is the oldest and would be chosen again at once. The token carries what was given
 *    up since the last entry, and the nodes visited on its way, so that detours end.
 *  - "Only a new request erases the spanning tree" (7.1.1) is not true of section 4.3. Here it is: the way is
 *    forgotten only when the token shows that the request is satisfied.
 *  - A node that joins, or has lost its memory, waits for the first table before it asks, and takes its clock from
 *    there. A handler takes its clock from the token too, so that the neighbours of a node know when it last gave
 *    the token away, and it cannot come back with a stamp that looks satisfied.
 *  - A node that is removed tells its neighbours to send it nothing any more, forces the token to leave if it has
 *    it, and goes on passing on what still arrives (7.2 asks for such a shutdown of channels and nodes).
 *  - A token lost in a crash is not made anew here: see helary-plouzeau-raynal-regeneration.ts. Without that a crash
 *    is survived where it does not take the token with it, or where the node restarts with its memory.
 */
import { type Here, impossible, type NodeId } from '@turnwise/core/algorithm'
import { precedes } from '@turnwise/core/timestamp'
import {
  type Around,
  type Broadcast,
  first,
  type Heard,
  type Message,
  noted,
  type Options,
  type RequestMessage,
  type State,
  type Token,
  type TokenMessage,
  unsatisfied,
  withoutWay,
} from './helary-plouzeau-raynal-state.ts'

export type Place = Here<Message, Options>

/** A node of which `around` is known to be there. */
export interface Node extends State {
  around: Around
}

export function startAround(links: readonly NodeId[]): Around {
  return { links, down: [], asked: null, learning: false, wants: false, leaving: false }
}

export function ask(node: Node, here: Place): void {
  const { around } = node
  if (node.token !== null) return enter(node, here, node.token)
  if (around.learning) {
    around.wants = true
    return
  }
  around.asked = { time: node.clock, node: here.self, wave: 0 }
  broadcastOwn(around, here, around.asked)
}

/** The owner gives the token to the oldest request that it can reach, and dates its own entry (line (A)). */
export function transmitToken(node: Node, here: Place): void {
  const { token } = node
  if (token === null) return impossible(`node ${here.self} has no token`)
  const { next, givenUp } = choose(node, here, token)
  if (next === null) return keep(node, here, { ...token, givenUp })
  const gaveAway = noted(token.gaveAway, { time: node.clock, node: here.self })
  node.clock += 1
  node.token = null
  send(node, here, { ...token, gaveAway, givenUp }, next, [])
}

export function receiveRequest(node: Node, here: Place, request: RequestMessage, from: NodeId): void {
  const { id, alreadySeen, kin } = request
  if (kin === undefined) return impossible(`request ${id.time}.${id.node} names no kin`)
  const { wave, brothers, uncles } = kin
  const exits = [...uncles, ...brothers].filter((peer) => peer !== from && node.around.links.includes(peer))
  hear(node, here, { ...id, wave }, { via: from, others: [...new Set(exits)], brothers, alreadySeen })
  serve(node, here)
}

interface Arrival {
  readonly via: NodeId
  readonly others: readonly NodeId[]
  /** The receiver among them. */
  readonly brothers: readonly NodeId[]
  readonly alreadySeen: readonly NodeId[]
}

/** Notes a broadcast that is news and passes it on. A copy of what is known shows one more exit. */
function hear(node: Node, here: Place, broadcast: Broadcast, arrival: Arrival): void {
  const { around } = node
  const { via, others, brothers, alreadySeen } = arrival
  if (broadcast.node === here.self) {
    // From before this node lost its memory, unless it is the one that it waits for.
    if (around.asked?.time !== broadcast.time) node.clock = Math.max(node.clock, broadcast.time + 1)
    return
  }
  const known = node.heard.find((heard) => heard.node === broadcast.node)
  const order = known === undefined ? 1 : compare(broadcast, known)
  if (known !== undefined && order === 0) addExit(node, known, via)
  if (order <= 0) return
  const { wave, ...id } = broadcast
  node.clock = Math.max(node.clock, id.time) + 1
  node.heard = noted<Heard>(node.heard, { ...id, via, route: { wave, others, called: false } })
  const elder = brothers.filter((brother) => brother !== here.self)
  flood(around, here, broadcast, wave === 0 ? [...alreadySeen, here.self] : [via], elder)
}

function addExit(node: Node, known: Heard, exit: NodeId): void {
  const { route, via } = known
  if (route === undefined || via === exit || route.others.includes(exit)) return
  const more = via === null ? { via: exit } : { route: { ...route, others: [...route.others, exit] } }
  node.heard = noted(node.heard, { ...known, ...more })
}

/** Above 0 if the broadcast is younger than what is known of its origin. */
function compare(broadcast: Broadcast, known: Heard): number {
  return broadcast.time - known.time || broadcast.wave - (known.route?.wave ?? 0)
}

/** The first wave goes where it has not been (section 3); later ones, to be certain, wherever they did not come from. */
function flood(
  around: Around,
  here: Place,
  { wave, ...id }: Broadcast,
  seen: readonly NodeId[],
  elder: readonly NodeId[],
): void {
  const others = up(around).filter((neighbour) => !seen.includes(neighbour))
  if (others.length === 0) return
  const alreadySeen = wave === 0 ? [...new Set([...seen, ...others])].toSorted((a, b) => a - b) : []
  for (const other of others) {
    const brothers = others.filter((brother) => brother !== other)
    here.send(other, { type: 'request', id, alreadySeen, kin: { wave, brothers, uncles: elder } })
  }
}

function broadcastOwn(around: Around, here: Place, own: Broadcast): void {
  flood(around, here, own, [here.self], [])
}

export function receiveToken(node: Node, here: Place, message: TokenMessage): void {
  const { addressee, sought = null, visited = [] } = message
  const token = tokenIn(message)
  for (const { time } of token.gaveAway) node.clock = Math.max(node.clock, time + 1)
  if (addressee !== here.self && sought !== null) return route(node, here, token, sought, visited)
  if (node.around.asked !== null || node.around.wants) return enter(node, here, token)
  // It had to leave where it was, or comes for a request from before this node lost its memory.
  redirect(node, here, token)
}

/** Passes the token on towards a request, or finds that there is no exit. */
function route(node: Node, here: Place, token: Token, sought: Broadcast, visited: readonly NodeId[]): void {
  const known = node.heard.find((heard) => heard.node === sought.node)
  if (exitTo(node, known ?? { ...sought, via: null }, visited) !== null) {
    return send(node, here, token, known ?? { ...sought, via: null }, visited)
  }
  call(node, here, sought, null)
  redirect(node, here, { ...token, givenUp: [...(token.givenUp ?? []), sought] })
}

/**
 * A node that has the token and did not own it: whoever waits longest of those that can be reached gets it, this
 * node among them. It does not date its entry, for it may be waiting itself.
 */
export function redirect(node: Node, here: Place, token: Token): void {
  const { asked, wants } = node.around
  const { next, givenUp } = choose(node, here, token)
  const forNext = { ...token, givenUp }
  if (asked !== null && (next === null || precedes(asked, next))) return enter(node, here, forNext)
  if (next !== null) return send(node, here, forNext, next, [])
  if (wants) return enter(node, here, forNext)
  keep(node, here, forNext)
}

/** The oldest request that waits and to which an exit is open; those before it without one are given up and called. */
function choose(
  node: Node,
  here: Place,
  token: Token,
): { next: Heard | null; givenUp: readonly Broadcast[] } {
  forgetSatisfied(node, token)
  let givenUp = token.givenUp ?? []
  for (;;) {
    const open = unsatisfied(node.heard, token).filter(
      (heard) =>
        !givenUp.some((broadcast) => broadcast.node === heard.node && compare(broadcast, heard) === 0),
    )
    const next = first(open, precedes)
    if (next === null || exitTo(node, next, []) !== null) return { next, givenUp }
    const broadcast = broadcastOf(next)
    call(node, here, broadcast, null)
    givenUp = [...givenUp, broadcast]
  }
}

function broadcastOf({ time, node, route }: Heard): Broadcast {
  return { time, node, wave: route?.wave ?? 0 }
}

function exitTo(node: Node, { node: origin, via, route }: Heard, visited: readonly NodeId[]) {
  const open = new Set(up(node.around))
  const exits = [via, origin, ...(route?.others ?? [])]
  return exits.find((exit) => exit !== null && open.has(exit) && !visited.includes(exit)) ?? null
}

function send(node: Node, here: Place, token: Token, to: Heard, visited: readonly NodeId[]): void {
  const exit = exitTo(node, to, visited)
  if (exit === null) return impossible(`node ${here.self} has no exit to node ${to.node}`)
  const sought = broadcastOf(to)
  here.send(exit, {
    type: 'token',
    addressee: to.node,
    ...tokenIn(token),
    sought,
    visited: [...visited, here.self],
  })
}

/** Nobody can be served: the token stays here, or with any neighbour if this node is to go. */
function keep(node: Node, here: Place, token: Token): void {
  const [heir] = up(node.around)
  node.token = token
  if (!node.around.leaving || heir === undefined) return
  const gaveAway = noted(token.gaveAway, { time: node.clock, node: here.self })
  const given = tokenIn({ ...token, gaveAway })
  node.clock += 1
  node.token = null
  here.send(heir, { type: 'token', addressee: heir, ...given, sought: null, visited: [] })
}

function enter(node: Node, here: Place, token: Token): void {
  node.token = tokenIn({ ...token, fence: token.fence + 1, givenUp: [] })
  node.inside = true
  node.around.asked = null
  node.around.wants = false
  here.enter(node.token.fence)
}

/** An idle token is given to whoever waits. */
function serve(node: Node, here: Place): void {
  if (node.token !== null && !node.inside) transmitToken(node, here)
}

function forgetSatisfied(node: Node, token: Token): void {
  const waiting = new Set(unsatisfied(node.heard, token))
  node.heard = node.heard.map((heard) =>
    waiting.has(heard) || heard.via === null ? heard : withoutWay(heard),
  )
}

/** Asks the origin for another broadcast; once for each that is known, and wherever channels lead. */
export function call(node: Node, here: Place, broadcast: Broadcast, from: NodeId | null): void {
  const { around } = node
  if (broadcast.node === here.self) return callMe(around, here, broadcast)
  const { wave, ...id } = broadcast
  const known = node.heard.find((heard) => heard.node === id.node)
  const order = known === undefined ? 1 : compare(broadcast, known)
  if (order < 0 || (order === 0 && known?.route?.called === true)) return
  const way = order === 0 ? known : undefined
  node.heard = noted<Heard>(node.heard, {
    ...id,
    via: way?.via ?? null,
    route: { wave, others: way?.route?.others ?? [], called: true },
  })
  for (const peer of up(around)) if (peer !== from) here.send(peer, { type: 'call', broadcast })
}

function callMe(around: Around, here: Place, { time, wave }: Broadcast): void {
  if (around.asked === null || around.asked.time !== time || around.asked.wave !== wave) return
  broadcastAgain(around, here)
}

/** A new wave of this node's own request, if it waits. */
export function broadcastAgain(around: Around, here: Place): void {
  if (around.asked === null) return
  around.asked = { ...around.asked, wave: around.asked.wave + 1 }
  broadcastOwn(around, here, around.asked)
}

/** Section 7.1.1 (1): a channel has come up, or a process at its other end. */
export function linked(node: Node, here: Place, peer: NodeId): void {
  const { around } = node
  around.links = withPeer(around.links, peer)
  around.down = around.down.filter((other) => other !== peer)
  const heard = node.heard.filter(({ via, route }) => via !== null || route?.called === true)
  const pending = heard.map((entry) => ({ ...broadcastOf(entry), called: entry.route?.called === true }))
  const own = around.asked === null ? [] : [{ ...around.asked, called: false }]
  const known = node.regeneration === null ? {} : { generation: node.regeneration.generation }
  here.send(peer, { type: 'table', clock: node.clock, pending: [...pending, ...own], ...known })
}

export function receiveTable(
  node: Node,
  here: Place,
  { clock, pending }: Extract<Message, { type: 'table' }>,
  from: NodeId,
): void {
  const { around } = node
  // A node that has lost its memory may not know of a channel that was new.
  around.links = withPeer(around.links, from)
  around.down = around.down.filter((other) => other !== from)
  if (around.learning) node.clock = Math.max(node.clock, clock) + 1
  for (const { called, ...broadcast } of pending) {
    hear(node, here, broadcast, { via: from, others: [], brothers: [], alreadySeen: [from] })
    if (called) call(node, here, broadcast, from)
  }
  const { wants, learning } = around
  around.learning = false
  if (learning && wants) {
    around.wants = false
    ask(node, here)
  } else serve(node, here)
}

export function receiveLeaving(node: Node, clock: number, from: NodeId): void {
  node.clock = Math.max(node.clock, clock)
  unlinked(node, from)
}

export function unlinked({ around }: Node, peer: NodeId): void {
  around.links = around.links.filter((other) => other !== peer)
  around.down = around.down.filter((other) => other !== peer)
}

/** Section 7.1.2: the failure of a process is that of its channels. */
export function suspect({ around }: Node, peer: NodeId): void {
  if (around.links.includes(peer)) around.down = withPeer(around.down, peer)
}

export function restore(node: Node, here: Place, peer: NodeId): void {
  if (node.around.links.includes(peer)) linked(node, here, peer)
}

/** Section 7.1: what could not be transmitted counts as not sent, and its sender knows. */
export function undelivered(node: Node, here: Place, to: NodeId, message: Message): void {
  suspect(node, to)
  if (message.type === 'token') return takeBack(node, here, to, message)
  if (message.type !== 'request' || message.kin?.wave !== 0) return
  const { id } = message
  const broadcast = { ...id, wave: 0 }
  const known = node.heard.find((heard) => heard.node === id.node)
  const isCurrent = known !== undefined && compare(broadcast, known) === 0 && known.via !== null
  if (id.node === here.self || isCurrent) call(node, here, broadcast, null)
}

function takeBack(node: Node, here: Place, to: NodeId, message: TokenMessage): void {
  const { sought = null, visited = [] } = message
  const token = tokenIn(message)
  if (sought === null) redirect(node, here, token)
  else route(node, here, token, sought, [...visited, to])
}

/** The token itself, without what a message says of its way. */
function tokenIn({ gaveAway, fence, givenUp = [], generation }: Token): Token {
  return { gaveAway, fence, givenUp, ...(generation === undefined ? {} : { generation }) }
}

/** A node that joins, or has lost its memory: it has no token, whatever `init` gave it. */
export function beginAnew(node: Node, links: readonly NodeId[]): void {
  node.token = null
  node.inside = false
  node.heard = []
  node.around = { ...startAround(links), learning: true }
}

export function leave(node: Node, here: Place): void {
  node.around.leaving = true
  for (const peer of up(node.around)) here.send(peer, { type: 'leaving', clock: node.clock })
  serve(node, here)
}

/** Whom a message may reach. */
export function up({ links, down }: Around): readonly NodeId[] {
  return down.length === 0 ? links : links.filter((peer) => !down.includes(peer))
}

export function withPeer(peers: readonly NodeId[], peer: NodeId): readonly NodeId[] {
  return peers.includes(peer) ? peers : [...peers, peer].toSorted((a, b) => a - b)
}
