/**
 * Ricart and Agrawala, "An optimal algorithm for mutual exclusion in computer networks", CACM 24(1), 1981,
 * section 7: what the algorithm of sections 2 to 5 needs in a network in which nodes come, go and fail.
 *
 * The request rules are those of `ricart-agrawala`, over sets of names instead of 1 to N (7.1). Nodes are inserted
 * through a sponsor or by a broadcast, and leave with acknowledgement (`ricart-agrawala-insertion`). A node that gets
 * no answer probes, and erases silent nodes (`ricart-agrawala-failure`). A node that runs again after a failure, or is
 * told that it counts as failed, says so, rests, and is inserted anew.
 *
 * Why it is safe: of two participants at least one is on the list of the other before either may ask, and a later node
 * chooses a number above all open ones (7.2.3). The rest is the argument of `ricart-agrawala`. Why nobody starves: no
 * node waits for ever for a node that is gone, and numbers grow.
 *
 * Assumes a bound on delays that the time-outs exceed, and that no probe or its answer is lost; any other message may
 * be. A split of the network, or a false suspicion, can let two nodes in; the facts do not claim otherwise.
 *
 * A new node that only listens (7.2.3, ways 2, 3 and 5: `learn` one-from-each, growth, fourth) learns nothing while no
 * other node asks. If it asks itself then, it waits until one does: `check --joins 1 --set learn=growth` finds this as a
 * deadlock. It lies in those ways. The default, to ask, has none.
 *
 * Costs, in a group of N: 2(N-1) an entry; an insertion through a sponsor 4N-1, and 2N to ask for the numbers; a
 * removal 2(N-1); a failure that one node finds, a probe and N-2 notices.
 *
 * Where we differ, beside what the two engines say:
 *  - REPLY carries the number of its request: with probes a request may get two replies, and the second must not count
 *    for the next request.
 *  - A sponsor that waits, or is inside for its own caller, introduces new nodes as it leaves, without asking again.
 *    Each entry has its own number, so that fences rise.
 */
import type { Algorithm, NodeId } from '@turnwise/core/algorithm'
import { exactly, type Prediction } from '@turnwise/core/facts'
import type { Setup } from '@turnwise/core/setup'
import { timestampFence } from '@turnwise/core/timestamp'
import { comesFirst } from './priority.ts'
import { answered, close, erase, isAlive, pose, rest, suspectOrConvict } from './ricart-agrawala-failure.ts'
import * as insertion from './ricart-agrawala-insertion.ts'
import {
  type Message,
  type Options,
  options,
  PATIENT,
  type Place,
  participates,
  type State,
  shapes,
} from './ricart-agrawala-membership-state.ts'

export type { Message, Options, State } from './ricart-agrawala-membership-state.ts'

export const ricartAgrawalaMembership: Algorithm<State, Message, Options> = {
  facts: {
    name: 'ricart-agrawala-membership',
    title: 'Ricart-Agrawala with insertion, removal and failure',
    year: 1981,
    family: 'permission',
    idea:
      'To enter, ask everyone on your list and wait for all replies, as in Ricart-Agrawala. A sponsor that is ' +
      'alone inside puts new nodes on all lists. Departing nodes take themselves off. The others take off a node ' +
      'that answers neither a request nor a probe in time.',
    sources: ['ricart-agrawala-1981 §7'],
    entries: 1,
    sharedMode: false,
    channels: 'unordered',
    topology: 'complete',
    knows: 'everyone',
    quorums: false,
    messages: {
      formula: '2(n-1)',
      light: (setup) => unlessImpatient(setup, exactly(2 * (setup.nodes - 1))),
      heavy: (setup) => unlessImpatient(setup, exactly(2 * (setup.nodes - 1))),
    },
    syncDelay: {
      formula: '1',
      hops: ({ options }) => ({ min: 1, max: options.wait < PATIENT ? Number.POSITIVE_INFINITY : 1 }),
    },
    faults: ['crash', 'restart', 'add', 'remove'],
    fallsSilent: true,
    timing: 'bounded',
    timers: { answer: 'time-out', probe: 'time-out', rest: 'time-out', learn: 'time-out' },
  },
  options,
  shapes,

  init(self, { nodes, inside, absent }) {
    const isAbsent = absent.includes(self)
    const others = Array.from({ length: nodes }, (_, node) => node).filter((node) => node !== self)
    return {
      standing: isAbsent ? 'outside' : 'member',
      names: isAbsent ? [] : others.filter((node) => !absent.includes(node)),
      highest: 0,
      ours: inside.includes(self) ? 0 : null,
      wants: false,
      inside: inside.includes(self),
      deferred: [],
      question: null,
      awaiting: [],
      silent: null,
      sponsoring: [],
      introducing: [],
      listed: true,
      gone: [],
      learning: null,
      departs: false,
    }
  },

  request(node, here) {
    node.wants = true
    if (!mayAsk(node))
      here.because?.('node {self} cannot ask yet: it is no member, or has another question open')
    advance(node, here)
  },

  release(node, here) {
    node.inside = false
    // It failed inside and is back: it no longer holds the section.
    if (node.ours === null) {
      here.because?.('node {self} has failed inside, and holds the section no more')
      return advance(node, here)
    }
    insertion.introduce(node, here)
    advance(node, here)
  },

  timeout(node, here, timer) {
    if (timer === 'rest') insertion.includeMe(node, here)
    else if (timer === 'learn') insertion.askNearby(node, here)
    else suspectOrConvict(node, here, timer === 'answer' ? 'answer' : 'probe')
    advance(node, here)
  },

  /** Without memory its state is that of a participant that no other node knows any more. */
  restart(node, here, memory) {
    if (!memory) Object.assign(node, { wants: false, inside: false })
    rest(node, here)
  },

  join(node, here, sponsor) {
    insertion.join(node, here, sponsor)
    advance(node, here)
  },

  leave(node, here) {
    if (node.standing === 'joining' || node.ours !== null) {
      here.because?.('node {self} cannot leave yet: it is about to join, or has a request open')
      node.departs = true
    } else insertion.depart(node, here)
    advance(node, here)
  },

  receive: {
    request(node, here, { number }, from) {
      consider(node, here, number, from)
    },

    'are-you-there'(node, here, { number }, from) {
      if (consider(node, here, number, from) === 'deferred') here.send(from, { type: 'yes-i-am-here' })
    },

    reply(node, here, { number }, from) {
      if (node.question !== 'request' || number !== node.ours) return
      answered(node, here, from)
      advance(node, here)
    },

    'yes-i-am-here'(node, here, _yes, from) {
      isAlive(node, here, from)
    },

    failed(node, here, { node: peer }) {
      here.because?.('node {peer} has failed: node {self} expects nothing of it, and owes it nothing', {
        peer,
      })
      erase(node, peer)
      advance(node, here)
    },

    rejoin(node, here, { number }, from) {
      if (node.question !== 'request' || number !== node.ours) return
      here.because?.('node {self} is no longer on the list of node {from}, and has to join anew', { from })
      rest(node, here)
    },

    join(node, here, _join, from) {
      insertion.sponsor(node, here, from)
      advance(node, here)
    },

    insert(node, here, { number, nodes }, from) {
      here.because?.('node {from} may go on when all others know the new {nodes}', { from, nodes })
      insertion.insert(node, here, nodes)
      here.send(from, { type: 'ack', number })
    },

    welcome(node, here, { number, names: list }, from) {
      insertion.welcome(node, here, list, from)
      here.send(from, { type: 'ack', number })
    },

    include(node, here, { back }, from) {
      insertion.include(node, here, from, back)
    },

    highest(node, here, { number, names: list }, from) {
      here.because?.('node {from} knows of no number above {number}', { from, number })
      node.highest = Math.max(node.highest, number)
      insertion.hearHighest(node, here, list, from)
      advance(node, here)
    },

    leave(node, here, { number }, from) {
      node.highest = Math.max(node.highest, number)
      insertion.hearDeparture(node, here, from)
      advance(node, here)
    },

    ack(node, here, { number }, from) {
      if (node.question !== (number === null ? 'leave' : 'insert') || number !== node.ours) return
      answered(node, here, from)
      advance(node, here)
    },
  },
}

/** A request, new or repeated: reply, unless we come first. A node on no list must not rely on our reply. */
function consider(node: State, here: Place, number: number, from: NodeId): 'deferred' | 'answered' {
  node.highest = Math.max(node.highest, number)
  if (participates(node) && !node.names.includes(from)) {
    here.because?.('node {from} is not on the list of node {self}: it must not rely on its reply', { from })
    here.send(from, { type: 'rejoin', number })
    return 'answered'
  }
  const isDeferred = comesFirst(node.ours, here, { time: number, node: from })
  if (isDeferred) defer(node, number, from)
  else here.send(from, { type: 'reply', number })
  insertion.noteNumber(node, number, from)
  advance(node, here)
  return isDeferred ? 'deferred' : 'answered'
}

/** A probe of an earlier request may come late. Only the latest request waits. */
function defer(node: State, number: number, from: NodeId): void {
  const known = node.deferred.find(({ node: waiting }) => waiting === from)
  const others = node.deferred.filter((deferral) => deferral !== known)
  const latest = { node: from, number: Math.max(number, known?.number ?? number) }
  node.deferred = [...others, latest].toSorted((a, b) => a.node - b.node)
}

/** Goes on as far as answers allow: settles an answered question, then does what is wanted next. */
function advance(node: State, here: Place): void {
  if (node.question !== null && node.awaiting.length === 0 && node.listed) conclude(node, here)
  if (insertion.hasSeenEnough(node, here)) become(node, here)
  if (!mayAsk(node)) return
  if (node.wants || node.sponsoring.length > 0) ask(node, here)
  else if (node.departs) {
    insertion.depart(node, here)
    advance(node, here)
  }
}

/** A member asks one thing at a time. */
function mayAsk({ question, inside, ours, standing }: State): boolean {
  return question === null && !inside && ours === null && standing === 'member'
}

function conclude(node: State, here: Place): void {
  const { question } = node
  close(node, here)
  switch (question) {
    case 'request':
      if (node.wants) return enter(node, here)
      insertion.introduce(node, here)
      return advance(node, here)
    case 'insert':
      return leaveSection(node, here)
    case 'include':
      return become(node, here)
    case 'join':
      here.because?.('the sponsor of node {self} has gone')
      return insertion.includeMe(node, here)
    case 'leave':
      return here.because?.('nobody expects anything of node {self} any more: it has left')
  }
}

/** The highest number is high enough. A timer that ran on would take the place of a later question. */
function become(node: State, here: Place): void {
  here.because?.('node {self} has seen numbers high enough to ask: it is a member')
  node.standing = 'member'
  node.gone = []
  node.learning = null
  here.cancelTimer('learn')
}

function ask(node: State, here: Place): void {
  node.ours = node.highest + 1
  node.highest = node.ours
  here.because?.('node {self} takes number {number}, above all it has seen, and asks all on its list', {
    number: node.ours,
  })
  pose(node, here, 'request', node.names)
  advance(node, here)
}

/** Of two entries the first has the smaller (number, node), so the pair is a fence. */
function enter(node: State, here: Place): void {
  here.because?.('all on the list of node {self} have replied: none of them comes before it')
  node.wants = false
  node.inside = true
  here.enter(timestampFence({ time: node.ours as number, node: here.self }, here.setup.nodes))
}

function leaveSection(node: State, here: Place): void {
  node.ours = null
  node.introducing = []
  const deferred = node.deferred.map(({ node: waiting }) => waiting)
  if (deferred.length === 0) here.because?.('node {self} has left the section, and owes nobody a reply')
  else here.because?.('node {self} has left the section: it owes {deferred} a reply', { deferred })
  for (const { node: waiting, number } of node.deferred) here.send(waiting, { type: 'reply', number })
  node.deferred = []
}

function unlessImpatient({ options }: Setup<Options>, prediction: Prediction): Prediction {
  return options.wait < PATIENT ? { min: 0, max: Number.POSITIVE_INFINITY, mean: null } : prediction
}
