/**
 * Arbiters for any number of nodes: what Maekawa's model and Sanders' have in common, as the texts have `quorum/arbiter.ts`.
 *
 * Messages are sets, and may overtake each other. Each names its request by its stamp. What a node tells itself happens at once, without a message. A node that
 * asks takes any number above its clock, where the text takes the next, and a grant may bring any clock. INQUIRE and FAIL are left out, and with them
 * when a node gives a grant back: it may do so at any moment before it enters. So the proof holds for every rule about who is told that it must wait, and for those
 * that deadlock too.
 *
 * The invariant follows one request of i at its arbiter j. It is under way, or in the queue of j, or its grant is under way, or i has the grant, or gives it
 * back, and always in one of these alone. From the grant on, until the release has come, the arbiter remembers it, if it will be told: so it
 * does not grant to another.
 */
import type { ArbiterMessage, ArbiterState } from '@turnwise/algorithms/quorum/arbiter-state'
import {
  and,
  atMostOne,
  differ,
  either,
  equal,
  type Formula,
  forall,
  implies,
  mapping,
  not,
  or,
  type Relation,
  relation,
  type Term,
} from '../logic/formula.ts'
import {
  add,
  always,
  becomes,
  type Clause,
  exclusion,
  type Model,
  remove,
  type Step,
  set,
  step,
} from '../model.ts'
import type { Notes, SeenWorld } from '../proof.ts'
import { atMost, below, least, precedes, stampAxioms, stampSymbols } from '../stamps.ts'

type Node = Term<'node'>
type Number = Term<'number'>

/** The stamp of a node's request; the least number if it does not ask. */
const ours = mapping('ours', ['node'], 'number')
const clock = mapping('clock', ['node'], 'number')
const inside = relation('inside', 'node')
/** The first node has the grant of the second. */
const has = relation('has', 'node', 'node')
/** The first node, an arbiter, remembers that the second has its grant, for the request with this stamp. */
const granted = relation('granted', 'node', 'node', 'number')
/** In the queue of the first node there is the request of the second. */
const queued = relation('queued', 'node', 'node', 'number')
/** From, to, of the request with this stamp. */
const request = relation('request', 'node', 'node', 'number')
const grant = relation('grant', 'node', 'node', 'number')
const yields = relation('yields', 'node', 'node', 'number')
const release = relation('release', 'node', 'node', 'number')

const asks = (i: Node) => differ(ours(i), least())
const isFree = (i: Node) => forall({ x: 'node', l: 'number' }, ({ x, l }) => not(granted(i, x, l)))
/** No request in the queue of i comes before that of j. */
const isFirst = (i: Node, j: Node, k: Number) =>
  forall({ x: 'node', l: 'number' }, ({ x, l }) => implies(queued(i, x, l), not(precedes(l, x, k, j))))

/** Whom a node asks, and whom it tells when it has left. */
export interface Sets {
  readonly asked: Relation<readonly ['node', 'node']>
  readonly told: Relation<readonly ['node', 'node']>
}

/** When an arbiter grants to a request in its queue. */
export type Granting = (i: Node, j: Node, k: Number) => Formula

export const granting: Granting = (i, j, k) => and(isFree(i), isFirst(i, j, k))
/** Broken: an arbiter grants to the next while another has its grant. */
export const grantingTwice: Granting = isFirst
/** Broken: an arbiter grants to any that waits. */
export const grantingInAnyOrder: Granting = isFree

/** The steps of an arbiter that concern its grant. */
export function grants({ told }: Sets, when: Granting): Step[] {
  const remembered = (i: Node, j: Node, k: Number) =>
    becomes(granted, (x, y, l) =>
      or(granted(x, y, l), and(equal(x, i), equal(y, j), equal(l, k), told(j, i))),
    )
  return [
    step('grants to another', { i: 'node', j: 'node', k: 'number' }, ({ i, j, k }) => ({
      when: [queued(i, j, k), differ(i, j), when(i, j, k)],
      changes: [remove(queued, i, j, k), remembered(i, j, k), add(grant, i, j, k)],
    })),
    step('grants to itself', { i: 'node', k: 'number' }, ({ i, k }) => ({
      when: [queued(i, i, k), when(i, i, k)],
      changes: [remove(queued, i, i, k), remembered(i, i, k), add(has, i, i)],
    })),
  ]
}

function requesterSteps({ asked, told }: Sets): Step[] {
  return [
    step('asks', { i: 'node', k: 'number' }, ({ i, k }) => ({
      when: [not(asks(i)), below(clock(i), k)],
      changes: [
        set(ours, [i], k),
        set(clock, [i], k),
        becomes(request, (x, y, l) =>
          or(request(x, y, l), and(equal(x, i), equal(l, k), asked(i, y), differ(y, i))),
        ),
        becomes(queued, (x, y, l) =>
          or(queued(x, y, l), and(equal(x, i), equal(y, i), equal(l, k), asked(i, i))),
        ),
      ],
    })),
    step('receives a grant', { i: 'node', j: 'node', k: 'number', l: 'number' }, ({ i, j, k, l }) => ({
      when: [grant(j, i, k), atMost(clock(i), l)],
      changes: [remove(grant, j, i, k), add(has, i, j), set(clock, [i], l)],
    })),
    step('enters', { i: 'node' }, ({ i }) => ({
      when: [asks(i), not(inside(i)), forall({ y: 'node' }, ({ y }) => implies(asked(i, y), has(i, y)))],
      changes: [add(inside, i)],
    })),
    ...givingBack({ asked, told }, (i) => not(inside(i))),
    step('leaves', { i: 'node' }, ({ i }) => ({
      when: [inside(i)],
      changes: [
        remove(inside, i),
        becomes(has, (x, y) => and(has(x, y), differ(x, i))),
        becomes(release, (x, y, l) =>
          or(release(x, y, l), and(equal(x, i), equal(l, ours(i)), told(i, y), differ(y, i))),
        ),
        remove(granted, i, i, ours(i)),
        set(ours, [i], least()),
      ],
    })),
  ]
}

/** A node yields; `may` says when. Only an arbiter that remembers its grant asks for it back. */
export function givingBack({ told }: Sets, may: (i: Node) => Formula): Step[] {
  return [
    step('gives a grant back', { i: 'node', j: 'node' }, ({ i, j }) => ({
      when: [has(i, j), differ(i, j), told(i, j), may(i)],
      changes: [remove(has, i, j), add(yields, i, j, ours(i))],
    })),
    step('gives its own grant back', { i: 'node' }, ({ i }) => ({
      when: [has(i, i), told(i, i), may(i)],
      changes: [remove(has, i, i), remove(granted, i, i, ours(i)), add(queued, i, i, ours(i))],
    })),
  ]
}

const three = { i: 'node', j: 'node', k: 'number' } as const

const arbiterSteps: readonly Step[] = [
  step('queues a request', three, ({ i, j, k }) => ({
    when: [request(j, i, k)],
    changes: [
      remove(request, j, i, k),
      add(queued, i, j, k),
      set(clock, [i], either(below(clock(i), k), k, clock(i))),
    ],
  })),
  step('takes a grant back', three, ({ i, j, k }) => ({
    when: [yields(j, i, k)],
    changes: [remove(yields, j, i, k), remove(granted, i, j, k), add(queued, i, j, k)],
  })),
  step('receives a release', three, ({ i, j, k }) => ({
    when: [release(j, i, k)],
    changes: [remove(release, j, i, k), remove(granted, i, j, k)],
  })),
]

function clauses({ asked, told }: Sets): Clause[] {
  return [
    always(
      'an arbiter remembers one grant at most',
      { i: 'node', j: 'node', x: 'node', k: 'number', l: 'number' },
      ({ i, j, x, k, l }) => implies(and(granted(i, j, k), granted(i, x, l)), equal(j, x), equal(k, l)),
    ),
    always('requests, grants, yields and queue entries belong to open requests', three, ({ i, j, k }) =>
      implies(
        or(request(i, j, k), queued(j, i, k), grant(j, i, k), yields(i, j, k)),
        asks(i),
        equal(k, ours(i)),
        asked(i, j),
      ),
    ),
    always(
      'a node has a grant only for its open request, and only from an arbiter that it has asked',
      { i: 'node', j: 'node' },
      ({ i, j }) => implies(has(i, j), asks(i), asked(i, j)),
    ),
    always('a request is in one place only', three, ({ i, j, k }) =>
      atMostOne(request(i, j, k), queued(j, i, k), grant(j, i, k), has(i, j), yields(i, j, k)),
    ),
    always('a grant that will be returned is remembered', three, ({ i, j, k }) =>
      and(
        implies(and(told(i, j), grant(j, i, k)), granted(j, i, k)),
        implies(and(told(i, j), has(i, j)), granted(j, i, ours(i))),
        implies(yields(i, j, k), told(i, j), granted(j, i, k)),
        implies(release(i, j, k), granted(j, i, k)),
      ),
    ),
    always('a release is of an earlier request', three, ({ i, j, k }) =>
      implies(release(i, j, k), differ(i, j), atMost(k, clock(i)), or(not(asks(i)), below(k, ours(i)))),
    ),
    always('no request is later than the clock of its node', { i: 'node' }, ({ i }) =>
      atMost(ours(i), clock(i)),
    ),
    always(
      'a node that is inside has an open request, and all grants for it',
      { i: 'node', j: 'node' },
      ({ i, j }) => implies(inside(i), asks(i), implies(asked(i, j), has(i, j))),
    ),
  ]
}

/** Clauses for arbiters that may forget a grant at once: then the order of requests decides. */
export function ordered({ asked, told }: Sets): Clause[] {
  return [
    always(
      'a node that asks and tells itself is in its own queue, or has its own grant',
      { i: 'node' },
      ({ i }) => implies(and(asks(i), told(i, i)), or(queued(i, i, ours(i)), granted(i, i, ours(i)))),
    ),
    always('an arbiter has seen the stamps of the requests that reached it', three, ({ i, j, k }) =>
      and(
        implies(or(queued(j, i, k), grant(j, i, k), yields(i, j, k)), atMost(k, clock(j))),
        implies(has(i, j), atMost(ours(i), clock(j))),
      ),
    ),
    always(
      'a node that has granted a request, and asks and tells itself, comes later',
      { i: 'node', j: 'node' },
      ({ i, j }) =>
        implies(
          and(asks(j), told(j, j), differ(i, j), or(grant(j, i, ours(i)), has(i, j))),
          precedes(ours(i), i, ours(j), j),
        ),
    ),
    // These two follow from the others; they lead the prover to the goal.
    always(
      'two nodes that are inside tell no node in common',
      { i: 'node', j: 'node', x: 'node' },
      ({ i, j, x }) => implies(and(inside(i), inside(j), told(i, x), told(j, x)), equal(i, j)),
    ),
    always(
      'two nodes that are inside and tell themselves do not ask each other',
      { i: 'node', j: 'node' },
      ({ i, j }) =>
        implies(and(inside(i), inside(j), asked(i, j), asked(j, i), told(i, i), told(j, j)), equal(i, j)),
    ),
  ]
}

interface Particulars extends Required<Pick<Model, 'axiomsOfGoals'>> {
  readonly axioms?: readonly Clause[]
  /** Clauses beside those that hold for all sets. */
  readonly more?: readonly Clause[]
}

/** The model for such sets, under such axioms about them. */
export function arbiterModel(sets: Sets, { axioms = [], axiomsOfGoals, more = [] }: Particulars): Model {
  const symbols = [ours, clock, inside, has, granted, queued, request, grant, yields, release]
  return {
    sorts: ['node', 'number'],
    symbols: [...new Set([...symbols, sets.asked, sets.told].map(({ symbol }) => symbol)), ...stampSymbols],
    axioms: [...stampAxioms, ...axioms],
    axiomsOfGoals,
    first: [
      always('nobody asks, and nothing is granted or under way', three, ({ i, j, k }) =>
        and(
          not(asks(i)),
          not(inside(i)),
          not(has(i, j)),
          ...[granted, queued, request, grant, yields, release].map((each) => not(each(i, j, k))),
        ),
      ),
    ],
    steps: [...requesterSteps(sets), ...grants(sets, granting), ...arbiterSteps],
    invariant: [...clauses(sets), ...more],
    goals: [exclusion(inside)],
  }
}

/** How a world of arbiters is seen, without its sets. */
export function seeArbiters({ nodes, mail }: SeenWorld<ArbiterState, ArbiterMessage>, note: Notes): void {
  for (const { node, state, inside: isInside } of nodes) {
    note.is(clock, state.clock, node)
    if (state.granted !== null) note.holds(granted, node, state.granted.node, state.granted.time)
    for (const { node: other, time } of state.queue) note.holds(queued, node, other, time)
    if (state.ours === null) continue
    note.is(ours, state.ours.time, node)
    if (isInside) note.holds(inside, node)
    // The text forgets its grants when it enters with all of them.
    for (const other of isInside ? state.ours.asked : state.ours.grants) note.holds(has, node, other)
  }
  for (const { from, to, message } of mail) {
    const { type, time } = message
    if (type === 'request') note.holds(request, from, to, time)
    else if (type === 'grant') note.holds(grant, from, to, time)
    else if (type === 'yield') note.holds(yields, from, to, time)
    else if (type === 'release') note.holds(release, from, to, time)
  }
}
