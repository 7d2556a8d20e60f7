/**
 * Lamport (1978) for any number of nodes; the text is `permission/lamport.ts`.
 *
 * Messages are sets. A node stamps each message that it sends to another later than the one before, so the order of a channel is that of the stamps
 * in it: a message arrives when none with a smaller stamp is under way from the same node. Of the number that a clock moves on to, the proof
 * needs only that it is larger.
 *
 * The invariant follows the request of i to j. It is under way, or it stands in the queue of j with nothing behind it that could take it out. Where
 * j has heard something from i that is later than its own request, all that still comes from i is later too. So of two nodes that are inside, each
 * would have the request of the other in its queue, or on its way, and in both cases behind its own.
 */
import { lamport as algorithm, type Message, type State } from '@turnwise/algorithms/permission/lamport'
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
  type Relation,
  relation,
  rigid,
  type Term,
} from '../logic/formula.ts'
import { add, always, becomes, exclusion, type Model, remove, set, step, withSteps } from '../model.ts'
import type { Proof } from '../proof.ts'
import { atMost, below, least, precedes, stampAxioms, stampSymbols } from '../stamps.ts'

/** C, the logical clock. */
const clock = mapping('clock', ['node'], 'number')
/** The queue of the first node: the stamp of the second's request, or the least number if it has none there. */
const queue = mapping('queue', ['node', 'node'], 'number')
/** The first node waits, and the second has sent it something later than its request. */
const heard = relation('heard', 'node', 'node')
const inside = relation('inside', 'node')
/** From, to, with this stamp. */
const request = relation('request', 'node', 'node', 'number')
const reply = relation('reply', 'node', 'node', 'number')
const release = relation('release', 'node', 'node', 'number')

/** A clock that shows the first number may show the second next. */
const next = rigid('next', 'number', 'number')

type Node = Term<'node'>
type Number = Term<'number'>

/** The stamp of the request of i, as it stands in its own queue. */
const ours = (i: Node) => queue(i, i)
const asks = (i: Node) => differ(ours(i), least())
const waits = (i: Node) => and(asks(i), not(inside(i)))
const underWay = (j: Node, i: Node, k: Number) => or(request(j, i, k), reply(j, i, k), release(j, i, k))

/** Channels keep order: nothing that j sent to i before is still under way. */
function isNext(j: Node, i: Node, k: Number): Formula {
  return forall({ l: 'number' }, ({ l }) => implies(underWay(j, i, l), atMost(k, l)))
}

const parameters = { i: 'node', j: 'node', k: 'number', l: 'number' } as const

/** The clock of i moves on to l when a message stamped k arrives from j; where that is later than the request of i, j is heard. */
function hears(i: Node, j: Node, k: Number, l: Number) {
  return {
    when: [next(either(below(clock(i), k), k, clock(i)), l)],
    changes: [
      set(clock, [i], l),
      becomes(heard, (x, y) =>
        or(heard(x, y), and(equal(x, i), equal(y, j), waits(i), precedes(ours(i), i, k, j))),
      ),
    ],
  }
}

/** The arrivals of messages. `may` says whether a message may arrive before others of its channel. */
function arrivals(may: (j: Node, i: Node, k: Number) => Formula) {
  return [
    step('receives a request, and replies', parameters, ({ i, j, k, l }) => {
      const { when, changes } = hears(i, j, k, l)
      return {
        when: [request(j, i, k), may(j, i, k), ...when],
        changes: [...changes, remove(request, j, i, k), set(queue, [i, j], k), add(reply, i, j, l)],
      }
    }),
    step('receives a reply', parameters, ({ i, j, k, l }) => {
      const { when, changes } = hears(i, j, k, l)
      return { when: [reply(j, i, k), may(j, i, k), ...when], changes: [...changes, remove(reply, j, i, k)] }
    }),
    step('receives a release', parameters, ({ i, j, k, l }) => {
      const { when, changes } = hears(i, j, k, l)
      return {
        when: [release(j, i, k), may(j, i, k), ...when],
        changes: [...changes, remove(release, j, i, k), set(queue, [i, j], least())],
      }
    }),
  ]
}

const isFirst = (i: Node) =>
  forall({ y: 'node' }, ({ y }) =>
    or(equal(y, i), equal(queue(i, y), least()), precedes(ours(i), i, queue(i, y), y)),
  )

const hasHeardAll = (i: Node) => forall({ y: 'node' }, ({ y }) => or(equal(y, i), heard(i, y)))

function enters(...when: ((i: Node) => Formula)[]) {
  return step('enters', { i: 'node' }, ({ i }) => ({
    when: [waits(i), ...when.map((each) => each(i))],
    changes: [add(inside, i), becomes(heard, (x, y) => and(heard(x, y), differ(x, i)))],
  }))
}

/** To all others. */
function sends(message: Relation<readonly ['node', 'node', 'number']>, i: Node, k: Number) {
  return becomes(message, (x, y, l) => or(message(x, y, l), and(equal(x, i), differ(y, i), equal(l, k))))
}

const model: Model = {
  sorts: ['node', 'number'],
  symbols: [
    ...[clock, queue, heard, inside, request, reply, release, next].map(({ symbol }) => symbol),
    ...stampSymbols,
  ],
  axioms: [
    ...stampAxioms,
    always('the next number is larger', { k: 'number', l: 'number' }, ({ k, l }) =>
      implies(next(k, l), below(k, l)),
    ),
  ],
  first: [
    always('nobody asks, and nothing is under way', { i: 'node', j: 'node', k: 'number' }, ({ i, j, k }) =>
      and(equal(queue(i, j), least()), not(heard(i, j)), not(inside(i)), not(underWay(i, j, k))),
    ),
    always('no clock has moved', { i: 'node' }, ({ i }) => equal(clock(i), least())),
  ],
  steps: [
    step('asks', { i: 'node', k: 'number' }, ({ i, k }) => ({
      when: [not(asks(i)), next(clock(i), k)],
      changes: [set(clock, [i], k), set(queue, [i, i], k), sends(request, i, k)],
    })),
    ...arrivals(isNext),
    enters(hasHeardAll, isFirst),
    step('leaves', { i: 'node', k: 'number' }, ({ i, k }) => ({
      when: [inside(i), next(clock(i), k)],
      changes: [set(clock, [i], k), set(queue, [i, i], least()), remove(inside, i), sends(release, i, k)],
    })),
  ],
  invariant: [
    always('a node that is inside has an open request', { i: 'node' }, ({ i }) =>
      implies(inside(i), asks(i)),
    ),
    always('only a waiting node has heard others since it asked', { i: 'node', j: 'node' }, ({ i, j }) =>
      implies(heard(i, j), waits(i)),
    ),
    always(
      'no stamp is later than the clock of its node',
      { i: 'node', j: 'node', k: 'number' },
      ({ i, j, k }) =>
        and(atMost(ours(i), clock(i)), implies(underWay(i, j, k), atMost(k, clock(i)), differ(i, j))),
    ),
    always(
      'if a node has an open request, none of its requests under way is newer, and its releases are older',
      { i: 'node', j: 'node', k: 'number' },
      ({ i, j, k }) =>
        implies(
          asks(i),
          implies(request(i, j, k), atMost(k, ours(i))),
          implies(release(i, j, k), below(k, ours(i))),
        ),
    ),
    always(
      'a request is under way, or stands in the queue with no request or release behind it',
      { i: 'node', j: 'node', k: 'number' },
      ({ i, j, k }) =>
        implies(
          and(asks(i), differ(i, j)),
          or(
            request(i, j, ours(i)),
            and(equal(queue(j, i), ours(i)), not(request(i, j, k)), not(release(i, j, k))),
          ),
        ),
    ),
    always(
      'once a node was heard, no message from it precedes our own request',
      { i: 'node', j: 'node', k: 'number' },
      ({ i, j, k }) =>
        implies(
          and(differ(i, j), or(inside(i), heard(i, j))),
          atMost(ours(i), clock(j)),
          implies(underWay(j, i, k), precedes(ours(i), i, k, j)),
        ),
    ),
    always('a node that is inside is first in its own queue', { i: 'node' }, ({ i }) =>
      implies(inside(i), isFirst(i)),
    ),
  ],
  goals: [exclusion(inside)],
}

export const proof: Proof<State, Message> = {
  algorithm,
  model,
  assumes: [
    'messages are neither lost nor doubled',
    'channels keep order',
    'numbers and nodes are totally ordered',
  ],
  leavesOut: ['replies that are saved (savereplies)'],
  see({ nodes, mail, sizes }, note) {
    for (let number = 1; number < (sizes['number'] ?? 0); number += 1) note.holds(next, number - 1, number)
    for (const { node, state } of nodes) {
      note.is(clock, state.clock, node)
      state.queue.forEach((time, other) => note.is(queue, time ?? 0, node, other))
      state.heard?.forEach((hasSent, other) => hasSent && other !== node && note.holds(heard, node, other))
      if (state.inside) note.holds(inside, node)
    }
    const kinds = { request, reply, release }
    for (const { from, to, message } of mail) note.holds(kinds[message.type], from, to, message.time)
  },
  together: 2,
  tied: [
    { nodes: 2, requests: 2, sizes: { number: 24 } },
    { nodes: 3, requests: 1, askers: 2, sizes: { number: 16 } },
  ],
  broken: [
    {
      name: 'without-order',
      rule: 'Messages of a channel overtake each other.',
      model: withSteps(model, ...arrivals((_j, i) => equal(i, i))),
      breaks: {
        step: 'receives a reply',
        clause: 'once a node was heard, no message from it precedes our own request',
      },
    },
    {
      name: 'without-hearing-all',
      rule: 'A node enters when its request is first in its own queue, whether it has heard all others or not.',
      model: withSteps(model, enters(isFirst)),
      breaks: {
        step: 'enters',
        clause: 'once a node was heard, no message from it precedes our own request',
      },
    },
  ],
}
