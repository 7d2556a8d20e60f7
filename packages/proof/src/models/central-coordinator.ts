/**
 * The central coordinator for any number of nodes; the text is `permission/central-coordinator.ts`.
 *
 * The queue is a set: the coordinator may serve any node that waits in it, where the text serves the first. Messages are sets, and may overtake each
 * other. A request may overtake the release of the same node's last turn.
 *
 * The invariant: there is one holder at most. A node that is inside, has a grant under way, or has a release under way is the holder.
 */
import {
  centralCoordinator as algorithm,
  type Message,
  type State,
} from '@turnwise/algorithms/permission/central-coordinator'
import {
  and,
  constant,
  differ,
  equal,
  type Formula,
  forall,
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
  type Model,
  remove,
  step,
  type Update,
  withSteps,
} from '../model.ts'
import type { Proof } from '../proof.ts'

/** The coordinator. */
const home = constant('home', 'node')
/** The desk: whether somebody is inside, or granted to be; who; and who waits in the queue. */
const busy = relation('busy')
const holder = relation('holder', 'node')
const queued = relation('queued', 'node')
const waiting = relation('waiting', 'node')
const inside = relation('inside', 'node')
/** Under way: from a node to the coordinator, or from it to a node. */
const request = relation('request', 'node')
const grant = relation('grant', 'node')
const release = relation('release', 'node')

type Node = Term<'node'>

/** The coordinator lets k in: itself at once, another by a message. */
function serves(k: Node): Update[] {
  const isHome = equal(k, home())
  return [
    becomes(holder, (x) => equal(x, k)),
    becomes(grant, (x) => or(grant(x), and(equal(x, k), not(isHome)))),
  ]
}

/** What the coordinator's own entry changes, beside who else enters or leaves in the same step. */
function entersAtHome(k: Node, x: Node): Formula {
  return and(equal(x, k), equal(k, home()))
}

const nobodyQueued = forall({ y: 'node' }, ({ y }) => not(queued(y)))

function asks(k: Node): Formula {
  return and(not(waiting(k)), not(inside(k)))
}

/** A request reaches the desk. */
const arrivals = [
  step('a request reaches the free desk', { k: 'node' }, ({ k }) => ({
    when: [request(k), not(busy())],
    changes: [remove(request, k), becomes(busy, () => equal(k, k)), ...serves(k)],
  })),
  step('a request reaches the busy desk', { k: 'node' }, ({ k }) => ({
    when: [request(k), busy()],
    changes: [remove(request, k), add(queued, k)],
  })),
]

const model: Model = {
  sorts: ['node'],
  symbols: [home, busy, holder, queued, waiting, inside, request, grant, release].map(({ symbol }) => symbol),
  axioms: [],
  first: [
    always('the desk is free, nobody asks, and nothing is under way', { k: 'node' }, ({ k }) =>
      and(
        ...[busy(), holder(k), queued(k), waiting(k), inside(k), request(k), grant(k), release(k)].map(
          (part) => not(part),
        ),
      ),
    ),
  ],
  steps: [
    step('asks', { k: 'node' }, ({ k }) => ({
      when: [asks(k), differ(k, home())],
      changes: [add(waiting, k), add(request, k)],
    })),
    step('the coordinator asks at its free desk', { k: 'node' }, ({ k }) => ({
      when: [asks(k), equal(k, home()), not(busy())],
      changes: [add(inside, k), becomes(busy, () => equal(k, k)), becomes(holder, (x) => equal(x, k))],
    })),
    step('the coordinator asks at its busy desk', { k: 'node' }, ({ k }) => ({
      when: [asks(k), equal(k, home()), busy()],
      changes: [add(waiting, k), add(queued, k)],
    })),
    ...arrivals,
    step('enters', { k: 'node' }, ({ k }) => ({
      when: [grant(k)],
      changes: [remove(grant, k), remove(waiting, k), add(inside, k)],
    })),
    step('leaves', { k: 'node' }, ({ k }) => ({
      when: [inside(k), differ(k, home())],
      changes: [remove(inside, k), add(release, k)],
    })),
    step('a release reaches the desk, and the next is served', { k: 'node', j: 'node' }, ({ k, j }) => ({
      when: [release(k), holder(k), queued(j)],
      changes: [
        remove(release, k),
        remove(queued, j),
        ...serves(j),
        becomes(inside, (x) => or(inside(x), entersAtHome(j, x))),
        becomes(waiting, (x) => and(waiting(x), not(entersAtHome(j, x)))),
      ],
    })),
    step('a release reaches the desk, and nobody waits', { k: 'node' }, ({ k }) => ({
      when: [release(k), holder(k), nobodyQueued],
      changes: [remove(release, k), becomes(busy, () => differ(k, k)), becomes(holder, () => differ(k, k))],
    })),
    step('the coordinator leaves, and the next is served', { k: 'node', j: 'node' }, ({ k, j }) => ({
      when: [inside(k), equal(k, home()), queued(j)],
      changes: [remove(queued, j), ...serves(j), remove(inside, k)],
    })),
    step('the coordinator leaves, and nobody waits', { k: 'node' }, ({ k }) => ({
      when: [inside(k), equal(k, home()), nobodyQueued],
      changes: [remove(inside, k), becomes(busy, () => differ(k, k)), becomes(holder, () => differ(k, k))],
    })),
  ],
  invariant: [
    always('there is at most one holder', { i: 'node', j: 'node' }, ({ i, j }) =>
      implies(and(holder(i), holder(j)), equal(i, j)),
    ),
    always('while a node holds or is in the queue, the desk is busy', { k: 'node' }, ({ k }) =>
      implies(or(holder(k), queued(k)), busy()),
    ),
    always(
      'a node that is inside, has a grant under way, or has just left is the holder',
      { k: 'node' },
      ({ k }) => implies(or(inside(k), grant(k), release(k)), holder(k)),
    ),
    always('a node with a grant under way is not inside yet, and has not left', { k: 'node' }, ({ k }) =>
      and(not(and(grant(k), inside(k))), not(and(grant(k), release(k))), not(and(inside(k), release(k)))),
    ),
    always(
      'a node is in the queue, asks, or has a grant under way: at most one of these, and then it waits',
      { k: 'node' },
      ({ k }) =>
        and(
          implies(or(queued(k), request(k), grant(k)), waiting(k), not(inside(k))),
          not(and(queued(k), request(k))),
          not(and(queued(k), grant(k))),
          not(and(request(k), grant(k))),
        ),
    ),
    always('no message goes from the coordinator to itself', { k: 'node' }, ({ k }) =>
      implies(or(request(k), grant(k), release(k)), differ(k, home())),
    ),
  ],
  goals: [exclusion(inside)],
}

export const proof: Proof<State, Message> = {
  algorithm,
  model,
  assumes: ['messages are neither lost nor doubled'],
  leavesOut: ['the order of the queue'],
  see({ setup, nodes, mail }, note) {
    note.is(home, setup.home)
    for (const { node, state, inside: isInside, waiting: isWaiting } of nodes) {
      if (isWaiting) note.holds(waiting, node)
      if (isInside) note.holds(inside, node)
      if (state.desk === null) continue
      if (state.desk.holder !== null) {
        note.holds(busy)
        note.holds(holder, state.desk.holder)
      }
      for (const waits of state.desk.queue) note.holds(queued, waits)
    }
    for (const { from, to, message } of mail) {
      if (message.type === 'request') note.holds(request, from)
      else if (message.type === 'release') note.holds(release, from)
      else note.holds(grant, to)
    }
  },
  tied: [
    { nodes: 2, requests: 2, sizes: {} },
    { nodes: 3, requests: 2, sizes: {} },
  ],
  broken: [
    {
      name: 'grants-at-once',
      rule: 'The coordinator grants every request at once.',
      model: withSteps(
        model,
        step('a request reaches the busy desk', { k: 'node' }, ({ k }) => ({
          when: [request(k), busy()],
          changes: [remove(request, k), ...serves(k)],
        })),
      ),
      breaks: {
        step: 'a request reaches the busy desk',
        clause: 'a node that is inside, has a grant under way, or has just left is the holder',
      },
    },
  ],
}
