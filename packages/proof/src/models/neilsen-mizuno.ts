/**
 * Neilsen and Mizuno (1991) for any number of nodes; the text is `token/neilsen-mizuno.ts`.
 *
 * LAST is a relation, of which nothing is assumed but what the steps do with it: the proof does not need the tree. That LAST leads to a sink, and that a
 * request does not come from the node it should go to, is a matter of progress, and is not proved here.
 *
 * The invariant is that of Naimi and Trehel: a node that waits stands in one place, and a sink that does not ask has the token. Here a request
 * goes from neighbour to neighbour and turns LAST to the one it came from, not to its origin.
 */
import {
  neilsenMizuno as algorithm,
  type Message,
  type State,
} from '@turnwise/algorithms/token/neilsen-mizuno'
import { and, equal, exists, forall, iff, implies, not, or, relation, type Term } from '../logic/formula.ts'
import {
  add,
  always,
  becomes,
  clause,
  exclusion,
  insideHolds,
  type Model,
  oneToken,
  remove,
  step,
  tokenGoal,
  type Update,
  withSteps,
} from '../model.ts'
import type { Proof } from '../proof.ts'

/** LAST: the neighbour towards the sink. A sink has none. */
const last = relation('last', 'node', 'node')
const sink = relation('sink', 'node')
/** NEXT: who gets the token from the first node. */
const next = relation('next', 'node', 'node')
/** It waits, or is inside. */
const requesting = relation('requesting', 'node')
const holds = relation('holds', 'node')
const inside = relation('inside', 'node')
/** Under way from the first node to the second: the third wants to enter. */
const request = relation('request', 'node', 'node', 'node')
/** The token is under way to this node. */
const token = relation('token', 'node')

type Node = Term<'node'>

/** LAST of i is now j. */
function pointsTo(i: Node, j: Node): Update[] {
  return [
    becomes(last, (x, y) => or(and(last(x, y), not(equal(x, i))), and(equal(x, i), equal(y, j)))),
    remove(sink, i),
  ]
}

const arrival = { h: 'node', i: 'node', k: 'node' } as const

const passes = step('a request reaches a sink that does not ask', arrival, ({ h, i, k }) => ({
  when: [request(h, i, k), sink(i), not(requesting(i))],
  changes: [remove(request, h, i, k), remove(holds, i), add(token, k), ...pointsTo(i, h)],
}))

const model: Model = {
  sorts: ['node'],
  symbols: [last, sink, next, requesting, holds, inside, request, token].map(({ symbol }) => symbol),
  axioms: [],
  first: [
    clause(
      'one node is the sink and holds the token, and all others have a LAST',
      exists({ r: 'node' }, ({ r }) =>
        forall({ i: 'node', j: 'node' }, ({ i, j }) =>
          and(iff(holds(i), equal(i, r)), iff(sink(i), equal(i, r)), implies(last(i, j), not(equal(i, r)))),
        ),
      ),
    ),
    always('nobody asks, and nothing is under way', { i: 'node', j: 'node', k: 'node' }, ({ i, j, k }) =>
      and(not(requesting(i)), not(inside(i)), not(next(i, j)), not(request(i, j, k)), not(token(i))),
    ),
  ],
  steps: [
    step('asks', { i: 'node', j: 'node' }, ({ i, j }) => ({
      when: [not(requesting(i)), not(holds(i)), last(i, j)],
      changes: [
        add(requesting, i),
        add(request, i, j, i),
        becomes(last, (x, y) => and(last(x, y), not(equal(x, i)))),
        add(sink, i),
      ],
    })),
    step('asks where the token is', { i: 'node' }, ({ i }) => ({
      when: [not(requesting(i)), holds(i)],
      changes: [add(requesting, i), add(inside, i)],
    })),
    step('forwards a request', { ...arrival, j: 'node' }, ({ h, i, j, k }) => ({
      when: [request(h, i, k), last(i, j), not(sink(i))],
      changes: [
        becomes(request, (x, y, z) =>
          or(
            and(request(x, y, z), not(and(equal(x, h), equal(y, i), equal(z, k)))),
            and(equal(x, i), equal(y, j), equal(z, k)),
          ),
        ),
        ...pointsTo(i, h),
      ],
    })),
    step('a request reaches a sink that asks', arrival, ({ h, i, k }) => ({
      when: [request(h, i, k), sink(i), requesting(i)],
      changes: [remove(request, h, i, k), add(next, i, k), ...pointsTo(i, h)],
    })),
    passes,
    step('receives the token', { i: 'node' }, ({ i }) => ({
      when: [token(i)],
      changes: [remove(token, i), add(holds, i), add(inside, i)],
    })),
    step('leaves, and passes the token', { i: 'node', k: 'node' }, ({ i, k }) => ({
      when: [inside(i), next(i, k)],
      changes: [
        remove(inside, i),
        remove(requesting, i),
        remove(holds, i),
        becomes(next, (x, y) => and(next(x, y), not(equal(x, i)))),
        add(token, k),
      ],
    })),
    step('leaves, and keeps the token', { i: 'node' }, ({ i }) => ({
      when: [inside(i), forall({ k: 'node' }, ({ k }) => not(next(i, k)))],
      changes: [remove(inside, i), remove(requesting, i)],
    })),
  ],
  invariant: [
    ...oneToken(holds, token),
    always('a node that holds the token and asks is inside, and no other node is', { i: 'node' }, ({ i }) =>
      iff(inside(i), and(holds(i), requesting(i))),
    ),
    always('a sink that does not ask holds the token', { i: 'node' }, ({ i }) =>
      implies(and(sink(i), not(requesting(i))), holds(i)),
    ),
    always('a sink has no LAST', { i: 'node', j: 'node' }, ({ i, j }) => implies(sink(i), not(last(i, j)))),
    always('a node that has a NEXT asks, and is no sink', { i: 'node', k: 'node' }, ({ i, k }) =>
      implies(next(i, k), requesting(i), not(sink(i))),
    ),
    always('a node has one NEXT', { i: 'node', k: 'node', l: 'node' }, ({ i, k, l }) =>
      implies(and(next(i, k), next(i, l)), equal(k, l)),
    ),
    always(
      'a node waits if its request is under way, it is the NEXT of another, or the token is on its way to it',
      arrival,
      ({ h, i, k }) => implies(or(request(h, i, k), next(i, k), token(k)), requesting(k), not(holds(k))),
    ),
    always('a request is under way once', { ...arrival, g: 'node', j: 'node' }, ({ g, h, i, j, k }) =>
      implies(and(request(h, i, k), request(g, j, k)), equal(g, h), equal(i, j)),
    ),
    always('a node is the NEXT of at most one other', { i: 'node', j: 'node', k: 'node' }, ({ i, j, k }) =>
      implies(and(next(i, k), next(j, k)), equal(i, j)),
    ),
    always(
      'a node that is the NEXT of another has no request under way',
      { ...arrival, j: 'node' },
      ({ h, i, j, k }) => implies(next(i, k), not(request(h, j, k))),
    ),
    always(
      'a node to which the token is on its way is the NEXT of no other, and has no request under way',
      arrival,
      ({ h, i, k }) => implies(token(k), not(next(i, k)), not(request(h, i, k))),
    ),
  ],
  goals: [
    exclusion(inside),
    tokenGoal(holds, token),
    insideHolds(inside, holds),
    always('wanted: the token goes only to a node that waits', { i: 'node' }, ({ i }) =>
      implies(token(i), requesting(i), not(inside(i))),
    ),
  ],
}

export const proof: Proof<State, Message> = {
  algorithm,
  model,
  assumes: ['messages are neither lost nor doubled', 'one sink has the token at first'],
  leavesOut: ['that a request reaches a sink', 'the tree'],
  see({ nodes, mail }, note) {
    for (const { node, state, inside: isInside, waiting } of nodes) {
      if (state.last === null) note.holds(sink, node)
      else note.holds(last, node, state.last)
      if (state.next !== null) note.holds(next, node, state.next)
      if (isInside || waiting) note.holds(requesting, node)
      if (state.fence !== null) note.holds(holds, node)
      if (isInside) note.holds(inside, node)
    }
    for (const { from, to, message } of mail) {
      if (message.type === 'request') note.holds(request, from, to, message.origin)
      else note.holds(token, to)
    }
  },
  tied: [
    { nodes: 2, requests: 2, sizes: {} },
    { nodes: 3, requests: 2, sizes: {} },
  ],
  broken: [
    {
      name: 'sink-as-holder',
      rule: 'A sink that is not inside passes the token on, whether it has it or not.',
      model: withSteps(
        model,
        step('a request reaches a sink that does not ask', arrival, ({ h, i, k }) => ({
          when: [request(h, i, k), sink(i), not(inside(i))],
          changes: [remove(request, h, i, k), remove(holds, i), add(token, k), ...pointsTo(i, h)],
        })),
      ),
      breaks: {
        step: 'a request reaches a sink that does not ask',
        clause: 'the token is under way to at most one node',
      },
    },
  ],
}
