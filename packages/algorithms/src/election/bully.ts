/**
 * Garcia-Molina, "Elections in a distributed computing system", IEEE Transactions on Computers 31(1), 1982; here
 * after Kessler 2024 (the bully algorithm).
 *
 * A process that misses the coordinator sends an election message to all with a higher number. A process that is asked
 * answers, and asks those above itself. A process that hears no answer in time is the highest one alive, and announces
 * itself to all below. A process that hears an answer waits for the announcement, and begins again if it does not come.
 *
 * Why there is one coordinator: only a process whose higher ones are all silent announces itself, and a living one
 * answers before the time is up. Why it ends: the highest living process waits for no living process.
 *
 * Assumes that a message and its answer take less than the time-out, that all know all numbers, and that only crashes
 * lose messages. With the highest process dead, the second highest needs 1 election message and n-2 announcements; if
 * the lowest calls the election, all do, with n^2-n-1 messages. If the highest process is alive after all, it is n^2-1
 * with equal delays, and up to 2^n+n-3 if it announces itself so early that elections begin anew.
 *
 * Where we differ:
 *  - The lecture never turns the state back to ELECTION-OFF, and does not say what an announcement does. Here it ends
 *    the election of every process that hears it. Otherwise the highest one alive would answer later, and begin no election.
 *  - The announcement goes to the lower processes only: the higher ones were silent, hence dead. That makes n-2
 *    messages, as the lecture counts, although it says all processes. Its best case forgets the election message to the
 *    dead coordinator.
 *  - The coordinator answers a process that asks, instead of announcing itself to all once more.
 *  - A coordinator that the failure detector names is replaced, even if its announcement comes after that news. A process
 *    that was down calls an election when it is back, and so does a process that hears the announcement of a lower one.
 *    Until its own announcement arrives there are two coordinators, so we do not claim that it survives a restart.
 */
import type { Election, NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import type { Prediction } from '@turnwise/core/facts'
import type { Setup } from '@turnwise/core/setup'
import {
  ask,
  BULLY_OPTIONS,
  BULLY_SHAPES,
  type BullyMessage,
  type BullyOptions,
  bullyReceive,
  type Candidate,
  start,
  suspect,
  timeout,
} from './bully-rules.ts'

export const bully: Election<Candidate, BullyMessage, BullyOptions> = {
  facts: {
    name: 'bully',
    title: 'Bully algorithm (Garcia-Molina)',
    year: 1982,
    family: 'election',
    idea:
      'Ask all processes with a higher number whether they are alive. If none answers in time, you are the ' +
      'coordinator, and tell all lower ones. Otherwise one of them takes over and asks in its turn.',
    sources: ['kessler-2024'],
    channels: 'unordered',
    topology: 'complete',
    knows: 'everyone',
    quorums: false,
    messages: { formula: 'n-1 to n^2-n-1; up to 2^n+n-3 if the highest lives', one: ofOne, all: ofAll },
    faults: ['crash'],
    timing: 'bounded',
    timers: { answer: 'time-out', announcement: 'time-out' },
  },
  options: BULLY_OPTIONS,
  shapes: BULLY_SHAPES,

  init() {
    return { election: 'off', coordinator: null, down: [] }
  },

  elect(node, here) {
    if (node.election === 'off') start(node, here)
  },

  suspect,

  restore(node, here, peer) {
    here.because?.('node {peer} is back, and calls an election itself', { peer })
    node.down = node.down.filter((other) => other !== peer)
  },

  // Even the highest waits before it announces itself, so that all failure detectors have seen that it is back.
  restart(node, here) {
    here.because?.('node {self} was down, and does not know who was elected meanwhile')
    node.coordinator = null
    ask(node, here)
  },

  timeout,

  receive: {
    election: (node, here, _election, from) => bullyReceive.election(node, here, from),
    answer: (node, here) => bullyReceive.answer(node, here),
    coordinator: (node, here, _coordinator, from) => bullyReceive.coordinator(node, here, from),
  },
}

function livingOf({ nodes, dead }: Setup): NodeId[] {
  return Array.from({ length: nodes }, (_, node) => node).filter((node) => !dead.includes(node))
}

/**
 * The cost of an election that `initiator` calls, if the highest process is dead. Every living process from there on
 * asks all above and hears from the living ones. The last announces itself to all below.
 */
function costOf(initiator: NodeId, { nodes, dead }: Setup): number {
  const taking = livingOf({ nodes, dead } as Setup).filter((node) => node >= initiator)
  const elections = taking.reduce((sum, node) => sum + nodes - 1 - node, 0)
  const answers = (taking.length * (taking.length - 1)) / 2
  return elections + answers + get(taking, taking.length - 1)
}

/**
 * The highest cost if the highest process is alive. It announces itself once, at the first election message or call, and
 * answers all later askers. So an election can be over at a process before the election message of another arrives, and
 * begin once more. Each process begins as often as all lower ones together, and once more if it calls an election itself.
 */
function mostWithHighest(setup: Setup, callers: 'one' | 'all'): number {
  const { nodes } = setup
  const others = livingOf(setup).slice(0, -1)
  return others.reduce((sum, node, place) => {
    const begun = callers === 'all' ? 2 ** place : 2 ** Math.max(0, place - 1)
    // Every higher process is asked, and the living ones reply.
    return sum + begun * (nodes - 1 - node + others.length - place)
  }, nodes - 1)
}

function ofOne(setup: Setup): Prediction {
  const living = livingOf(setup)
  const costs = living.map((initiator) => costOf(initiator, setup))
  const min = get(costs, costs.length - 1)
  if (living.includes(setup.nodes - 1)) return { min, max: mostWithHighest(setup, 'one'), mean: null }
  return { min, max: get(costs, 0), mean: costs.reduce((sum, cost) => sum + cost, 0) / costs.length }
}

function ofAll(setup: Setup): Prediction {
  const one = ofOne(setup)
  if (one.mean !== null) return { min: one.max, max: one.max, mean: one.max }
  // Every process asks all above it at least once, as if the lowest had called the election.
  return { min: costOf(get(livingOf(setup), 0), setup), max: mostWithHighest(setup, 'all'), mean: null }
}
