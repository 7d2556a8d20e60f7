/**
 * The token ring (Le Lann 1977) for any number of nodes; the text is `token/token-ring.ts`.
 *
 * The ring is a relation: `follows(i, j)` says that i sends to j. The proof needs nothing of it, not even that it is a ring: a node that passes the token on
 * no longer has it. A token that rests is passed on at any moment; the text does so when a timer fires.
 */
import { tokenRing as algorithm, type Message, type State } from '@turnwise/algorithms/token/token-ring'
import { and, forall, not, relation, rigid } from '../logic/formula.ts'
import {
  add,
  always,
  exclusion,
  heldAtFirst,
  insideHolds,
  type Model,
  oneToken,
  remove,
  step,
  tokenGoal,
  withSteps,
} from '../model.ts'
import type { Proof } from '../proof.ts'

/** The token is here, in use or at rest. */
const holds = relation('holds', 'node')
/** It is under way to this node. */
const token = relation('token', 'node')
const wants = relation('wants', 'node')
const inside = relation('inside', 'node')
const follows = rigid('follows', 'node', 'node')

const hops = step('passes the token on', { i: 'node', j: 'node' }, ({ i, j }) => ({
  when: [holds(i), not(inside(i)), follows(i, j)],
  changes: [remove(holds, i), add(token, j)],
}))

const model: Model = {
  sorts: ['node'],
  symbols: [holds, token, wants, inside, follows].map(({ symbol }) => symbol),
  axioms: [],
  first: [
    heldAtFirst(holds),
    always('nobody wants it, nobody is inside, and it is not under way', { i: 'node' }, ({ i }) =>
      and(not(wants(i)), not(inside(i)), not(token(i))),
    ),
  ],
  steps: [
    step('asks', { i: 'node' }, ({ i }) => ({
      when: [not(wants(i)), not(inside(i)), not(holds(i))],
      changes: [add(wants, i)],
    })),
    step('asks where the token rests', { i: 'node' }, ({ i }) => ({
      when: [not(wants(i)), not(inside(i)), holds(i)],
      changes: [add(inside, i)],
    })),
    step('receives the token, and enters', { i: 'node' }, ({ i }) => ({
      when: [token(i), wants(i)],
      changes: [remove(token, i), add(holds, i), remove(wants, i), add(inside, i)],
    })),
    step('receives the token, and lets it rest', { i: 'node' }, ({ i }) => ({
      when: [token(i), not(wants(i))],
      changes: [remove(token, i), add(holds, i)],
    })),
    hops,
    step('leaves', { i: 'node', j: 'node' }, ({ i, j }) => ({
      when: [inside(i), follows(i, j)],
      changes: [remove(inside, i), remove(holds, i), add(token, j)],
    })),
    step('leaves, and is alone', { i: 'node' }, ({ i }) => ({
      when: [inside(i), forall({ j: 'node' }, ({ j }) => not(follows(i, j)))],
      changes: [remove(inside, i)],
    })),
  ],
  invariant: [...oneToken(holds, token), insideHolds(inside, holds)],
  goals: [exclusion(inside), tokenGoal(holds, token)],
}

export const proof: Proof<State, Message> = {
  algorithm,
  model,
  assumes: ['messages are neither lost nor doubled', 'one node has the token at first'],
  leavesOut: ['withdrawn requests'],
  see({ setup, nodes, mail }, note) {
    for (const { node, state, inside: isInside } of nodes) {
      if (state.fence !== null) note.holds(holds, node)
      if (state.wants) note.holds(wants, node)
      if (isInside) note.holds(inside, node)
      if (setup.nodes > 1) note.holds(follows, node, (node + 1) % setup.nodes)
    }
    for (const { to } of mail) note.holds(token, to)
  },
  tied: [
    { nodes: 1, requests: 2, sizes: {} },
    { nodes: 3, requests: 2, sizes: {} },
  ],
  broken: [
    {
      name: 'passes-and-keeps',
      rule: 'A node that passes the token on still has it.',
      model: withSteps(
        model,
        step('passes the token on', { i: 'node', j: 'node' }, ({ i, j }) => ({
          when: [holds(i), not(inside(i)), follows(i, j)],
          changes: [add(token, j)],
        })),
      ),
      breaks: { step: 'passes the token on', clause: 'a token that is held is not under way' },
    },
    {
      name: 'keeps-the-timer',
      rule: 'A node that enters does not stop the timer, and passes the token on while it is inside.',
      model: withSteps(
        model,
        step('passes the token on', { i: 'node', j: 'node' }, ({ i, j }) => ({
          when: [holds(i), follows(i, j)],
          changes: [remove(holds, i), add(token, j)],
        })),
      ),
      breaks: { step: 'passes the token on', clause: 'a node that is inside holds the token' },
    },
  ],
}
