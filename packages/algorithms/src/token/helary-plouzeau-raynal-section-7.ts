/**
 * The rules of section 7 of Helary, Plouzeau and Raynal (1988), in the order in which a request meets them: how it is
 * broadcast, and how the token finds its way. What happens when channels come and go is in
 * `helary-plouzeau-raynal-section-7-channels`. `helary-plouzeau-raynal-reconfiguration` says what the rules are.
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
  if (node.token !== null) {
    here.because?.('node {self} has the token, and need not ask')
    return enter(node, here, node.token)
  }
  if (around.learning) {
    here.because?.('node {self} does not know the time: it asks when a neighbour has sent its table')
    around.wants = true
    return
  }
  here.because?.('node {self} has no token: it broadcasts a request of time {time}', { time: node.clock })
  around.asked = { time: node.clock, node: here.self, wave: 0 }
  broadcastOwn(around, here, around.asked)
}

/** The owner gives the token to the oldest request that it can reach, and dates its own entry (line (A)). */
export function transmitToken(node: State, here: Place): void {
  const { token } = node
  if (token === null) return impossible(`node ${here.self} has no token`)
  const { next, givenUp } = choose(node, here, token)
  if (next === null) return keep(node, here, { ...token, givenUp })
  here.because?.('node {next} has the oldest request that can be reached, of time {time}', {
    next: next.node,
    time: next.time,
  })
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
export function hear(node: State, here: Place, broadcast: Broadcast, arrival: Arrival): void {
  const { around } = node
  const { via, others, brothers, alreadySeen } = arrival
  if (broadcast.node === here.self) {
    if (around.asked?.time === broadcast.time)
      return here.because?.('the request of node {self} has come back to it')
    here.because?.(
      'node {self} has asked at time {time}, before it lost its memory: its next stamp is later',
      {
        time: broadcast.time,
      },
    )
    node.clock = Math.max(node.clock, broadcast.time + 1)
    return
  }
  const known = node.heard.find((heard) => heard.node === broadcast.node)
  const order = known === undefined ? 1 : compare(broadcast, known)
  if (known !== undefined && order === 0) addExit(node, here, known, via)
  else if (order < 0)
    here.because?.('node {self} knows of a younger broadcast of node {origin}', { origin: broadcast.node })
  if (order <= 0) return
  const { wave, ...id } = broadcast
  node.clock = Math.max(node.clock, id.time) + 1
  node.heard = noted<Heard>(node.heard, { ...id, via, route: { wave, others, called: false } })
  const elder = brothers.filter((brother) => brother !== here.self)
  flood(around, here, broadcast, wave === 0 ? [...alreadySeen, here.self] : [via], elder)
}

function addExit(node: State, here: Place, known: Heard, exit: NodeId): void {
  const { route, via, node: origin } = known
  if (route === undefined || via === exit || route.others.includes(exit))
    return here.because?.('node {self} knows already that node {exit} is a way to node {origin}', {
      exit,
      origin,
    })
  here.because?.('node {exit} has the request of node {origin} too: it is one more way there', {
    exit,
    origin,
  })
  const more = via === null ? { via: exit } : { route: { ...route, others: [...route.others, exit] } }
  node.heard = noted(node.heard, { ...known, ...more })
}

/** Above 0 if the broadcast is younger than the last one known of its origin. */
export function compare(broadcast: Broadcast, known: Heard): number {
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
  if (others.length === 0)
    return here.because?.('node {self} has no neighbour up that may lack the request of node {origin}', {
      origin: id.node,
    })
  here.because?.('the request of node {origin} may be new to {others}', { origin: id.node, others })
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
  if (node.around.asked !== null || node.around.wants) {
    here.because?.('the token has come to node {self}, which waits for it')
    return enter(node, here, token)
  }
  // It had to leave another node, or comes for a request from before this node lost its memory.
  here.because?.('node {self} does not wait for this token: it goes on to a node that does')
  redirect(node, here, token)
}

/** Passes the token on towards a request, or finds that there is no exit. */
export function route(
  node: State,
  here: Place,
  token: Token,
  sought: Broadcast,
  visited: readonly NodeId[],
): void {
  const known = node.heard.find((heard) => heard.node === sought.node)
  const origin = sought.node
  if (exitTo(node, known ?? { ...sought, via: null }, visited) !== null) {
    here.because?.('the token is on its way to node {origin}', { origin })
    return send(node, here, token, known ?? { ...sought, via: null }, visited)
  }
  here.because?.('no way on to node {origin} is up: its request is given up until it is broadcast again', {
    origin,
  })
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
  if (asked !== null && (next === null || precedes(asked, next))) {
    here.because?.('the own request of node {self} is the oldest that it can serve')
    return enter(node, here, forNext)
  }
  if (next !== null) {
    here.because?.('of all requests that node {self} can reach, that of node {next} is the oldest', {
      next: next.node,
    })
    return send(node, here, forNext, next, [])
  }
  if (wants) {
    here.because?.('node {self} wants to enter, and nobody that it can reach waits')
    return enter(node, here, forNext)
  }
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
    here.because?.('node {origin} has an older request, but no way there is up', { origin: next.node })
    call(node, here, broadcast, null)
    givenUp = [...givenUp, broadcast]
  }
}

export function broadcastOf({ time, node, route }: Heard): Broadcast {
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
  here.because?.('node {exit} is the first way there that is up and not yet tried', { exit })
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
  if (!node.around.leaving) return here.because?.('no request can be served: the token stays at node {self}')
  if (heir === undefined)
    return here.because?.('node {self} leaves, but no neighbour is up that could have the token')
  here.because?.(
    'node {self} leaves, and no request can be served: a neighbour, node {heir}, has the token',
    {
      heir,
    },
  )
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
export function serve(node: State, here: Place): void {
  if (node.token === null) return
  if (node.inside) here.because?.('node {self} is inside, and keeps the token until it leaves')
  else transmitToken(node, here)
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
  if (order < 0 || (order === 0 && known?.route?.called === true))
    return here.because?.('node {self} has called node {origin} before, or knows of a younger broadcast', {
      origin: id.node,
    })
  const way = order === 0 ? known : undefined
  node.heard = noted<Heard>(node.heard, {
    ...id,
    via: way?.via ?? null,
    route: { wave, others: way?.route?.others ?? [], called: true },
  })
  const peers = up(around).filter((peer) => peer !== from)
  if (peers.length > 0)
    here.because?.('node {origin} must broadcast again: {peers} may know a way to call it', {
      origin: id.node,
      peers,
    })
  else
    here.because?.('node {origin} must broadcast again, and hears of it when a channel comes up', {
      origin: id.node,
    })
  for (const peer of peers) here.send(peer, { type: 'call', broadcast })
}

function callMe(around: Around, here: Place, { time, wave }: Broadcast): void {
  if (around.asked === null || around.asked.time !== time || around.asked.wave !== wave)
    return here.because?.('node {self} does not wait for what it is called for, or has broadcast it again')
  broadcastAgain(around, here)
}

/** A new wave of this node's own request, if it waits. */
export function broadcastAgain(around: Around, here: Place): void {
  if (around.asked === null) return
  around.asked = { ...around.asked, wave: around.asked.wave + 1 }
  here.because?.('copies of the request of node {self} may be lost: wave {wave} goes out', {
    wave: around.asked.wave,
  })
  broadcastOwn(around, here, around.asked)
}

/** Sorted, so that equal tokens are equal data. What an extension adds to a token is kept. */
export function tokenIn({ gaveAway, fence, givenUp = [], ...more }: Token): Token {
  return { gaveAway, fence, givenUp, ...more }
}

/** The nodes that a message may reach. */
export function up({ links, down }: Around): readonly NodeId[] {
  return down.length === 0 ? links : links.filter((peer) => !down.includes(peer))
}

export function withPeer(peers: readonly NodeId[], peer: NodeId): readonly NodeId[] {
  return peers.includes(peer) ? peers : [...peers, peer].toSorted((a, b) => a - b)
}
