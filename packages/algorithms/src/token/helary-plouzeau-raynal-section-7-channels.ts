/**
 * The rules of section 7 of Helary, Plouzeau and Raynal (1988) for channels and nodes that fail, come back, come and go.
 * Those for requests and the token are in `helary-plouzeau-raynal-section-7`.
 */
import type { NodeId } from '@turnwise/core/algorithm'
import {
  ask,
  broadcastOf,
  call,
  compare,
  hear,
  type Place,
  redirect,
  route,
  serve,
  startAround,
  tokenIn,
  up,
  withPeer,
} from './helary-plouzeau-raynal-section-7.ts'
import type { Message, State, TableMessage, TokenMessage } from './helary-plouzeau-raynal-section-7-state.ts'

/** Section 7.1.1 (1): a channel has come up, or a process at its other end. */
export function linked(node: State, here: Place, peer: NodeId): void {
  const { around } = node
  here.because?.('the channel to node {peer} is up: both ends tell each other which requests wait', { peer })
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
  if (around.learning) {
    here.because?.('node {self} learns the time from the table of node {from}', { from })
    node.clock = Math.max(node.clock, clock) + 1
  } else here.because?.('node {from} has told which requests wait', { from })
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

export function receiveLeaving(node: State, here: Place, clock: number, from: NodeId): void {
  here.because?.('node {from} leaves, and is sent nothing any more', { from })
  node.clock = Math.max(node.clock, clock)
  cutOff(node, from)
}

export function unlinked(node: State, here: Place, peer: NodeId): void {
  here.because?.('the channel to node {peer} is removed', { peer })
  cutOff(node, peer)
}

function cutOff({ around }: State, peer: NodeId): void {
  around.links = around.links.filter((other) => other !== peer)
  around.down = around.down.filter((other) => other !== peer)
}

/** Section 7.1.2: the failure of a process is that of its channels. */
export function suspect({ around }: State, here: Place, peer: NodeId): void {
  if (!around.links.includes(peer)) return
  here.because?.('node {peer} does not answer: its channel counts as down', { peer })
  around.down = withPeer(around.down, peer)
}

export function restore(node: State, here: Place, peer: NodeId): void {
  if (node.around.links.includes(peer)) linked(node, here, peer)
}

/** Section 7.1: a message that could not be transmitted counts as not sent, and its sender knows. */
export function undelivered(node: State, here: Place, to: NodeId, message: Message): void {
  suspect(node, here, to)
  if (message.type === 'token') return takeBack(node, here, to, message)
  if (message.type !== 'request' || message.kin.wave !== 0)
    return here.because?.('what did not reach node {to} is told it when its channel is up again', { to })
  const { id } = message
  const broadcast = { ...id, wave: 0 }
  const known = node.heard.find((heard) => heard.node === id.node)
  const isCurrent = known !== undefined && compare(broadcast, known) === 0 && known.via !== null
  if (id.node !== here.self && !isCurrent)
    return here.because?.('the request that did not reach node {to} does not wait any more', { to })
  here.because?.('node {to} counts as one that has the request of node {origin}, and has it not', {
    to,
    origin: id.node,
  })
  call(node, here, broadcast, null)
}

function takeBack(node: State, here: Place, to: NodeId, message: TokenMessage): void {
  const { type: _type, addressee: _addressee, sought, visited, ...carried } = message
  const token = tokenIn(carried)
  here.because?.('the token did not reach node {to}: node {self} has it again', { to })
  if (sought === null) redirect(node, here, token)
  else route(node, here, token, sought, [...visited, to])
}

/** A node that joins, or has lost its memory: it has no token, whatever `init` gave it. */
export function beginAnew(node: State, here: Place, links: readonly NodeId[]): void {
  here.because?.('node {self} knows nothing: it waits for the table of a neighbour')
  node.token = null
  node.inside = false
  node.heard = []
  node.around = { ...startAround(links), learning: true }
}

export function leave(node: State, here: Place): void {
  node.around.leaving = true
  const peers = up(node.around)
  if (peers.length > 0) here.because?.('node {self} leaves: {peers} must send it nothing any more', { peers })
  else here.because?.('node {self} leaves, and no neighbour is up to be told')
  for (const peer of peers) here.send(peer, { type: 'leaving', clock: node.clock })
  serve(node, here)
}
