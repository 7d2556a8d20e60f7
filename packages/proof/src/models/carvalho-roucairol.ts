/**
 * Carvalho and Roucairol (1983) for any number of nodes; the text is `permission/carvalho-roucairol.ts`, with the rules of `permission/pairwise.ts`.
 *
 * Messages are sets, and may overtake each other. A node picks any number above all it has seen; the text takes the next. Who begins with which
 * permissions is left open, with one condition: no two nodes have each other's. So the proof is also one of other ways to begin.
 *
 * The invariant is about pairs. Between two nodes there may be the permission of the one, that of the other, and a reply
 * either way. Of these there is at most one. A reply under way to j could only be joined by one from j if j answered a
 * request of its sender. But that request has a larger number: the sender has seen the number of j. So j defers it.
 */
import { carvalhoRoucairol as algorithm } from '@turnwise/algorithms/permission/carvalho-roucairol'
import type { PairwiseMessage, PairwiseState } from '@turnwise/algorithms/permission/pairwise'
import {
  and,
  atMostOne,
  differ,
  either,
  equal,
  exists,
  type Formula,
  implies,
  mapping,
  not,
  or,
  relation,
  type Term,
} from '../logic/formula.ts'
import { add, always, becomes, exclusion, type Model, remove, set, step, withSteps } from '../model.ts'
import type { Proof } from '../proof.ts'
import { atMost, below, least, precedes, stampAxioms, stampSymbols } from '../stamps.ts'

const waiting = relation('waiting', 'node')
const inside = relation('inside', 'node')
/** The number of a node that waits; of others it is the least number. */
const ours = mapping('ours', ['node'], 'number')
const highest = mapping('highest', ['node'], 'number')
/** The first node has the permission of the second. */
const permission = relation('permission', 'node', 'node')
/** The paper's I: the first node will reply to the second when it leaves. */
const deferred = relation('deferred', 'node', 'node')
/** From, to, with this number. */
const request = relation('request', 'node', 'node', 'number')
/** From, to. */
const reply = relation('reply', 'node', 'node')

type Node = Term<'node'>
type Number = Term<'number'>

const idle = (i: Node) => and(not(waiting(i)), not(inside(i)))
const lacks = (i: Node, j: Node) => and(differ(i, j), not(permission(i, j)))
const lacksSome = (i: Node) => exists({ y: 'node' }, ({ y }) => lacks(i, y))

/** A node that is inside defers every request; one that waits those that come later. */
const comesFirst = (i: Node, j: Node, k: Number) => or(inside(i), and(waiting(i), precedes(ours(i), i, k, j)))

const hearing = { i: 'node', j: 'node', k: 'number' } as const

function noted(i: Node, k: Number) {
  return set(highest, [i], either(below(highest(i), k), k, highest(i)))
}

function replies(
  first: (i: Node, j: Node, k: Number) => Formula,
  keeps: (i: Node, j: Node) => Formula = (i) => differ(i, i),
) {
  return step('replies', hearing, ({ i, j, k }) => ({
    when: [request(j, i, k), not(first(i, j, k))],
    changes: [
      noted(i, k),
      add(reply, i, j),
      becomes(permission, (x, y) =>
        and(permission(x, y), or(not(and(equal(x, i), equal(y, j))), keeps(i, j))),
      ),
      // A node that waits asks again for the permission that it gives away, with its old number.
      becomes(request, (x, y, l) =>
        or(
          and(request(x, y, l), not(and(equal(x, j), equal(y, i), equal(l, k)))),
          and(equal(x, i), equal(y, j), equal(l, ours(i)), waiting(i), permission(i, j)),
        ),
      ),
    ],
  }))
}

const model: Model = {
  sorts: ['node', 'number'],
  symbols: [
    ...[waiting, inside, ours, highest, permission, deferred, request, reply].map(({ symbol }) => symbol),
    ...stampSymbols,
  ],
  axioms: stampAxioms,
  first: [
    always('nobody asks, and nothing is under way', { i: 'node', j: 'node', k: 'number' }, ({ i, j, k }) =>
      and(idle(i), not(deferred(i, j)), not(request(i, j, k)), not(reply(i, j))),
    ),
    always('no number was seen', { i: 'node' }, ({ i }) =>
      and(equal(ours(i), least()), equal(highest(i), least())),
    ),
    always('no two nodes have permission of each other', { i: 'node', j: 'node' }, ({ i, j }) =>
      implies(and(differ(i, j), permission(i, j)), not(permission(j, i))),
    ),
  ],
  steps: [
    step('asks', { i: 'node', k: 'number' }, ({ i, k }) => ({
      when: [idle(i), lacksSome(i), below(highest(i), k)],
      changes: [
        add(waiting, i),
        set(ours, [i], k),
        set(highest, [i], k),
        becomes(request, (x, y, l) => or(request(x, y, l), and(equal(x, i), lacks(i, y), equal(l, k)))),
      ],
    })),
    step('enters with the permissions that it has kept', { i: 'node' }, ({ i }) => ({
      when: [idle(i), not(lacksSome(i))],
      changes: [add(inside, i)],
    })),
    replies(comesFirst),
    step('defers', hearing, ({ i, j, k }) => ({
      when: [request(j, i, k), comesFirst(i, j, k)],
      changes: [remove(request, j, i, k), noted(i, k), add(deferred, i, j)],
    })),
    step('receives a reply', { i: 'node', j: 'node' }, ({ i, j }) => ({
      when: [reply(j, i)],
      changes: [remove(reply, j, i), add(permission, i, j)],
    })),
    step('enters', { i: 'node' }, ({ i }) => ({
      when: [waiting(i), not(lacksSome(i))],
      changes: [remove(waiting, i), add(inside, i), set(ours, [i], least())],
    })),
    step('leaves', { i: 'node' }, ({ i }) => ({
      when: [inside(i)],
      changes: [
        remove(inside, i),
        becomes(reply, (x, y) => or(reply(x, y), and(equal(x, i), deferred(i, y)))),
        becomes(permission, (x, y) => and(permission(x, y), not(and(equal(x, i), deferred(i, y))))),
        becomes(deferred, (x, y) => and(deferred(x, y), differ(x, i))),
      ],
    })),
  ],
  invariant: [
    always('each pair of nodes has at most one permission or reply', { i: 'node', j: 'node' }, ({ i, j }) =>
      implies(differ(i, j), atMostOne(permission(i, j), permission(j, i), reply(i, j), reply(j, i))),
    ),
    always(
      'a node that is inside has the permission of all others, and does not wait',
      { i: 'node', j: 'node' },
      ({ i, j }) => implies(inside(i), not(lacks(i, j)), not(waiting(i))),
    ),
    always(
      'a request under way comes from a waiting node, has its number, and is not answered yet',
      { i: 'node', j: 'node', k: 'number' },
      ({ i, j, k }) =>
        implies(
          request(i, j, k),
          waiting(i),
          equal(k, ours(i)),
          lacks(i, j),
          not(reply(j, i)),
          not(deferred(j, i)),
        ),
    ),
    always(
      'a deferred node waits for a node that has seen its number and asks',
      { i: 'node', j: 'node' },
      ({ i, j }) =>
        implies(
          deferred(j, i),
          waiting(i),
          lacks(i, j),
          not(reply(j, i)),
          atMost(ours(i), highest(j)),
          or(waiting(j), inside(j)),
        ),
    ),
    always(
      'a reply goes to a waiting node, and its sender, if it waits too, comes later',
      { i: 'node', j: 'node' },
      ({ i, j }) =>
        implies(
          reply(j, i),
          waiting(i),
          differ(i, j),
          atMost(ours(i), highest(j)),
          implies(waiting(j), precedes(ours(i), i, ours(j), j)),
        ),
    ),
    always('a node has seen its own number', { i: 'node' }, ({ i }) => atMost(ours(i), highest(i))),
  ],
  goals: [exclusion(inside)],
}

export const proof: Proof<PairwiseState, PairwiseMessage> = {
  algorithm,
  model,
  assumes: ['messages are neither lost nor doubled', 'numbers and nodes are totally ordered'],
  leavesOut: ['readers', 'withdrawn requests'],
  see({ nodes, mail }, note) {
    for (const { node, state, inside: isInside, waiting: isWaiting } of nodes) {
      if (isInside) note.holds(inside, node)
      if (isWaiting) note.holds(waiting, node)
      note.is(ours, state.ours ?? 0, node)
      note.is(highest, state.highest, node)
      state.permission.forEach((mode, other) => mode !== null && note.holds(permission, node, other))
      state.deferred.forEach((mode, other) => mode !== null && note.holds(deferred, node, other))
    }
    for (const { from, to, message } of mail) {
      if (message.type === 'request') note.holds(request, from, to, message.number)
      else note.holds(reply, from, to)
    }
  },
  together: 2,
  tied: [
    { nodes: 2, requests: 2, sizes: { number: 5 } },
    { nodes: 3, requests: 1, sizes: { number: 4 } },
  ],
  broken: [
    {
      name: 'replies-inside',
      rule: 'A node that is inside replies at once.',
      model: withSteps(
        model,
        replies((i, j, k) => and(waiting(i), precedes(ours(i), i, k, j))),
      ),
      breaks: {
        step: 'replies',
        clause: 'a node that is inside has the permission of all others, and does not wait',
      },
    },
    {
      name: 'keeps-what-it-gives',
      rule: 'A node that does not wait keeps its permission when it replies.',
      model: withSteps(
        model,
        replies(comesFirst, (i) => not(waiting(i))),
      ),
      breaks: { step: 'replies', clause: 'each pair of nodes has at most one permission or reply' },
    },
  ],
}
