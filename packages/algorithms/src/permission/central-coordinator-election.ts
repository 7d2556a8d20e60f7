/**
 * The central coordinator with an election: Kessler 2024 (central coordinator algorithm; election), the election after
 * Garcia-Molina 1982, the bully algorithm, whose rules stand in election/bully-rules.ts.
 *
 * The coordinator grants one request at a time, in the order in which they come. It is elected: at the start the
 * highest process announces itself, and when the coordinator crashes all others call an election. The winner does not
 * know who is inside and who waits. So each process answers the announcement with its state, and when all have
 * answered, the winner grants. A waiting process need not ask again.
 *
 * Why it is safe: a new coordinator grants nothing before it has heard from every living process, and a process that
 * has answered it accepts no grant of an older one. Why nobody starves: the queue is first come, first served, and a
 * winner queues all waiting processes. If it dies before it has announced itself, the next highest times out.
 *
 * Assumes ordered channels on which only crashes lose messages, and a failure detector that names every crashed process and
 * no other. In a partition both sides would have a coordinator. An entry costs 3 messages, none for the coordinator. The
 * start costs 2(n-1), less one for each process that asks before it knows the coordinator. When the coordinator crashes,
 * all n-1 living processes call an election, the bully's worst case: n^2-n-1 messages, and n-2 to report their states.
 *
 * Where we differ:
 *  - The announcement asks for the states of the others. The lecture leaves open how a new coordinator learns them.
 *  - A time-out counts only if the failure detector has named all higher processes. Otherwise one of them will speak or
 *    be named, and the timer starts anew. So no bound on delays is needed: a short time-out makes no process
 *    coordinator. The bully as it is taught needs such a bound: see `central-coordinator-election-hasty`.
 *  - Hence an announcement proves that all processes above its sender are dead. A process calls no election before it
 *    hears that its coordinator is dead: a process that asks it has only heard of the crash earlier.
 *  - There are no terms. No process comes back, so coordinators have lower and lower numbers, and the sender of a grant
 *    serves as its term. Each coordinator has fences of its own, above those of the one before, whose last fence may
 *    have died with it.
 */
import type { Algorithm, Here, NodeId } from '@turnwise/core/algorithm'
import { sendingThrough } from '@turnwise/core/extension'
import { exactly, type Prediction } from '@turnwise/core/facts'
import type { Setup } from '@turnwise/core/setup'
import {
  BULLY_OPTIONS,
  BULLY_SHAPES,
  type BullyMessage,
  type BullyOptions,
  bullyReceive,
  type Candidate,
  type Poll,
  start,
  suspect,
  timeout,
} from '../election/bully-rules.ts'

export type Message =
  | { readonly type: 'request' }
  | { readonly type: 'grant'; readonly fence: number }
  | { readonly type: 'release' }
  /** The state that the announcement of a coordinator asks for. */
  | { readonly type: 'standing'; readonly stands: Stands }
  | BullyMessage

/** More fences than one coordinator gives out. */
const FENCES_EACH = 2 ** 24

type Stands = 'out' | 'waiting' | 'inside'

/** What only the coordinator knows. */
interface Desk {
  /** Who is inside, or has been granted to be. */
  holder: NodeId | null
  /** Who waits, in the order in which the requests came. */
  queue: NodeId[]
  /** The processes that have not yet reported their state. The coordinator grants nothing until they have. */
  unheard: NodeId[]
  /** The last fence given out. */
  fence: number
}

export interface State {
  stands: Stands
  /** Its coordinator is the one that it asks and has reported its state to. */
  candidate: Candidate
  desk: Desk | null
}

export const centralCoordinatorElection: Algorithm<State, Message, BullyOptions> = {
  facts: {
    name: 'central-coordinator-election',
    title: 'Central coordinator with election',
    year: 1982,
    family: 'permission',
    idea:
      'An elected process decides who enters. When it crashes, the others elect the highest that is left. All ' +
      'report their state to it, so a process that is inside stays inside, and a waiting process goes on waiting.',
    sources: ['kessler-2024'],
    entries: 1,
    sharedMode: false,
    channels: 'fifo',
    topology: 'complete',
    knows: 'everyone',
    quorums: false,
    messages: {
      formula: '3, 0 for the coordinator; 2(n-1) once; n^2-3 a crash',
      light: perEntry,
      heavy: perEntry,
      start: { light: startOfOne, heavy: ({ nodes }) => exactly(nodes - 1) },
    },
    syncDelay: {
      formula: '2, or 1 from or to the coordinator',
      hops: ({ nodes }) => ({ min: 1, max: nodes > 2 ? 2 : 1 }),
    },
    faults: ['spike', 'pause', 'crash'],
    fallsSilent: true,
    timing: 'any',
    timers: { begin: 'pace', answer: 'round-trip', announcement: 'round-trip' },
  },
  options: BULLY_OPTIONS,
  shapes: {
    state: {
      stands: 'data',
      candidate: { fields: BULLY_SHAPES.state },
      desk: {
        fields: {
          holder: 'node',
          queue: { list: 'node' },
          unheard: { list: 'node' },
          fence: { clock: 'fence' },
        },
      },
    },
    messages: {
      request: {},
      grant: { fence: { clock: 'fence' } },
      release: {},
      standing: { stands: 'data' },
      ...BULLY_SHAPES.messages,
    },
    fence: { clock: 'fence', scaled: false },
  },

  init(self, { nodes, inside }) {
    return {
      stands: inside.includes(self) ? 'inside' : 'out',
      candidate: {
        election: self === nodes - 1 ? 'off' : 'awaits coordinator',
        coordinator: null,
        down: [],
      },
      desk: null,
    }
  },

  // The highest calls the first election. The others wait for its result, as after an answer.
  start(_node, here) {
    if (here.self === here.setup.nodes - 1) here.setTimer('begin', 0)
    else here.setTimer('announcement', here.setup.options.announcement)
  },

  request(node, here) {
    node.stands = 'waiting'
    if (node.desk !== null) {
      node.desk.queue.push(here.self)
      serve(node, here)
    } else tellCoordinator(node, here, { type: 'request' })
  },

  release(node, here) {
    node.stands = 'out'
    if (node.desk !== null) leave(node, here, here.self)
    else tellCoordinator(node, here, { type: 'release' })
  },

  timeout(node, here, timer) {
    const { candidate } = node
    const { options } = here.setup
    if (timer === 'begin') start(candidate, poll(node, here))
    else if (isHighest(node, here)) timeout(candidate, poll(node, here), timer)
    else {
      here.because?.('node {self} waits on: a node above it that is not named as dead will speak')
      here.setTimer(timer, timer === 'answer' ? options.answer : options.announcement)
    }
  },

  suspect(node, here, peer) {
    if (node.candidate.down.includes(peer)) return
    suspect(node.candidate, poll(node, here), peer)
    if (node.desk === null) return
    node.desk.queue = node.desk.queue.filter((other) => other !== peer)
    node.desk.unheard = node.desk.unheard.filter((other) => other !== peer)
    leave(node, here, peer)
  },

  receive: {
    request(node, here, _request, from) {
      // A message of a dead process may arrive after the news of its death. No process is there to take a grant.
      if (node.desk === null || node.candidate.down.includes(from)) return
      node.desk.queue.push(from)
      serve(node, here)
    },

    grant(node, here, { fence }, from) {
      // A process that has answered a newer coordinator is queued there.
      if (from !== node.candidate.coordinator) return
      here.because?.('node {from} is the coordinator of node {self}, and lets it in', { from })
      enter(node, here, fence)
    },

    release(node, here, _release, from) {
      leave(node, here, from)
    },

    election(node, here, _election, from) {
      const { coordinator } = node.candidate
      // The asker has asked the coordinator too, which is higher. If that is dead, the news will come.
      if (coordinator === null || coordinator === here.self)
        return bullyReceive.election(node.candidate, poll(node, here), from)
      here.because?.('node {self} has not heard that its coordinator, node {coordinator}, is dead', {
        coordinator,
      })
      here.send(from, { type: 'answer' })
    },

    answer: (node, here) => bullyReceive.answer(node.candidate, poll(node, here)),

    coordinator(node, here, _coordinator, from) {
      const { candidate } = node
      // An announcement of a dead process comes too late.
      if (candidate.down.includes(from)) return
      for (let higher = from + 1; higher < here.setup.nodes; higher += 1) learn(candidate, higher)
      bullyReceive.coordinator(candidate, poll(node, here), from)
    },

    standing(node, here, { stands }, from) {
      const { desk } = node
      if (desk === null || node.candidate.down.includes(from)) return
      here.because?.('node {from} is {stands}, as it reports to its new coordinator', { from, stands })
      desk.unheard = desk.unheard.filter((other) => other !== from)
      if (stands === 'inside') desk.holder = from
      // We already know a process that asks again who coordinates. Its grant may be under way.
      if (stands === 'waiting' && desk.holder !== from && !desk.queue.includes(from)) desk.queue.push(from)
      serve(node, here)
    },
  },
}

/** The election acts through this: a result opens or closes a desk. */
export function poll(node: State, here: Here<Message, BullyOptions>): Poll {
  return {
    ...sendingThrough<BullyMessage, BullyOptions>(here, (to, message) => here.send(to, message)),
    elected(coordinator) {
      here.elected(coordinator)
      node.desk = coordinator === here.self ? newDesk(node, here) : null
      if (node.desk !== null) return serve(node, here)
      here.because?.('the new coordinator, node {coordinator}, must know that node {self} is {stands}', {
        coordinator,
        stands: node.stands,
      })
      here.send(coordinator, { type: 'standing', stands: node.stands })
    },
  }
}

/** An announcement proves that all higher processes are dead, even if the failure detector has not named them here. */
function learn(candidate: Candidate, dead: NodeId): void {
  if (!candidate.down.includes(dead)) candidate.down = [...candidate.down, dead].toSorted((a, b) => a - b)
}

/** All higher processes have been named. */
function isHighest({ candidate }: State, { self, setup }: Here<Message, BullyOptions>): boolean {
  for (let higher = self + 1; higher < setup.nodes; higher += 1) {
    if (!candidate.down.includes(higher)) return false
  }
  return true
}

/** Its announcement asks all living processes for their state. They are all below. */
function newDesk({ stands, candidate }: State, { self, setup }: Here<Message, BullyOptions>): Desk {
  return {
    holder: stands === 'inside' ? self : null,
    queue: stands === 'waiting' ? [self] : [],
    unheard: Array.from({ length: self }, (_, lower) => lower).filter(
      (lower) => !candidate.down.includes(lower),
    ),
    fence: (setup.nodes - 1 - self) * FENCES_EACH,
  }
}

/** If there is no coordinator, the next one will ask. */
function tellCoordinator(
  { candidate }: State,
  here: Here<Message, BullyOptions>,
  message: Extract<Message, { type: 'request' | 'release' }>,
): void {
  const { coordinator } = candidate
  if (coordinator === null)
    return here.because?.('node {self} has no coordinator: the next one will ask it for its state')
  here.because?.('only the coordinator, node {coordinator}, lets nodes in', { coordinator })
  here.send(coordinator, message)
}

function leave(node: State, here: Here<Message, BullyOptions>, who: NodeId): void {
  const { desk } = node
  if (desk === null) return
  if (desk.holder === who) desk.holder = null
  serve(node, here)
}

/** If the section is certain to be free, the first in the queue gets it, with a fence above all before. */
export function serve(node: State, here: Here<Message, BullyOptions>): void {
  const { desk } = node
  if (desk === null) return
  if (desk.holder !== null)
    return here.because?.('node {holder} has the section: the others wait', { holder: desk.holder })
  if (desk.unheard.length > 0)
    return here.because?.('{unheard} may be inside: node {self} waits for the report before it grants', {
      unheard: desk.unheard,
    })
  const next = desk.queue.shift()
  if (next === undefined) return here.because?.('nobody waits for a grant of node {self}')
  desk.holder = next
  desk.fence += 1
  if (next === here.self) {
    here.because?.('the section is free, and the coordinator, node {self}, is first in its own queue')
    return enter(node, here, desk.fence)
  }
  here.because?.('the section is free, and node {next} is first in the queue of the coordinator', { next })
  here.send(next, { type: 'grant', fence: desk.fence })
}

export function enter(node: State, here: Here<Message, BullyOptions>, fence: number): void {
  node.stands = 'inside'
  here.enter(fence)
}

/** Every node asks equally often: n-1 of n entries cost 3. */
function perEntry({ nodes }: Setup): Prediction {
  return { min: 0, max: nodes === 1 ? 0 : 3, mean: (3 * (nodes - 1)) / nodes }
}

/**
 * n-1 announcements, n-1 answers. A process that wants to enter before it hears the announcement says so in its answer,
 * and saves a request. Under light load that is the first to ask, unless it is the coordinator; under heavy load all.
 */
function startOfOne({ nodes }: Setup): Prediction {
  return { min: nodes - 1, max: 2 * (nodes - 1), mean: 2 * (nodes - 1) - (nodes - 1) / nodes }
}
