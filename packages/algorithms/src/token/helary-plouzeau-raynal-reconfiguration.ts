/**
 * Section 7 of Helary, Plouzeau and Raynal (1988): channels and processes that fail and recover, channels and nodes that
 * are inserted and removed, all while requests are pending. As long as nothing changes, an entry costs what section 6 says.
 *
 * A request also tells its receivers their brothers and uncles in the spanning tree that its broadcast draws. A node
 * sends the token to its father in the tree, else to the addressee itself, an uncle, a brother, or another neighbour
 * that has sent the request: to the first whose channel is up and which the token has not visited on this way. Without
 * such an exit the node chooses another addressee. If there is none, it keeps the token. Both ends of a channel that
 * comes up send each other their pending requests with their first stamps.
 *
 * Where we differ:
 *  - Section 7.1.1 (2) says that broadcasts complete while the network stays connected. They need not: if a request to
 *    a node is lost, the node is still in `already_seen`, so no other sends it there. A node that is told of such a
 *    loss, or has the token and no exit, calls the origin, which broadcasts again. This new wave goes from every node
 *    to all its neighbours, so it finds all connected nodes, and every copy of it is an exit. A call also goes over
 *    channels that come up later, so a request that waits for a recovery is not forgotten. Without calls a token with
 *    one request and no exit would stay where it is, though the network is connected.
 *  - In the paper a handler that chooses another addressee by `transmit_token` dates its own entry of `lud`. Its own
 *    pending request then counts as satisfied and is lost. Here only an owner dates its entry, and the handler's own
 *    request is among those it chooses from.
 *  - The request without an exit is the oldest and would be chosen again at once. The token carries the requests given
 *    up since the last entry, and the nodes visited on its way, so that detours end.
 *  - "Only a new request erases the spanning tree" (7.1.1) is false for section 4.3. Here a node forgets the way only
 *    when the token shows that the request is satisfied.
 *  - A node that joins, or has lost its memory, waits for the first table before it asks, and sets its clock from it. A
 *    handler sets its clock from the token too. So the neighbours of a node know when it last sent the token away, and
 *    it cannot come back with a stamp that looks satisfied.
 *  - A node that is removed tells its neighbours to send it nothing any more, sends the token away if it has it, and
 *    passes on what still arrives (7.2 asks for such a shutdown of channels and nodes).
 *  - A token lost in a crash is not made anew here: see `helary-plouzeau-raynal-regeneration`. This algorithm survives
 *    a crash if the node does not have the token, or restarts with its memory.
 */
import type { Algorithm, NodeId } from '@turnwise/core/algorithm'
import type { Setup } from '@turnwise/core/setup'
import { helaryPlouzeauRaynal } from './helary-plouzeau-raynal.ts'
import {
  ask,
  call,
  receiveRequest,
  receiveToken,
  startAround,
  transmitToken,
} from './helary-plouzeau-raynal-section-7.ts'
import {
  beginAnew,
  leave,
  linked,
  receiveLeaving,
  receiveTable,
  restore,
  suspect,
  undelivered,
  unlinked,
} from './helary-plouzeau-raynal-section-7-channels.ts'
import { type Message, SHAPES, type State } from './helary-plouzeau-raynal-section-7-state.ts'

const { facts } = helaryPlouzeauRaynal

export const helaryPlouzeauRaynalReconfiguration: Algorithm<State, Message> = {
  facts: {
    ...facts,
    name: 'helary-plouzeau-raynal-reconfiguration',
    title: 'Helary-Plouzeau-Raynal, reconfiguration',
    idea:
      'Helary, Plouzeau and Raynal where channels and nodes fail, recover, come and go. A request tells its ' +
      'receivers other ways for the token, and requests lost with a channel are broadcast again.',
    sources: ['helary-plouzeau-raynal-1988 §7'],
    // If the network is connected in the end.
    faults: [...facts.faults, 'add', 'remove', 'link', 'unlink'],
  },
  options: {},
  shapes: SHAPES,
  tokens: {
    held: ({ token }) => (token === null ? 0 : 1),
    carried: ({ type }) => (type === 'token' ? 1 : 0),
  },

  init: (self, setup) => ({
    ...helaryPlouzeauRaynal.init(self, setup),
    around: startAround(linksAtFirst(self, setup)),
  }),
  request: ask,
  release(node, here) {
    if (!node.inside) return here.because?.('node {self} came back, and has no token to give')
    node.inside = false
    transmitToken(node, here)
  },
  receive: {
    request: receiveRequest,
    token: receiveToken,
    call: (node, here, { broadcast }, from) => call(node, here, broadcast, from),
    table: receiveTable,
    leaving: (node, here, { clock }, from) => receiveLeaving(node, here, clock, from),
  },

  linked,
  unlinked,
  suspect,
  restore,
  undelivered,
  restart(node, here, memory) {
    if (!memory) beginAnew(node, here, linksAtFirst(here.self, here.setup))
  },
  join: (node, here) => beginAnew(node, here, []),
  leave,
}

function linksAtFirst(self: NodeId, { topology, absent }: Setup): readonly NodeId[] {
  return absent.includes(self) ? [] : topology.neighbours(self).filter((peer) => !absent.includes(peer))
}
