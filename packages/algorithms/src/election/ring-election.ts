/**
 * Chang and Roberts, "An improved algorithm for decentralized extrema-finding in circular configurations of
 * processes", CACM 22(5), 1979; here after Kessler 2024 (the ring-based algorithm) and its exercise.
 *
 * The processes form a logical ring. A process that misses the coordinator sends its number round. A process passes on
 * a number above its own, and replaces a lower one by its own. A process that receives its own number is the highest.
 * Then the winner's number goes round once more, as announcement.
 *
 * Why there is one coordinator: a number comes home only if every process let it pass. Why it ends: no process stops
 * the highest living number, and after a crash the numbers that may have been lost are sent again.
 *
 * Assumes channels on which only crashes lose messages, and a failure detector. A process knows its successor and the
 * one after that, so it can bypass a crashed successor. Two neighbours that crash before the ring is repaired break it.
 * With n processes alive, a call from m places before the highest costs m + 2n messages: 2n + (n-1)/2 on average,
 * 3n - 1 at worst, which the lecture rounds to 2n + n/2. A crash costs three more to repair the ring (ring.ts).
 *
 * Where we differ:
 *  - A process that takes part drops numbers below its own. In the lecture it does not, and every call makes the
 *    highest announce itself once more. The flag is Chang and Roberts' own.
 *  - The number of a crashed process would go round for ever. A process that knows of the crash drops it. A process
 *    that takes part when it hears of a crash sends its best number again.
 *  - A process that has heard an announcement sends it again over a new link, since the crash may have lost it.
 */
import type { Election, Here, NodeId } from '@turnwise/core/algorithm'
import type { Prediction } from '@turnwise/core/facts'
import type { Setup } from '@turnwise/core/setup'
import { mend, RING_SHAPES, type Ring, type RingMessage, ringAround, ringReceive } from './ring.ts'
import { type Circle, type Contender, propose as sendRound, weigh } from './ring-election-rules.ts'

export type Message =
  | { readonly type: 'election'; readonly id: NodeId }
  | { readonly type: 'coordinator'; readonly id: NodeId }
  | RingMessage

export interface State extends Contender {
  ring: Ring
  coordinator: NodeId | null
}

export const ringElection: Election<State, Message> = {
  facts: {
    name: 'ring-election',
    title: 'Ring election (Chang and Roberts)',
    year: 1979,
    family: 'election',
    idea:
      'Numbers go round a ring. A process lets higher ones pass and replaces lower ones by its own. A process ' +
      'that gets its own number back is the highest, and announces that in a second round.',
    sources: ['kessler-2024'],
    channels: 'fifo',
    topology: 'complete',
    knows: 'neighbours',
    quorums: false,
    messages: { formula: '2n to 3n-1, n alive', one: ofOne, all: ofAll },
    faults: ['crash', 'spike', 'pause'],
    timing: 'any',
    timers: {},
  },
  options: {},
  shapes: {
    state: { ring: RING_SHAPES.state, best: 'node', coordinator: 'node' },
    messages: { election: { id: 'node' }, coordinator: { id: 'node' }, ...RING_SHAPES.messages },
  },

  init(self, setup) {
    return { ring: ringAround(self, setup), best: null, coordinator: null }
  },

  elect(node, here) {
    if (node.best === null) propose(node, here, here.self)
  },

  suspect(node, here, peer) {
    node.ring.down = [...node.ring.down, peer].toSorted((a, b) => a - b)
    mended(node, here)
    sayWhatIsLost(node, here, peer)
    if (node.coordinator === peer) node.coordinator = null
    else if (node.best === null) return
    // Its number may have been lost with the dead process. The number of a dead process can no longer win.
    propose(node, here, node.best === null || node.best === peer ? here.self : node.best)
  },

  receive: {
    election(node, here, { id }) {
      if (node.ring.down.includes(id))
        here.because?.('node {id} has failed, so its number goes no further', { id })
      else if (id < here.self && node.best === null)
        here.because?.('number {id} is below {self}, so node {self} replaces it', { id })
      else if (id < here.self)
        here.because?.('number {id} is below {self}, and node {self} takes part already', { id })
      weigh(node, circle(node, here), id)
    },

    coordinator(node, here, { id }) {
      if (id === here.self) return here.because?.('the announcement of node {self} has gone round')
      if (node.ring.down.includes(id))
        return here.because?.('node {id} has failed since it announced itself', { id })
      here.because?.('every node has let number {id} pass, so node {id} is coordinator', { id })
      accept(node, here, id)
    },

    predecessor(node, here, message, from) {
      ringReceive.predecessor(node.ring, here, message, from)
    },

    successor(node, here, message, from) {
      ringReceive.successor(node.ring, here, message, from)
      mended(node, here)
    },
  },
}

export function propose(node: State, here: Here<Message>, id: NodeId): void {
  sendRound(node, circle(node, here), id)
}

function circle(node: State, here: Here<Message>): Circle {
  return {
    self: here.self,
    next: node.ring.next,
    down: node.ring.down,
    pass(id) {
      if (id === here.self)
        here.because?.('node {self} knows of nobody higher, and sends its own number round')
      else here.because?.('number {id} is above {self}, so node {self} lets it pass', { id })
      here.send(node.ring.next, { type: 'election', id })
    },
    home() {
      if (node.ring.next === here.self) here.because?.('node {self} has no rival left')
      else here.because?.('the number of node {self} is back: nobody that it passed is higher')
      announce(node, here)
    },
  }
}

/** What the crash of a process means to an election, or calls one. */
function sayWhatIsLost({ best, coordinator }: State, here: Here<Message>, peer: NodeId): void {
  if (coordinator === peer) here.because?.('the coordinator, node {peer}, has failed', { peer })
  else if (best === null)
    here.because?.('node {peer} was not the coordinator, and node {self} takes part in no election', { peer })
  else if (best === peer) here.because?.('number {peer} was the best, but node {peer} has failed', { peer })
  else here.because?.('number {best} may have been lost with node {peer}', { best, peer })
}

/** Its own number is back. */
export function announce(node: State, here: Here<Message>): void {
  accept(node, here, here.self)
}

export function accept(node: State, here: Here<Message>, coordinator: NodeId): void {
  node.best = null
  node.coordinator = coordinator
  here.elected(coordinator)
  if (node.ring.next === here.self) return here.because?.('nobody comes after node {self} who has to know')
  here.send(node.ring.next, { type: 'coordinator', id: coordinator })
}

/** Sends again over a new link what the crash may have lost. Processes that hear of the crash send their numbers. */
function mended(node: State, here: Here<Message>): void {
  const { coordinator } = node
  if (!mend(node.ring, here) || coordinator === null) return
  if (node.ring.down.includes(coordinator) || node.ring.next === here.self) return
  here.because?.('the announcement of node {coordinator} may have been lost, so it goes out again', {
    coordinator,
  })
  here.send(node.ring.next, { type: 'coordinator', id: coordinator })
}

/** Repairing the ring after a crash costs three messages. */
function mending({ nodes, dead }: Setup): number {
  return dead.length === 0 || nodes - dead.length === 1 ? 0 : 3 * dead.length
}

function ofOne(setup: Setup): Prediction {
  const alive = setup.nodes - setup.dead.length
  if (alive === 1) return { min: 0, max: 0, mean: 0 }
  const mended = mending(setup)
  return { min: 2 * alive, max: 3 * alive - 1 + mended, mean: 2 * alive + (alive - 1) / 2 + mended }
}

/** Numbers go round until they meet a higher one. In the worst case the ring is in falling order: n(n+1)/2 messages. */
function ofAll(setup: Setup): Prediction {
  const alive = setup.nodes - setup.dead.length
  if (alive === 1) return { min: 0, max: 0, mean: 0 }
  return { min: 3 * alive - 1, max: (alive * (alive + 1)) / 2 + alive + mending(setup), mean: null }
}
