/**
 * Raymond (1989) for any number of nodes; the text is `token/raymond.ts`.
 *
 * HOLDER is a relation, of which nothing is assumed but that a node has one at most: the proof does not need the tree. REQUEST_Q is a set: a node may serve
 * any that waits in it, where the text serves the first. Messages may overtake each other.
 *
 * Beside the one privilege the invariant follows a request. A node that asked stands in one place: its request is under way to its HOLDER, or it is in the
 * queue there, or the privilege is under way to it. So no node is in a queue twice, which the text calls impossible, and the privilege comes only where
 * somebody waits.
 */
import { raymond as algorithm, type Message, type State } from '@turnwise/algorithms/token/raymond'
import {
  and,
  differ,
  equal,
  exists,
  forall,
  iff,
  implies,
  not,
  or,
  relation,
  type Term,
} from '../logic/formula.ts'
import {
  add,
  always,
  becomes,
  exclusion,
  heldAtFirst,
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

/** HOLDER: where the first node believes the privilege to be. */
const holder = relation('holder', 'node', 'node')
/** The privilege is here. */
const holds = relation('holds', 'node')
/** USING. */
const inside = relation('inside', 'node')
/** REQUEST_Q of the first node has the second. */
const queued = relation('queued', 'node', 'node')
/** ASKED. */
const asked = relation('asked', 'node')
/** From, to. */
const request = relation('request', 'node', 'node')
/** The privilege is under way to this node. */
const privilege = relation('privilege', 'node')

type Node = Term<'node'>

const idle = (i: Node) => and(not(queued(i, i)), not(inside(i)))
const nobodyWaits = (i: Node) => forall({ x: 'node' }, ({ x }) => not(queued(i, x)))
const othersWait = (i: Node, h: Node) => exists({ x: 'node' }, ({ x }) => and(queued(i, x), differ(x, h)))

/** HOLDER of i is now h. */
function pointsTo(i: Node, h: Node): Update {
  return becomes(holder, (x, y) => or(and(holder(x, y), differ(x, i)), and(equal(x, i), equal(y, h))))
}

/** ASSIGN_PRIVILEGE to h, another node, then MAKE_REQUEST for those who still wait at i. */
function serves(i: Node, h: Node): Update[] {
  return [
    pointsTo(i, h),
    remove(queued, i, h),
    becomes(asked, (x) => or(and(asked(x), differ(x, i)), and(equal(x, i), othersWait(i, h)))),
    becomes(request, (x, y) => or(request(x, y), and(equal(x, i), equal(y, h), othersWait(i, h)))),
  ]
}

const passesOn = { i: 'node', h: 'node' } as const

const model: Model = {
  sorts: ['node'],
  symbols: [holder, holds, inside, queued, asked, request, privilege].map(({ symbol }) => symbol),
  axioms: [],
  first: [
    heldAtFirst(holds),
    always('nobody asks, and nothing is under way', { i: 'node', j: 'node' }, ({ i, j }) =>
      and(not(inside(i)), not(queued(i, j)), not(asked(i)), not(request(i, j)), not(privilege(i))),
    ),
    always('a node has one HOLDER at most', { i: 'node', j: 'node', k: 'node' }, ({ i, j, k }) =>
      implies(and(holder(i, j), holder(i, k)), equal(j, k)),
    ),
    always('a node that holds the privilege is its own HOLDER', { i: 'node' }, ({ i }) =>
      iff(holder(i, i), holds(i)),
    ),
  ],
  steps: [
    step('asks where the privilege is', { i: 'node' }, ({ i }) => ({
      when: [idle(i), holds(i)],
      changes: [add(inside, i)],
    })),
    step('asks, and sends a request', { i: 'node', h: 'node' }, ({ i, h }) => ({
      when: [idle(i), not(holds(i)), not(asked(i)), holder(i, h)],
      changes: [add(queued, i, i), add(asked, i), add(request, i, h)],
    })),
    step('asks where others have', { i: 'node' }, ({ i }) => ({
      when: [idle(i), not(holds(i)), asked(i)],
      changes: [add(queued, i, i)],
    })),
    step('receives a request, and passes the privilege', { i: 'node', j: 'node' }, ({ i, j }) => ({
      when: [request(j, i), holds(i), not(inside(i))],
      changes: [remove(request, j, i), pointsTo(i, j), remove(holds, i), add(privilege, j)],
    })),
    step(
      'receives a request while inside, or while another is open',
      { i: 'node', j: 'node' },
      ({ i, j }) => ({
        when: [request(j, i), or(inside(i), asked(i))],
        changes: [remove(request, j, i), add(queued, i, j)],
      }),
    ),
    step('receives a request, and forwards it', { i: 'node', j: 'node', h: 'node' }, ({ i, j, h }) => ({
      when: [request(j, i), not(holds(i)), not(asked(i)), holder(i, h)],
      changes: [
        becomes(request, (x, y) =>
          or(and(request(x, y), not(and(equal(x, j), equal(y, i)))), and(equal(x, i), equal(y, h))),
        ),
        add(queued, i, j),
        add(asked, i),
      ],
    })),
    step('leaves, and passes the privilege', passesOn, ({ i, h }) => ({
      when: [inside(i), queued(i, h)],
      changes: [remove(inside, i), remove(holds, i), add(privilege, h), ...serves(i, h)],
    })),
    step('leaves, and keeps the privilege', { i: 'node' }, ({ i }) => ({
      when: [inside(i), nobodyWaits(i)],
      changes: [remove(inside, i)],
    })),
    step('receives the privilege, and enters', { i: 'node' }, ({ i }) => ({
      when: [privilege(i), queued(i, i)],
      changes: [
        remove(privilege, i),
        add(holds, i),
        add(inside, i),
        pointsTo(i, i),
        remove(queued, i, i),
        remove(asked, i),
      ],
    })),
    step('receives the privilege, and passes it on', passesOn, ({ i, h }) => ({
      when: [privilege(i), queued(i, h), differ(i, h)],
      changes: [becomes(privilege, (x) => or(and(privilege(x), differ(x, i)), equal(x, h))), ...serves(i, h)],
    })),
  ],
  invariant: [
    ...oneToken(holds, privilege),
    insideHolds(inside, holds),
    always('a node has one HOLDER at most', { i: 'node', j: 'node', k: 'node' }, ({ i, j, k }) =>
      implies(and(holder(i, j), holder(i, k)), equal(j, k)),
    ),
    always('a node that holds the privilege is its own HOLDER', { i: 'node' }, ({ i }) =>
      iff(holder(i, i), holds(i)),
    ),
    always('a node that holds the privilege has not asked', { i: 'node' }, ({ i }) =>
      implies(holds(i), not(asked(i))),
    ),
    always(
      'a node that holds the privilege and is not inside has an empty queue',
      { i: 'node', j: 'node' },
      ({ i, j }) => implies(and(holds(i), not(inside(i))), not(queued(i, j))),
    ),
    always('a node that is inside does not wait', { i: 'node' }, ({ i }) =>
      implies(inside(i), not(queued(i, i))),
    ),
    always('a node whose queue is not empty has asked, or is inside', { i: 'node', j: 'node' }, ({ i, j }) =>
      implies(queued(i, j), or(asked(i), inside(i))),
    ),
    always('a node that has asked has a queue that is not empty', { i: 'node' }, ({ i }) =>
      implies(
        asked(i),
        exists({ j: 'node' }, ({ j }) => queued(i, j)),
      ),
    ),
    always('a request goes to the HOLDER of a node that has asked', { i: 'node', j: 'node' }, ({ i, j }) =>
      implies(request(j, i), asked(j), holder(j, i), not(queued(i, j))),
    ),
    always('a neighbour in a queue has asked there', { i: 'node', j: 'node' }, ({ i, j }) =>
      implies(and(queued(i, j), differ(i, j)), asked(j), holder(j, i)),
    ),
    always(
      'the privilege goes to a node that has asked, and is in the queue of no other',
      { i: 'node', j: 'node' },
      ({ i, j }) => implies(privilege(j), asked(j), not(request(j, i)), or(equal(i, j), not(queued(i, j)))),
    ),
  ],
  goals: [
    exclusion(inside),
    tokenGoal(holds, privilege),
    always('wanted: the privilege goes only to a node whose queue is not empty', { i: 'node' }, ({ i }) =>
      implies(
        privilege(i),
        exists({ j: 'node' }, ({ j }) => queued(i, j)),
      ),
    ),
    always('once: no node asks a second time', { i: 'node', j: 'node' }, ({ i, j }) =>
      not(and(request(j, i), queued(i, j))),
    ),
  ],
}

export const proof: Proof<State, Message> = {
  algorithm,
  model,
  assumes: ['messages are neither lost nor doubled', 'one node has the privilege at first'],
  leavesOut: ['the order of the queues', 'the tree', 'that a request reaches the privilege'],
  see({ nodes, mail }, note) {
    for (const { node, state, inside: isInside } of nodes) {
      note.holds(holder, node, state.holder)
      if (state.fence !== null) note.holds(holds, node)
      if (isInside) note.holds(inside, node)
      for (const waits of state.queue) note.holds(queued, node, waits)
      if (state.asked) note.holds(asked, node)
    }
    for (const { from, to, message } of mail) {
      if (message.type === 'request') note.holds(request, from, to)
      else note.holds(privilege, to)
    }
  },
  tied: [
    { nodes: 2, requests: 2, sizes: {} },
    { nodes: 3, requests: 2, sizes: {} },
  ],
  broken: [
    {
      name: 'passes-and-keeps',
      rule: 'A node that hears a request sends the privilege, and keeps it.',
      model: withSteps(
        model,
        step('receives a request, and passes the privilege', { i: 'node', j: 'node' }, ({ i, j }) => ({
          when: [request(j, i), holds(i), not(inside(i))],
          changes: [remove(request, j, i), add(privilege, j)],
        })),
      ),
      breaks: {
        step: 'receives a request, and passes the privilege',
        clause: 'a token that is held is not under way',
      },
    },
  ],
}
