/**
 * Sanders, "The information structure of distributed mutual exclusion algorithms", ACM TOCS 5(3), 1987.
 *
 * One algorithm for many. Node i asks the nodes in its request set R_i for permission and, when it has left, tells
 * those in its inform set I_i. A node grants to one at a time of the nodes that will tell it (its status set), and
 * forgets a grant to any other at once. The central coordinator, Ricart-Agrawala and Maekawa are three choices of these
 * sets. There are others: Figure 2 favours two nodes that ask often.
 *
 * Exclusion: if every node tells itself, I_i is a subset of R_i, and for every two nodes either their inform sets meet
 * or each asks the other (section 4). In the first case the common node grants to one of the two. In the second, the
 * node with the larger timestamp grants at once and the other when it has left. Other structures run too, and you can
 * see them fail. Nobody starves, because the smallest timestamp goes first.
 *
 * Costs |I_i - {i}| + 2 |R_i - {i}| messages without competition. FAIL, INQUIRE, YIELD and a second GRANT are added at
 * each arbiter in competition (section 6). `deadlock=needed` leaves out those that the structure does not need, so that
 * the central coordinator and Ricart-Agrawala cost what they should.
 *
 * Where we differ: the repairs of `arbiter.ts` to the rules of section 5. A node grants to itself last, when all others
 * have granted (`own=last`). Section 5 proposes that only for Ricart-Agrawala's structure. But the proof of section 4
 * always lets a waiting node grant to a smaller timestamp at once, and a node that granted to itself first does not. A
 * GRANT carries the arbiter's clock, as section 3.1 requires of every message. Otherwise a node that no other asks
 * falls behind. The base version of section 3.2, which deadlocks, is a broken variant.
 *
 * Assumes reliable channels between every two nodes; with tagged messages they need not keep order.
 */
import type { Algorithm, NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import type { Setup } from '@turnwise/core/setup'
import { type HoldAndWait, holdAndWait } from '@turnwise/core/structure/hold-and-wait'
import type { Structure } from '@turnwise/core/structure/structure'
import { messageBounds, syncDelay } from '@turnwise/core/structure/structure-cost'
import { arbiterRules } from './arbiter.ts'
import { settled } from './arbiter-settled.ts'
import {
  ARBITER_SHAPES,
  type ArbiterMessage,
  type ArbiterState,
  type QuorumSystem,
  type Relation,
} from './arbiter-state.ts'

export interface SandersOptions {
  own: 'first' | 'last'
  deadlock: 'always' | 'needed'
}

export const requestSets: QuorumSystem<SandersOptions> = {
  called: 'request set',
  of: (setup, requester) => get(structureOf(setup).request, requester),
  enough: (_setup, granted, _node, asked) => granted.length === asked.length,
}

export const relation: Relation<SandersOptions> = {
  tells: (setup, requester) => get(structureOf(setup).inform, requester),
  remembers: (setup, arbiter, requester) => get(structureOf(setup).inform, requester).includes(arbiter),
  ownGrant: ({ own }) => own,
  withGrant: ({ clock }) => ({ clock }),
  withRequest: () => ({}),
  failHelps: (setup, requester) =>
    setup.options.deadlock === 'always' || waits(setup).anywhere(requester, setup.options.own),
  inquireHelps: (setup, arbiter, holder) =>
    setup.options.deadlock === 'always' || waits(setup).at(arbiter, holder),
}

export const sanders: Algorithm<ArbiterState, ArbiterMessage, SandersOptions> = {
  facts: {
    name: 'sanders',
    title: 'Sanders',
    year: 1987,
    family: 'quorum',
    idea:
      'Any information structure: which nodes a node asks before it enters, and which it tells when it has left. ' +
      'The central coordinator, Ricart-Agrawala and Maekawa are special cases. Rivals that hold part of their ' +
      'grants give them back to the one that asked first.',
    sources: ['sanders-1987 §3', 'sanders-1987 §5', 'velazquez-1993 §5'],
    entries: 1,
    sharedMode: false,
    channels: 'unordered',
    topology: 'complete',
    knows: 'quorum',
    quorums: false,
    structure: true,
    messages: {
      formula: '|I| + 2|R|, and at most 4|R| more, without the node itself',
      letters(setup) {
        const { inform, request } = structureOf(setup)
        return { '|I|': othersIn(inform), '|R|': othersIn(request) }
      },
      light(setup) {
        const least = messageBounds(structureOf(setup)).map((bounds) => bounds.least)
        return { min: smallest(least), max: largest(least), mean: sum(least) / setup.nodes }
      },
      heavy(setup) {
        const bounds = messageBounds(structureOf(setup))
        return {
          min: smallest(bounds.map(({ least }) => least)),
          max: largest(bounds.map(({ most }) => most)),
          mean: null,
        }
      },
    },
    syncDelay: { formula: '1 to 2', hops: (setup) => ({ min: 1, max: longestDelay(structureOf(setup)) }) },
    faults: ['spike', 'pause'],
    fallsSilent: true,
    timing: 'any',
    timers: {},
  },
  options: {
    own: {
      kind: 'choice',
      default: 'last',
      choices: ['first', 'last'],
      title: 'Own grant comes',
      about: 'whether a node grants to itself at once, or when all others have',
    },
    deadlock: {
      kind: 'choice',
      default: 'always',
      choices: ['always', 'needed'],
      title: 'Guard against deadlock',
      about: 'whether FAIL and INQUIRE are sent always, or only where the structure can deadlock without',
    },
  },
  shapes: {
    ...ARBITER_SHAPES,
    messages: {
      ...ARBITER_SHAPES.messages,
      grant: { ...ARBITER_SHAPES.messages.grant, clock: { clock: 'time' } },
    },
  },
  ...arbiterRules<SandersOptions>(() => 'all', requestSets, relation),
  settled,
}

/** How many members the sets have, each without its node. */
function othersIn(sets: readonly (readonly NodeId[])[]): { min: number; max: number } {
  const sizes = sets.map((members, node) => members.filter((member) => member !== node).length)
  return { min: smallest(sizes), max: largest(sizes) }
}

function structureOf({ structure, nodes }: Setup): Structure {
  return structure ?? { nodes, inform: [], request: [] }
}

/** Structures do not change, so we derive their properties once. */
const known = new WeakMap<Structure, HoldAndWait>()

function waits(setup: Setup<SandersOptions>): HoldAndWait {
  const structure = structureOf(setup)
  const found = known.get(structure) ?? holdAndWait(structure)
  known.set(structure, found)
  return found
}

function longestDelay(structure: Structure): 1 | 2 {
  const nodes = [...structure.request.keys()]
  const isTwo = (next: NodeId) => nodes.some((left) => syncDelay(structure, next, left) === 2)
  return nodes.some(isTwo) ? 2 : 1
}

function smallest(values: readonly number[]): number {
  return values.reduce((a, b) => Math.min(a, b))
}

function largest(values: readonly number[]): number {
  return values.reduce((a, b) => Math.max(a, b))
}

function sum(values: readonly number[]): number {
  return values.reduce((a, b) => a + b)
}
