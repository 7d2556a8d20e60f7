/**
 * The rules of section 7 of Helary, Plouzeau and Raynal (1988), in the order in which a request meets them: how it is
 * broadcast, how the token finds its way, what happens when channels come and go. `helary-plouzeau-raynal-reconfiguration`
 * says what they are.
 */
import { type Here, impossible, type NodeId } from '@turnwise/core/algorithm'
import { precedes } from '@turnwise/core/timestamp'
import { first, noted, unsatisfied } from './helary-plouzeau-raynal.ts'
import {
  type Around,
  type Broadcast,
  type Heard,
  type Message,
  type RequestMessage,
  type State,
  type TableMessage,
  type Token,
  type TokenMessage,
  withoutWay,
} from './helary-plouzeau-raynal-section-7-state.ts'

export type Place = Here<Message>

export function startAround(links: readonly NodeId[]): Around {
  return { links, down: [], asked: null, learning: false, wants: false, leaving: false }
}

export function ask(node: State, here: Place): void {
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
export function transmitToken(node: State, here: Place): void {
  const { token } = node
  if (token === null) return impossible(`node ${here.self} has no token`)
  const { next, givenUp } = choose(node, here, token)
  if (next === null) return keep(node, here, { ...token, givenUp })
  const gaveAway = noted(token.gaveAway, { time: node.clock, node: here.self })
  node.clock += 1
  node.token = null
  send(node, here, { ...token, gaveAway, givenUp }, next, [])
}

export function receiveRequest(node: State, here: Place, request: RequestMessage, from: NodeId): void {
  const { id, alreadySeen, kin } = request
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

/** Notes a new broadcast and passes it on. A copy of a known one shows one more exit. */
function hear(node: State, here: Place, broadcast: Broadcast, arrival: Arrival): void {
  const { around } = node
  const { via, others, brothers, alreadySeen } = arrival
  if (broadcast.node === here.self) {
    // Our own request from before we lost our memory, unless it is the one that waits.
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

function addExit(node: State, known: Heard, exit: NodeId): void {
  const { route, via } = known
  if (route === undefined || via === exit || route.others.includes(exit)) return
  const more = via === null ? { via: exit } : { route: { ...route, others: [...route.others, exit] } }
  node.heard = noted(node.heard, { ...known, ...more })
}

/** Above 0 if the broadcast is younger than the last one known of its origin. */
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

export function receiveToken(node: State, here: Place, message: TokenMessage): void {
  const { type: _type, addressee, sought, visited, ...carried } = message
  const token = tokenIn(carried)
  for (const { time } of token.gaveAway) node.clock = Math.max(node.clock, time + 1)
  if (addressee !== here.self && sought !== null) return route(node, here, token, sought, visited)
  if (node.around.asked !== null || node.around.wants) return enter(node, here, token)
  // It had to leave another node, or comes for a request from before this node lost its memory.
  redirect(node, here, token)
}

/** Passes the token on towards a request, or finds that there is no exit. */
function route(node: State, here: Place, token: Token, sought: Broadcast, visited: readonly NodeId[]): void {
  const known = node.heard.find((heard) => heard.node === sought.node)
  if (exitTo(node, known ?? { ...sought, via: null }, visited) !== null) {
    return send(node, here, token, known ?? { ...sought, via: null }, visited)
  }
  call(node, here, sought, null)
  redirect(node, here, { ...token, givenUp: [...(token.givenUp ?? []), sought] })
}

/**
 * A node has the token and did not own it. The oldest request that can be reached gets it, this node's own included.
 * The node does not date its entry, since it may be waiting itself.
 */
export function redirect(node: State, here: Place, token: Token): void {
  const { asked, wants } = node.around
  const { next, givenUp } = choose(node, here, token)
  const forNext = { ...token, givenUp }
  if (asked !== null && (next === null || precedes(asked, next))) return enter(node, here, forNext)
  if (next !== null) return send(node, here, forNext, next, [])
  if (wants) return enter(node, here, forNext)
  keep(node, here, forNext)
}

/** The oldest waiting request with an open exit. Older ones without an exit are given up, and their origins called. */
function choose(
  node: State,
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

function exitTo(node: State, { node: origin, via, route }: Heard, visited: readonly NodeId[]) {
  const open = new Set(up(node.around))
  const exits = [via, origin, ...(route?.others ?? [])]
  return exits.find((exit) => exit !== null && open.has(exit) && !visited.includes(exit)) ?? null
}

function send(node: State, here: Place, token: Token, to: Heard, visited: readonly NodeId[]): void {
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

/** No request can be served. The token stays here, or goes to any neighbour if this node is to be removed. */
function keep(node: State, here: Place, token: Token): void {
  const [heir] = up(node.around)
  node.token = token
  if (!node.around.leaving || heir === undefined) return
  const gaveAway = noted(token.gaveAway, { time: node.clock, node: here.self })
  const given = tokenIn({ ...token, gaveAway })
  node.clock += 1
  node.token = null
  here.send(heir, { type: 'token', addressee: heir, ...given, sought: null, visited: [] })
}

function enter(node: State, here: Place, token: Token): void {
  node.token = tokenIn({ ...token, fence: token.fence + 1, givenUp: [] })
  node.inside = true
  node.around.asked = null
  node.around.wants = false
  here.enter(node.token.fence)
}

/** Gives an idle token to a waiting node. */
function serve(node: State, here: Place): void {
  if (node.token !== null && !node.inside) transmitToken(node, here)
}

function forgetSatisfied(node: State, token: Token): void {
  const waiting = new Set(unsatisfied(node.heard, token))
  node.heard = node.heard.map((heard) =>
    waiting.has(heard) || heard.via === null ? heard : withoutWay(heard),
  )
}

/** Asks the origin for another broadcast, over all channels; once for each known broadcast. */
export function call(node: State, here: Place, broadcast: Broadcast, from: NodeId | null): void {
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
export function linked(node: State, here: Place, peer: NodeId): void {
  const { around } = node
  around.links = withPeer(around.links, peer)
  around.down = around.down.filter((other) => other !== peer)
  const heard = node.heard.filter(({ via, route }) => via !== null || route?.called === true)
  const pending = heard.map((entry) => ({ ...broadcastOf(entry), called: entry.route?.called === true }))
  const own = around.asked === null ? [] : [{ ...around.asked, called: false }]
  here.send(peer, { type: 'table', clock: node.clock, pending: [...pending, ...own] })
}

export function receiveTable(node: State, here: Place, { clock, pending }: TableMessage, from: NodeId): void {
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

export function receiveLeaving(node: State, clock: number, from: NodeId): void {
  node.clock = Math.max(node.clock, clock)
  unlinked(node, from)
}

export function unlinked({ around }: State, peer: NodeId): void {
  around.links = around.links.filter((other) => other !== peer)
  around.down = around.down.filter((other) => other !== peer)
}

/** Section 7.1.2: the failure of a process is that of its channels. */
export function suspect({ around }: State, peer: NodeId): void {
  if (around.links.includes(peer)) around.down = withPeer(around.down, peer)
}

export function restore(node: State, here: Place, peer: NodeId): void {
  if (node.around.links.includes(peer)) linked(node, here, peer)
}

/** Section 7.1: a message that could not be transmitted counts as not sent, and its sender knows. */
export function undelivered(node: State, here: Place, to: NodeId, message: Message): void {
  suspect(node, to)
  if (message.type === 'token') return takeBack(node, here, to, message)
  if (message.type !== 'request' || message.kin.wave !== 0) return
  const { id } = message
  const broadcast = { ...id, wave: 0 }
  const known = node.heard.find((heard) => heard.node === id.node)
  const isCurrent = known !== undefined && compare(broadcast, known) === 0 && known.via !== null
  if (id.node === here.self || isCurrent) call(node, here, broadcast, null)
}

function takeBack(node: State, here: Place, to: NodeId, message: TokenMessage): void {
  const { type: _type, addressee: _addressee, sought, visited, ...carried } = message
  const token = tokenIn(carried)
  if (sought === null) redirect(node, here, token)
  else route(node, here, token, sought, [...visited, to])
}

/** Sorted, so that equal tokens are equal data. What an extension adds to a token is kept. */
function tokenIn({ gaveAway, fence, givenUp = [], ...more }: Token): Token {
  return { gaveAway, fence, givenUp, ...more }
}

/** A node that joins, or has lost its memory: it has no token, whatever `init` gave it. */
export function beginAnew(node: State, links: readonly NodeId[]): void {
  node.token = null
  node.inside = false
  node.heard = []
  node.around = { ...startAround(links), learning: true }
}

export function leave(node: State, here: Place): void {
  node.around.leaving = true
  for (const peer of up(node.around)) here.send(peer, { type: 'leaving', clock: node.clock })
  serve(node, here)
}

/** The nodes that a message may reach. */
export function up({ links, down }: Around): readonly NodeId[] {
  return down.length === 0 ? links : links.filter((peer) => !down.includes(peer))
}

export function withPeer(peers: readonly NodeId[], peer: NodeId): readonly NodeId[] {
  return peers.includes(peer) ? peers : [...peers, peer].toSorted((a, b) => a - b)
}
