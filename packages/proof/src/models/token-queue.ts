/**
 * The token with its queue, the default of the locks, for any number of nodes: writers, readers, updates, and callers that give up. The text is
 * `token/token-queue.ts`.
 *
 * The model leaves out where a request is. It is out: in a message, in the line, or among those that a node has absorbed; and the owner may serve any that is out.
 * So what is proved depends neither on the pointers nor on the order of the line. Copies are sets, where the text counts those that are missing, and for whom a
 * copy is recalled is left out: it is the node that has the token, or gets it. Messages may overtake each other.
 *
 * The invariant: there is one token, and a copy that exists is in the owner's list, or recalled, or belongs to the node to which the token is under way and
 * ends when it comes. Who writes has the token, an empty list, and no recall that is open. So there is no copy then; and who reads needs one, or
 * the token.
 */
import { tokenQueue as algorithm, type Message, type State } from '@turnwise/algorithms/token/token-queue'
import {
  and,
  atMostOne,
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
  heldAtFirst,
  type Model,
  oneToken,
  remove,
  step,
  tokenGoal,
  withSteps,
} from '../model.ts'
import type { Proof } from '../proof.ts'

/** To have the token is to own the lock. */
const holds = relation('holds', 'node')
/** It is under way to this node. */
const token = relation('token', 'node')
/** WAITS. */
const wantsRead = relation('wants-read', 'node')
const wantsWrite = relation('wants-write', 'node')
const wantsUpdate = relation('wants-update', 'node')
/** INSIDE. */
const reads = relation('reads', 'node')
const writes = relation('writes', 'node')
const updates = relation('updates', 'node')
/** A request of this node is out, for a copy or for the token: under way, or a place in line, also its own at the owner. */
const asksCopy = relation('asks-copy', 'node')
const asksToken = relation('asks-token', 'node')
/** COPIES, at the owner. */
const given = relation('given', 'node')
/** A copy is under way to this node, or here. */
const comes = relation('comes', 'node')
const copy = relation('copy', 'node')
/** The copy of this node is recalled: RECALL is under way to it, or it has come and the copy is still to go. */
const recalled = relation('recalled', 'node')
/** Its copy is under way back. */
const returned = relation('returned', 'node')

type Node = Term<'node'>

const wants = (i: Node) => or(wantsRead(i), wantsWrite(i), wantsUpdate(i))
const isInside = (i: Node) => or(reads(i), writes(i), updates(i))
const isIdle = (i: Node) => and(not(wants(i)), not(isInside(i)))
/** What the node asked for is still to come. */
const expects = (i: Node) => or(asksCopy(i), asksToken(i), comes(i), token(i))
/** MISSING is zero. */
const noneMissing = forall({ x: 'node' }, ({ x }) => and(not(recalled(x)), not(returned(x))))
const noneGiven = forall({ x: 'node' }, ({ x }) => not(given(x)))

const one = { i: 'node' } as const
const two = { i: 'node', j: 'node' } as const

/** The owner enters to write; `when` says what must be back. */
function entersToWrite(...when: readonly Formula[]) {
  return step('enters to write', one, ({ i }) => ({
    when: [holds(i), asksToken(i), wantsWrite(i), not(writes(i)), ...when],
    changes: [remove(asksToken, i), remove(wantsWrite, i), remove(updates, i), add(writes, i)],
  }))
}

/** The owner passes the token on. All copies are recalled, but that of the next; `own` says whether that is so of its own reading, too. */
function passes(own: boolean) {
  return step('passes the token', two, ({ i, j }) => ({
    when: [holds(i), differ(i, j), asksToken(j), not(writes(i)), not(updates(i)), noneMissing],
    changes: [
      remove(holds, i),
      remove(asksToken, j),
      add(token, j),
      becomes(recalled, (x) =>
        or(recalled(x), and(given(x), differ(x, j)), ...(own ? [and(equal(x, i), reads(i))] : [])),
      ),
      becomes(given, () => differ(i, i)),
      becomes(copy, (x) => or(copy(x), and(equal(x, i), reads(i)))),
    ],
  }))
}

const askingSteps = [
  step('wants to read', one, ({ i }) => ({ when: [isIdle(i)], changes: [add(wantsRead, i)] })),
  step('wants to write', one, ({ i }) => ({ when: [isIdle(i)], changes: [add(wantsWrite, i)] })),
  step('wants to update', one, ({ i }) => ({ when: [isIdle(i)], changes: [add(wantsUpdate, i)] })),
  step('wants to write, and may update', one, ({ i }) => ({
    when: [updates(i), not(wantsWrite(i))],
    changes: [add(wantsWrite, i), add(asksToken, i)],
  })),
  step('asks for a copy', one, ({ i }) => ({
    when: [wantsRead(i), not(expects(i)), not(copy(i))],
    changes: [add(asksCopy, i)],
  })),
  step('asks for the token', one, ({ i }) => ({
    when: [wants(i), not(expects(i))],
    changes: [add(asksToken, i)],
  })),
  step('has its request for a copy back', one, ({ i }) => ({
    when: [asksCopy(i), not(holds(i))],
    changes: [remove(asksCopy, i)],
  })),
  // What it asked for still comes, unless it is the owner, which takes its place out of the line.
  step('gives up', one, ({ i }) => ({
    when: [wants(i)],
    changes: [
      remove(wantsRead, i),
      remove(wantsWrite, i),
      remove(wantsUpdate, i),
      becomes(asksCopy, (x) => and(asksCopy(x), not(and(equal(x, i), holds(i))))),
      becomes(asksToken, (x) => and(asksToken(x), not(and(equal(x, i), holds(i))))),
    ],
  })),
]

const readingSteps = [
  step('gives a copy', two, ({ i, j }) => ({
    when: [holds(i), differ(i, j), asksCopy(j), not(writes(i))],
    changes: [remove(asksCopy, j), add(comes, j), add(given, j)],
  })),
  step('receives a copy', one, ({ i }) => ({
    when: [comes(i)],
    changes: [remove(comes, i), add(copy, i)],
  })),
  step('enters to read, by its copy', one, ({ i }) => ({
    when: [copy(i), wantsRead(i)],
    changes: [remove(wantsRead, i), add(reads, i)],
  })),
  step('enters to read, with the token', one, ({ i }) => ({
    when: [holds(i), asksCopy(i), not(writes(i))],
    changes: [remove(asksCopy, i), remove(wantsRead, i), add(reads, i)],
  })),
  step('gives its copy back', one, ({ i }) => ({
    when: [copy(i), recalled(i), not(reads(i))],
    changes: [remove(copy, i), remove(recalled, i), add(returned, i)],
  })),
  step('has a copy back', two, ({ i, j }) => ({
    when: [or(holds(i), token(i)), returned(j)],
    changes: [remove(returned, j)],
  })),
]

const model: Model = {
  sorts: ['node'],
  symbols: [
    holds,
    token,
    wantsRead,
    wantsWrite,
    wantsUpdate,
    reads,
    writes,
    updates,
    asksCopy,
    asksToken,
    given,
    comes,
    copy,
    recalled,
    returned,
  ].map(({ symbol }) => symbol),
  axioms: [],
  first: [
    heldAtFirst(holds),
    always('nobody asks, there are no copies, and nothing is under way', one, ({ i }) =>
      and(isIdle(i), not(expects(i)), ...[given, copy, recalled, returned].map((each) => not(each(i)))),
    ),
  ],
  steps: [
    ...askingSteps,
    ...readingSteps,
    step('recalls all copies', one, ({ i }) => ({
      when: [holds(i), asksToken(i), not(writes(i)), noneMissing],
      changes: [becomes(recalled, (x) => or(recalled(x), given(x))), becomes(given, () => differ(i, i))],
    })),
    entersToWrite(noneGiven, noneMissing),
    step('enters to update', one, ({ i }) => ({
      when: [holds(i), asksToken(i), wantsUpdate(i), not(writes(i))],
      changes: [remove(asksToken, i), remove(wantsUpdate, i), add(updates, i)],
    })),
    passes(true),
    step('receives the token', one, ({ i }) => ({
      when: [token(i)],
      changes: [
        remove(token, i),
        add(holds, i),
        remove(copy, i),
        becomes(asksToken, (x) => or(asksToken(x), and(equal(x, i), or(wantsWrite(i), wantsUpdate(i))))),
        becomes(asksCopy, (x) => or(asksCopy(x), and(equal(x, i), wantsRead(i)))),
      ],
    })),
    step('goes on as a reader', one, ({ i }) => ({
      when: [or(writes(i), updates(i)), not(wants(i))],
      changes: [remove(writes, i), remove(updates, i), add(reads, i)],
    })),
    step('leaves', one, ({ i }) => ({
      when: [isInside(i), not(wants(i))],
      changes: [remove(reads, i), remove(writes, i), remove(updates, i)],
    })),
  ],
  invariant: [
    ...oneToken(holds, token),
    always('a node that writes, or may update, has the token', one, ({ i }) =>
      implies(or(writes(i), updates(i)), holds(i)),
    ),
    always('a node that reads has the token, or a copy', one, ({ i }) =>
      implies(reads(i), or(holds(i), copy(i))),
    ),
    always('a copy is in the list, or recalled, or ends when the token comes', one, ({ i }) =>
      implies(or(copy(i), comes(i)), or(given(i), recalled(i), token(i))),
    ),
    always('while a node writes, no copy is in the list, and none is recalled', two, ({ i, j }) =>
      implies(writes(i), not(given(j)), not(recalled(j))),
    ),
    always('while the token is under way, the list of copies is empty', two, ({ i, j }) =>
      implies(token(i), not(given(j))),
    ),
    always('a node that has the token has no copy, and none in the list', one, ({ i }) =>
      implies(holds(i), not(copy(i)), not(comes(i)), not(given(i)), not(recalled(i))),
    ),
    always('a node to which the token is on its way has no recalled copy', one, ({ i }) =>
      implies(token(i), not(recalled(i))),
    ),
    always('what a node asked for is in one place only', one, ({ i }) =>
      atMostOne(asksCopy(i), asksToken(i), comes(i), token(i)),
    ),
    always('the owner is in line only while its caller waits', one, ({ i }) =>
      implies(and(holds(i), or(asksCopy(i), asksToken(i))), wants(i), implies(asksCopy(i), wantsRead(i))),
    ),
    always('a waiting node is not inside, unless it may update and waits to write', one, ({ i }) =>
      and(
        atMostOne(wantsRead(i), wantsWrite(i), wantsUpdate(i), reads(i), writes(i)),
        atMostOne(wantsRead(i), wantsUpdate(i), reads(i), writes(i), updates(i)),
      ),
    ),
    always('a node that asks for a copy has none', one, ({ i }) =>
      implies(or(asksCopy(i), comes(i)), not(copy(i))),
    ),
  ],
  goals: [
    always('exclusion: a node that writes is inside alone', two, ({ i, j }) =>
      implies(and(writes(i), isInside(j)), equal(i, j)),
    ),
    always('update: at most one node may update', two, ({ i, j }) =>
      implies(and(updates(i), updates(j)), equal(i, j)),
    ),
    tokenGoal(holds, token),
  ],
}

const ALL_MODES = { readers: 'some', downgrades: true, updates: true } as const

export const proof: Proof<State, Message> = {
  algorithm,
  model,
  assumes: ['messages are neither lost nor doubled', 'one node has the token at first'],
  leavesOut: ['where a request is, and the order of the line'],
  see({ nodes, mail }, note) {
    const waits = { shared: wantsRead, exclusive: wantsWrite, update: wantsUpdate }
    const inside = { shared: reads, exclusive: writes, update: updates }
    const out = { shared: asksCopy, exclusive: asksToken, update: asksToken }
    for (const { node, state } of nodes) {
      if (state.fence !== null) note.holds(holds, node)
      if (state.waits !== null) note.holds(waits[state.waits], node)
      if (state.inside !== null) note.holds(inside[state.inside], node)
      for (const place of state.queue) note.holds(out[place.mode], place.node)
      state.copies?.forEach((hasCopy, other) => hasCopy && note.holds(given, other))
      if (state.copy !== null) note.holds(copy, node)
      if (state.recalled !== null) note.holds(recalled, node)
    }
    for (const { from, to, message } of mail) {
      if (message.type === 'request') note.holds(out[message.mode], message.origin)
      else if (message.type === 'copy') note.holds(comes, to)
      else if (message.type === 'recall') note.holds(recalled, to)
      else if (message.type === 'returned') {
        note.holds(returned, from)
        if (message.asks !== null) note.holds(out[message.asks], from)
      } else {
        note.holds(token, to)
        for (const place of message.places) note.holds(out[place.mode], place.node)
      }
    }
  },
  together: 6,
  tied: [
    { nodes: 2, requests: 1, ...ALL_MODES, withdrawals: 1, sizes: {} },
    { nodes: 3, requests: 1, readers: 'some', sizes: {} },
    { nodes: 3, requests: 1, priorities: 2, set: ['passes=1'], sizes: {} },
    { nodes: 3, requests: 2, readers: 'some', modes: ['exclusive', 'exclusive', 'shared'], sizes: {} },
  ],
  further: [
    { nodes: 2, requests: 2, ...ALL_MODES, withdrawals: 2, sizes: {} },
    { nodes: 3, requests: 1, ...ALL_MODES, withdrawals: 1, sizes: {} },
    { nodes: 3, requests: 2, readers: 'some', sizes: {} },
    { nodes: 3, requests: 1, ...ALL_MODES, priorities: 2, set: ['passes=1'], sizes: {} },
  ],
  broken: [
    {
      name: 'ignores-missing',
      rule: 'A writer enters when it has the token and has recalled all copies, before they are back.',
      model: withSteps(model, entersToWrite(noneGiven)),
      breaks: {
        step: 'enters to write',
        clause: 'while a node writes, no copy is in the list, and none is recalled',
      },
    },
    {
      name: 'own-reading-uncounted',
      rule: 'An owner that reads passes the token on, and its own reading is not missed.',
      model: withSteps(model, passes(false)),
      breaks: {
        step: 'passes the token',
        clause: 'a copy is in the list, or recalled, or ends when the token comes',
      },
    },
  ],
}
