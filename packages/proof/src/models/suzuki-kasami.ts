/**
 * Suzuki and Kasami (1985) for any number of nodes; the text is `token/suzuki-kasami.ts`.
 *
 * There is one token, so the lists that it carries are state of the model: LN is `served`, its queue is the set `queued`. A holder may pass it to any node of
 * the queue, where the text takes the first. A node numbers its request with any number above its last.
 *
 * Beside the one token the invariant follows the numbers. No node believes that another has asked more often than it did, so a request that is newer
 * than the last one served is that of a node that waits. So the token goes only to a node that waits for it, and it enters.
 */
import { suzukiKasami as algorithm, type Message, type State } from '@turnwise/algorithms/token/suzuki-kasami'
import {
  and,
  constant,
  differ,
  either,
  equal,
  type Formula,
  forall,
  implies,
  mapping,
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
  order,
  remove,
  set,
  step,
  tokenGoal,
  withSteps,
} from '../model.ts'
import type { Proof } from '../proof.ts'

/** RN: the highest number that the first node heard from the second; of its own requests, the last. */
const requested = mapping('requested', ['node', 'node'], 'number')
/** Have_Privilege. */
const holds = relation('holds', 'node')
/** PRIVILEGE is under way to this node. */
const token = relation('token', 'node')
/** LN, on the token: the number of a node's request that was served last. */
const served = mapping('served', ['node'], 'number')
/** Q, on the token. */
const queued = relation('queued', 'node')
const waiting = relation('waiting', 'node')
const inside = relation('inside', 'node')
/** From, to, with this number. */
const request = relation('request', 'node', 'node', 'number')

const { below, axioms } = order('below', 'number')
const least = constant('least', 'number')

type Node = Term<'node'>
type Number = Term<'number'>

const atMost = (k: Number, l: Number) => not(below(l, k))

/** As the holder i sees it, j has asked since it was served. */
const isDue = (i: Node, j: Node) => below(served(j), requested(i, j))

/** Who is in the queue when i leaves. */
const waitsAtExit = (i: Node, j: Node) => or(queued(j), and(differ(j, i), isDue(i, j)))

/** Where a request with the number k arrives: what i then knows of j. */
const heard = (i: Node, j: Node, k: Number) => either(below(requested(i, j), k), k, requested(i, j))

/** A request arrives at i, which passes the token on if `due` says so. */
function arrivals(due: (i: Node, j: Node, k: Number) => Formula) {
  const parameters = { i: 'node', j: 'node', k: 'number' } as const
  const passes = (i: Node, j: Node, k: Number) => and(holds(i), not(inside(i)), due(i, j, k))
  return [
    step('receives a request', parameters, ({ i, j, k }) => ({
      when: [request(j, i, k), not(passes(i, j, k))],
      changes: [remove(request, j, i, k), set(requested, [i, j], heard(i, j, k))],
    })),
    step('receives a request, and passes the token', parameters, ({ i, j, k }) => ({
      when: [request(j, i, k), passes(i, j, k)],
      changes: [
        remove(request, j, i, k),
        set(requested, [i, j], heard(i, j, k)),
        remove(holds, i),
        add(token, j),
      ],
    })),
  ]
}

const model: Model = {
  sorts: ['node', 'number'],
  symbols: [requested, holds, token, served, queued, waiting, inside, request, below, least].map(
    ({ symbol }) => symbol,
  ),
  axioms: [...axioms, always('least is below all others', { k: 'number' }, ({ k }) => atMost(least(), k))],
  first: [
    heldAtFirst(holds),
    always('nobody asks, and nothing is under way', { i: 'node', j: 'node', k: 'number' }, ({ i, j, k }) =>
      and(not(waiting(i)), not(inside(i)), not(token(i)), not(queued(i)), not(request(i, j, k))),
    ),
    always('no number was used', { i: 'node', j: 'node' }, ({ i, j }) =>
      and(equal(requested(i, j), least()), equal(served(i), least())),
    ),
  ],
  steps: [
    step('asks', { i: 'node', k: 'number' }, ({ i, k }) => ({
      when: [not(waiting(i)), not(inside(i)), not(holds(i)), below(requested(i, i), k)],
      changes: [
        add(waiting, i),
        set(requested, [i, i], k),
        becomes(request, (x, y, l) => or(request(x, y, l), and(equal(x, i), differ(y, i), equal(l, k)))),
      ],
    })),
    step('asks where the token is', { i: 'node' }, ({ i }) => ({
      when: [not(waiting(i)), not(inside(i)), holds(i)],
      changes: [add(inside, i)],
    })),
    ...arrivals((i, j, k) => below(served(j), heard(i, j, k))),
    step('receives the token', { i: 'node' }, ({ i }) => ({
      when: [token(i)],
      changes: [remove(token, i), add(holds, i), remove(waiting, i), add(inside, i)],
    })),
    step('leaves, and passes the token', { i: 'node', j: 'node' }, ({ i, j }) => ({
      when: [inside(i), waitsAtExit(i, j)],
      changes: [
        remove(inside, i),
        set(served, [i], requested(i, i)),
        becomes(queued, (x) => and(waitsAtExit(i, x), differ(x, j))),
        remove(holds, i),
        add(token, j),
      ],
    })),
    step('leaves, and keeps the token', { i: 'node' }, ({ i }) => ({
      when: [inside(i), forall({ j: 'node' }, ({ j }) => not(waitsAtExit(i, j)))],
      changes: [remove(inside, i), set(served, [i], requested(i, i))],
    })),
  ],
  invariant: [
    ...oneToken(holds, token),
    insideHolds(inside, holds),
    always('no node is believed to have asked more often than it did', { i: 'node', j: 'node' }, ({ i, j }) =>
      atMost(requested(i, j), requested(j, j)),
    ),
    always(
      'no request has a number that its sender did not use',
      { i: 'node', j: 'node', k: 'number' },
      ({ i, j, k }) => implies(request(j, i, k), atMost(k, requested(j, j)), differ(i, j)),
    ),
    always('a node that was not served waits, or is inside', { i: 'node' }, ({ i }) =>
      implies(below(served(i), requested(i, i)), or(waiting(i), inside(i))),
    ),
    always('no request was served that was not made', { i: 'node' }, ({ i }) =>
      atMost(served(i), requested(i, i)),
    ),
    always('a token that is not in use has an empty queue', { i: 'node', j: 'node' }, ({ i, j }) =>
      implies(and(holds(i), not(inside(i))), not(queued(j))),
    ),
    always('a node in the queue waits', { i: 'node' }, ({ i }) => implies(queued(i), waiting(i))),
    always('the token is on its way to a waiting node that is not in the queue', { i: 'node' }, ({ i }) =>
      implies(token(i), waiting(i), not(queued(i))),
    ),
    always('a waiting node is not inside, and does not hold the token', { i: 'node' }, ({ i }) =>
      implies(waiting(i), not(inside(i)), not(holds(i))),
    ),
  ],
  goals: [
    exclusion(inside),
    tokenGoal(holds, token),
    always('wanted: the token goes only to a node that waits', { i: 'node' }, ({ i }) =>
      implies(token(i), waiting(i)),
    ),
  ],
}

export const proof: Proof<State, Message> = {
  algorithm,
  model,
  assumes: [
    'messages are neither lost nor doubled',
    'numbers are totally ordered',
    'one node has the token at first',
  ],
  leavesOut: ['the order of the queue'],
  see({ nodes, mail }, note) {
    const travels = mail.map(({ message }) => (message.type === 'privilege' ? message.token : null))
    const [place = null] = [...nodes.map(({ state }) => state.token), ...travels].filter(
      (each) => each !== null,
    )
    place?.served.forEach((number, node) => note.is(served, number, node))
    for (const node of place?.queue ?? []) note.holds(queued, node)
    for (const { node, state, inside: isInside, waiting: isWaiting } of nodes) {
      state.requested.forEach((number, other) => note.is(requested, number, node, other))
      if (state.token !== null) note.holds(holds, node)
      if (isInside) note.holds(inside, node)
      if (isWaiting) note.holds(waiting, node)
    }
    for (const { from, to, message } of mail) {
      if (message.type === 'request') note.holds(request, from, to, message.number)
      else note.holds(token, to)
    }
  },
  tied: [
    { nodes: 2, requests: 2, sizes: { number: 3 } },
    { nodes: 3, requests: 1, sizes: { number: 2 } },
  ],
  broken: [
    {
      name: 'serves-old-requests',
      rule: 'A holder that hears a request passes the token without looking whether it was served.',
      model: withSteps(model, ...arrivals((i) => equal(i, i))),
      breaks: {
        step: 'receives a request, and passes the token',
        clause: 'the token is on its way to a waiting node that is not in the queue',
      },
    },
  ],
}
