/**
 * Ricart and Agrawala (1981) for any number of nodes; the text is `permission/ricart-agrawala.ts`.
 *
 * Messages are sets: `request(j, i, k)` is under way from j to i with the number k. Any message under way may arrive, so channels need not keep
 * order. A node picks any number above all it has seen; the text takes the next.
 *
 * The invariant follows one request of i on its way through j. It is under way, or deferred at j, or its reply is under way, or i has the
 * reply, and always in one of these alone. Once j has replied, the pair (number, node) of i comes before that of j: either it did when j
 * compared, or j chose its number later, when it had seen that of i. So two nodes that have each other's reply would come before each other.
 */
import {
  ricartAgrawala as algorithm,
  type Message,
  type State,
} from '@turnwise/algorithms/permission/ricart-agrawala'
import {
  and,
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
import { add, always, becomes, exclusion, type Model, remove, set, step, withSteps } from '../model.ts'
import type { Proof } from '../proof.ts'
import { atMost, below, least, precedes, stampAxioms, stampSymbols } from '../stamps.ts'

/** Requesting_Critical_Section: it wants to enter, or is inside. */
const asks = relation('asks', 'node')
/** Our_Sequence_Number of a node that asks; of others it is the least number. */
const ours = mapping('ours', ['node'], 'number')
/** Highest_Sequence_Number. */
const highest = mapping('highest', ['node'], 'number')
/** i misses the reply of j. */
const awaiting = relation('awaiting', 'node', 'node')
/** Reply_Deferred: i will reply to j when it leaves. */
const deferred = relation('deferred', 'node', 'node')
const inside = relation('inside', 'node')
/** From, to, with this number. */
const request = relation('request', 'node', 'node', 'number')
/** From, to. */
const reply = relation('reply', 'node', 'node')

type Node = Term<'node'>
type Number = Term<'number'>

const asksStep = step('asks', { i: 'node', k: 'number' }, ({ i, k }) => ({
  when: [not(asks(i)), below(highest(i), k)],
  changes: [
    add(asks, i),
    set(ours, [i], k),
    set(highest, [i], k),
    becomes(awaiting, (x, y) => or(awaiting(x, y), and(equal(x, i), differ(y, i)))),
    becomes(request, (x, y, l) => or(request(x, y, l), and(equal(x, i), differ(y, i), equal(l, k)))),
    // There may be no other node.
    becomes(inside, (x) =>
      or(
        inside(x),
        and(
          equal(x, i),
          forall({ y: 'node' }, ({ y }) => equal(y, i)),
        ),
      ),
    ),
  ],
}))

/** The number of a request that arrives counts as seen. */
function noted(i: Node, k: Number) {
  return set(highest, [i], either(below(highest(i), k), k, highest(i)))
}

/** A request arrives at i, which replies unless `first` says that i comes first. */
function heard(first: (i: Node, j: Node, k: Number) => Formula) {
  const parameters = { i: 'node', j: 'node', k: 'number' } as const
  return [
    step('replies', parameters, ({ i, j, k }) => ({
      when: [request(j, i, k), not(first(i, j, k))],
      changes: [remove(request, j, i, k), noted(i, k), add(reply, i, j)],
    })),
    step('defers', parameters, ({ i, j, k }) => ({
      when: [request(j, i, k), first(i, j, k)],
      changes: [remove(request, j, i, k), noted(i, k), add(deferred, i, j)],
    })),
  ]
}

const receivesReply = step('receives a reply', { i: 'node', j: 'node' }, ({ i, j }) => ({
  when: [reply(j, i), awaiting(i, j)],
  changes: [
    remove(reply, j, i),
    remove(awaiting, i, j),
    becomes(inside, (x) =>
      or(
        inside(x),
        and(
          equal(x, i),
          forall({ y: 'node' }, ({ y }) => implies(awaiting(i, y), equal(y, j))),
        ),
      ),
    ),
  ],
}))

const leaves = step('leaves', { i: 'node' }, ({ i }) => ({
  when: [inside(i)],
  changes: [
    remove(inside, i),
    remove(asks, i),
    set(ours, [i], least()),
    becomes(reply, (x, y) => or(reply(x, y), and(equal(x, i), deferred(i, y)))),
    becomes(deferred, (x, y) => and(deferred(x, y), differ(x, i))),
  ],
}))

const model: Model = {
  sorts: ['node', 'number'],
  symbols: [
    ...[asks, ours, highest, awaiting, deferred, inside, request, reply].map(({ symbol }) => symbol),
    ...stampSymbols,
  ],
  axioms: stampAxioms,
  first: [
    always('nobody asks, and nothing is under way', { i: 'node', j: 'node', k: 'number' }, ({ i, j, k }) =>
      and(
        not(asks(i)),
        not(inside(i)),
        not(awaiting(i, j)),
        not(deferred(i, j)),
        not(request(i, j, k)),
        not(reply(i, j)),
      ),
    ),
    always('no number was seen', { i: 'node' }, ({ i }) =>
      and(equal(ours(i), least()), equal(highest(i), least())),
    ),
  ],
  steps: [asksStep, ...heard((i, j, k) => and(asks(i), precedes(ours(i), i, k, j))), receivesReply, leaves],
  invariant: [
    always(
      'only a node that asks awaits replies, and none from itself',
      { i: 'node', j: 'node' },
      ({ i, j }) => implies(awaiting(i, j), asks(i), differ(i, j)),
    ),
    always(
      'a request under way awaits its reply, and has the number of its sender',
      { i: 'node', j: 'node', k: 'number' },
      ({ i, j, k }) => implies(request(i, j, k), awaiting(i, j), equal(k, ours(i))),
    ),
    always('a request under way is not answered yet', { i: 'node', j: 'node', k: 'number' }, ({ i, j, k }) =>
      implies(request(i, j, k), not(reply(j, i)), not(deferred(j, i))),
    ),
    always('a reply under way is awaited, and not deferred', { i: 'node', j: 'node' }, ({ i, j }) =>
      implies(reply(j, i), awaiting(i, j), not(deferred(j, i))),
    ),
    always('a deferred reply is awaited by a node that comes later', { i: 'node', j: 'node' }, ({ i, j }) =>
      implies(deferred(j, i), awaiting(i, j), asks(j), precedes(ours(j), j, ours(i), i)),
    ),
    always(
      'a node that is inside has an open request, and awaits no reply',
      { i: 'node', j: 'node' },
      ({ i, j }) => implies(inside(i), asks(i), not(awaiting(i, j))),
    ),
    always('a node has seen its own number', { i: 'node' }, ({ i }) =>
      implies(asks(i), atMost(ours(i), highest(i))),
    ),
    always('a node that has received a request has seen its number', { i: 'node', j: 'node' }, ({ i, j }) =>
      implies(
        and(asks(i), or(deferred(j, i), reply(j, i), not(awaiting(i, j)))),
        atMost(ours(i), highest(j)),
      ),
    ),
    always('a node that has replied and asks comes later', { i: 'node', j: 'node' }, ({ i, j }) =>
      implies(
        and(asks(i), asks(j), differ(i, j), or(reply(j, i), not(awaiting(i, j)))),
        precedes(ours(i), i, ours(j), j),
      ),
    ),
  ],
  goals: [exclusion(inside)],
}

export const proof: Proof<State, Message> = {
  algorithm,
  model,
  assumes: ['messages are neither lost nor doubled', 'numbers and nodes are totally ordered'],
  leavesOut: ['readers (6.6)', 'increments other than one, and delayed reading (6.5)'],
  see({ nodes, mail }, note) {
    for (const { node, state, inside: isInside } of nodes) {
      if (state.ours !== null) note.holds(asks, node)
      note.is(ours, state.ours ?? 0, node)
      note.is(highest, state.highest, node)
      state.awaiting.forEach((missing, other) => missing && note.holds(awaiting, node, other))
      state.deferred.forEach((waits, other) => waits && note.holds(deferred, node, other))
      if (isInside) note.holds(inside, node)
    }
    for (const { from, to, message } of mail) {
      if (message.type === 'request') note.holds(request, from, to, message.number)
      else note.holds(reply, from, to)
    }
  },
  tied: [
    { nodes: 2, requests: 2, sizes: { number: 5 } },
    { nodes: 3, requests: 1, sizes: { number: 4 } },
  ],
  broken: [
    {
      name: 'without-tie-break',
      rule: 'Of two requests with the same number neither has priority.',
      model: withSteps(model, ...heard((i, _j, k) => and(asks(i), below(ours(i), k)))),
      breaks: { step: 'replies', clause: 'a node that has replied and asks comes later' },
    },
    {
      name: 'replies-inside',
      rule: 'A node that is inside replies at once.',
      model: withSteps(
        model,
        ...heard((i, j, k) => and(asks(i), not(inside(i)), precedes(ours(i), i, k, j))),
      ),
      breaks: { step: 'replies', clause: 'a node that has replied and asks comes later' },
    },
  ],
}
