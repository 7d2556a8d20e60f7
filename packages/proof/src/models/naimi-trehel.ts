/**
 * Naimi and Trehel (1987) for any number of nodes; the text is `token/naimi-trehel.ts`.
 *
 * LAST is a relation, of which nothing is assumed but what the steps do with it. That it leads to a root, and that no request comes back to its origin, is
 * a matter of progress, and is not proved here.
 *
 * The invariant: a node that waits stands in one place. Its request is under way, or it is the NEXT of one node, or the token is under way to it. And a
 * root that does not ask has the token; so the two things that the text calls impossible (a root that must pass a token it does not have, a node with
 * two successors) do not happen.
 */
import { naimiTrehel as algorithm, type Message, type State } from '@turnwise/algorithms/token/naimi-trehel'
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

/** LAST: whom the first node would ask. A root has none. */
const last = relation('last', 'node', 'node')
const root = relation('root', 'node')
/** NEXT: who gets the token from the first node. */
const next = relation('next', 'node', 'node')
/** It waits, or is inside. */
const requesting = relation('requesting', 'node')
const holds = relation('holds', 'node')
const inside = relation('inside', 'node')
/** Under way to the first node: the second wants to enter. */
const request = relation('request', 'node', 'node')
/** The token is under way to this node. */
const token = relation('token', 'node')

type Node = Term<'node'>

/** LAST of i is now k. */
function pointsTo(i: Node, k: Node): Update[] {
  return [
    becomes(last, (x, y) => or(and(last(x, y), not(equal(x, i))), and(equal(x, i), equal(y, k)))),
    remove(root, i),
  ]
}

const passes = step('a request reaches a root that does not ask', { i: 'node', k: 'node' }, ({ i, k }) => ({
  when: [request(i, k), root(i), not(requesting(i))],
  changes: [remove(request, i, k), remove(holds, i), add(token, k), ...pointsTo(i, k)],
}))

const model: Model = {
  sorts: ['node'],
  symbols: [last, root, next, requesting, holds, inside, request, token].map(({ symbol }) => symbol),
  axioms: [],
  first: [
    clause(
      'one node is a root and holds the token; it is the LAST of all others',
      exists({ r: 'node' }, ({ r }) =>
        forall({ i: 'node', j: 'node' }, ({ i, j }) =>
          and(
            iff(holds(i), equal(i, r)),
            iff(root(i), equal(i, r)),
            iff(last(i, j), and(equal(j, r), not(equal(i, r)))),
          ),
        ),
      ),
    ),
    always('nobody asks, and nothing is under way', { i: 'node', j: 'node' }, ({ i, j }) =>
      and(not(requesting(i)), not(inside(i)), not(next(i, j)), not(request(i, j)), not(token(i))),
    ),
  ],
  steps: [
    step('asks', { i: 'node', j: 'node' }, ({ i, j }) => ({
      when: [not(requesting(i)), not(holds(i)), last(i, j)],
      changes: [
        add(requesting, i),
        add(request, j, i),
        becomes(last, (x, y) => and(last(x, y), not(equal(x, i)))),
        add(root, i),
      ],
    })),
    step('asks where the token is', { i: 'node' }, ({ i }) => ({
      when: [not(requesting(i)), holds(i)],
      changes: [add(requesting, i), add(inside, i)],
    })),
    step('forwards a request', { i: 'node', j: 'node', k: 'node' }, ({ i, j, k }) => ({
      when: [request(i, k), last(i, j), not(root(i))],
      changes: [
        becomes(request, (x, y) =>
          or(and(request(x, y), not(and(equal(x, i), equal(y, k)))), and(equal(x, j), equal(y, k))),
        ),
        ...pointsTo(i, k),
      ],
    })),
    step('a request reaches a root that asks', { i: 'node', k: 'node' }, ({ i, k }) => ({
      when: [request(i, k), root(i), requesting(i)],
      changes: [remove(request, i, k), add(next, i, k), ...pointsTo(i, k)],
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
    always('a root that does not ask holds the token', { i: 'node' }, ({ i }) =>
      implies(and(root(i), not(requesting(i))), holds(i)),
    ),
    always('a root has no LAST', { i: 'node', j: 'node' }, ({ i, j }) => implies(root(i), not(last(i, j)))),
    always('a node that has a NEXT asks, and is no root', { i: 'node', k: 'node' }, ({ i, k }) =>
      implies(next(i, k), requesting(i), not(root(i))),
    ),
    always('a node has one NEXT', { i: 'node', k: 'node', l: 'node' }, ({ i, k, l }) =>
      implies(and(next(i, k), next(i, l)), equal(k, l)),
    ),
    always(
      'a node waits if its request is under way, it is the NEXT of another, or the token is on its way to it',
      { i: 'node', k: 'node' },
      ({ i, k }) => implies(or(request(i, k), next(i, k), token(k)), requesting(k), not(holds(k))),
    ),
    always('a request is under way once', { i: 'node', j: 'node', k: 'node' }, ({ i, j, k }) =>
      implies(and(request(i, k), request(j, k)), equal(i, j)),
    ),
    always('a node is the NEXT of at most one other', { i: 'node', j: 'node', k: 'node' }, ({ i, j, k }) =>
      implies(and(next(i, k), next(j, k)), equal(i, j)),
    ),
    always(
      'a node that is the NEXT of another has no request under way',
      { i: 'node', j: 'node', k: 'node' },
      ({ i, j, k }) => implies(next(i, k), not(request(j, k))),
    ),
    always(
      'a node to which the token is on its way is the NEXT of no other, and has no request under way',
      { i: 'node', k: 'node' },
      ({ i, k }) => implies(token(k), not(next(i, k)), not(request(i, k))),
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
  assumes: [
    'messages are neither lost nor doubled',
    'one root has the token at first, and all others point to it',
  ],
  leavesOut: ['that a request reaches a root'],
  see({ nodes, mail }, note) {
    for (const { node, state, inside: isInside } of nodes) {
      if (state.last === null) note.holds(root, node)
      else note.holds(last, node, state.last)
      if (state.next !== null) note.holds(next, node, state.next)
      if (state.requesting) note.holds(requesting, node)
      if (state.fence !== null) note.holds(holds, node)
      if (isInside) note.holds(inside, node)
    }
    for (const { to, message } of mail) {
      if (message.type === 'request') note.holds(request, to, message.origin)
      else note.holds(token, to)
    }
  },
  tied: [
    { nodes: 2, requests: 2, sizes: {} },
    { nodes: 3, requests: 2, sizes: {} },
  ],
  broken: [
    {
      name: 'root-as-holder',
      rule: 'A root that is not inside passes the token on, whether it has it or not.',
      model: withSteps(
        model,
        step('a request reaches a root that does not ask', { i: 'node', k: 'node' }, ({ i, k }) => ({
          when: [request(i, k), root(i), not(inside(i))],
          changes: [remove(request, i, k), remove(holds, i), add(token, k), ...pointsTo(i, k)],
        })),
      ),
      breaks: {
        step: 'a request reaches a root that does not ask',
        clause: 'the token is under way to at most one node',
      },
    },
  ],
}
