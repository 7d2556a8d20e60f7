/**
 * Section 7.1.2 of Helary, Plouzeau and Raynal (1988): the token is lost with the process that owns it, or on its way
 * there. The other rules are those of `helary-plouzeau-raynal-reconfiguration`.
 *
 * The paper wants an election that a majority supports, and gives no rules. Ours is an echo. A node that hears of the
 * failure of a neighbour calls an election, of a higher generation than any it has taken part in. A node that hears of
 * a higher one takes part. It passes the news on to its other neighbours. When all of them have answered, it tells the
 * neighbour from which it first heard which nodes are behind it, and whether one of them has the token. Of several
 * elections all nodes hear of the highest. Its caller makes a token of that generation if none has one, and announces
 * it down the tree. All waiting nodes broadcast their requests once more, as copies may have been lost too.
 *
 * Why there is one token: to take part is a promise to accept no token of an earlier generation. A node that has the
 * token when it takes part raises it to the new generation and says that it is present. So if all have taken part
 * without it, a token still under way is void. A majority of all nodes must have taken part, and for every other node a
 * neighbour must have said that it has failed.
 *
 * Why the token is not lost again: an election carries the failures that its caller knew of, and a node that knows of
 * another calls a higher election instead of taking part. So a token that was reported present was present after all
 * these failures. A node that has taken part, or handles a token of that election, sends nothing to the failed nodes.
 *
 * `lud` of the new token comes from the reports of the survivors. Its fence is the generation, then a counter of
 * entries. All nodes took part in the election of the last token, so a later caller has a higher number.
 *
 * Assumes fail-stop (7.1.2): failures are detected, and only failures; fewer than half of the nodes fail, and the
 * others stay connected. With e channels between m survivors an election costs 2e + m-1 messages, more if several are
 * called at once, and then up to 2e for each waiting node.
 *
 * Where we differ:
 *  - The paper lets a majority decide. That keeps two parts from making two tokens; but the process that failed may have
 *    cut the majority off from a survivor that has the token. So we require that every missing node is known to have
 *    failed. Otherwise no token is made before a channel comes up again, whose ends then see from their tables that they
 *    were not in the same election. The majority protects if the detector errs: a node that wrongly takes all others for
 *    failed makes no token, unless it has a majority. Then there are two tokens, and only fences tell them apart.
 *  - A majority of how many? Here a node knows the number of nodes, against section 2.2. While a node has left in good
 *    order (7.2), no token is made.
 *  - A node that comes back has no token. Failures are counted, so that all nodes recognize older news, even nodes that
 *    were down meanwhile. This works only if the failure was noticed before, so we do not claim to survive a restart.
 */
import type { Algorithm, Here } from '@turnwise/core/algorithm'
import { sendingThrough } from '@turnwise/core/extension'
import { firstHolder } from '@turnwise/core/setup'
import { helaryPlouzeauRaynal } from './helary-plouzeau-raynal.ts'
import {
  answered,
  comeBack,
  compareGenerations,
  type ElectionMessage,
  failed,
  isVoid,
  learnFrom,
  type Message,
  receiveElection,
  restored,
  type State,
  startRegeneration,
} from './helary-plouzeau-raynal-election.ts'
import { helaryPlouzeauRaynalReconfiguration as base } from './helary-plouzeau-raynal-reconfiguration.ts'
import { type Message as BaseMessage, SHAPES, TOKEN } from './helary-plouzeau-raynal-section-7-state.ts'

const NODES = { list: 'node' } as const
// A fence may begin anew from this number, so the checker must not shift it like a clock.
const FATES = { list: { fields: { node: 'node', changes: 'data' } } } as const
const GENERATION = { fields: { number: 'data', node: 'node', fates: FATES } } as const
const REPORT = { fields: { supporters: TOKEN.gaveAway, present: 'data' } } as const

export const helaryPlouzeauRaynalRegeneration: Algorithm<State, Message> = {
  ...base,
  facts: {
    ...base.facts,
    name: 'helary-plouzeau-raynal-regeneration',
    title: 'Helary-Plouzeau-Raynal, regeneration',
    idea:
      'Helary, Plouzeau and Raynal where the token may be lost in a crash. A node that hears of a failure calls ' +
      'an election, which asks all survivors. If none has the token, and every other node is known to have ' +
      'failed, the caller makes a new one.',
    // The rules of section 7 apply, but no token is made while a node has left in good order.
    faults: [...helaryPlouzeauRaynal.facts.faults, 'crash'],
  },
  shapes: {
    state: {
      ...SHAPES.state,
      token: { fields: { ...TOKEN, generation: GENERATION } },
      regeneration: {
        fields: {
          generation: GENERATION,
          fates: FATES,
          election: { fields: { father: 'node', awaited: NODES, children: NODES, report: REPORT } },
        },
      },
    },
    messages: {
      ...SHAPES.messages,
      token: { ...SHAPES.messages.token, generation: GENERATION },
      table: { ...SHAPES.messages.table, generation: GENERATION },
      election: { generation: GENERATION },
      support: { generation: GENERATION, report: REPORT },
      elected: { generation: GENERATION },
    },
    fence: SHAPES.fence,
  },
  tokens: {
    held: ({ token }) => (token === null ? 0 : 1),
    carried: ({ type }) => (type === 'token' ? 1 : 0),
    isVoid: (message, receiver) => message.type === 'token' && isVoid(receiver, message),
  },

  init(self, setup) {
    const generation = { number: 0, node: firstHolder(setup), fates: [] }
    const state = base.init(self, setup)
    const token = state.token === null ? null : { ...state.token, generation }
    return { ...state, token, regeneration: startRegeneration(generation) }
  },

  receive: {
    ...base.receive,
    token(node, here, token, from) {
      if (isVoid(node, token))
        return here.because?.('node {self} has promised in an election to accept no token as old as this')
      learnFrom(node, token)
      base.receive.token(node, here, token, from)
    },
    table(node, here, table, from) {
      base.receive.table(node, here, table, from)
      if (table.generation !== undefined) compareGenerations(node, here, table.generation)
    },
    ...receiveElection,
  },

  linked: (node, here, peer) => base.linked?.(node, dating(node, here), peer),
  unlinked(node, here, peer) {
    base.unlinked?.(node, here, peer)
    answered(node, here, peer, null)
  },
  suspect(node, here, peer) {
    base.suspect?.(node, here, peer)
    failed(node, here, peer)
  },
  restore(node, here, peer) {
    restored(node, here, peer)
    base.restore?.(node, dating(node, here), peer)
  },
  undelivered(node, here, to, message) {
    if (message.type === 'token' && isVoid(node, message))
      return here.because?.('the token that did not reach node {to} is void since an election', { to })
    if (isOfElection(message)) base.suspect?.(node, here, to)
    else base.undelivered?.(node, here, to, message)
    if (message.type === 'election') answered(node, here, to, null)
  },
  restart(node, here, memory) {
    here.because?.('node {self} was away: others may have made a token since')
    comeBack(node)
    base.restart?.(node, here, memory)
  },
}

function isOfElection(message: Message): message is ElectionMessage {
  return message.type === 'election' || message.type === 'support' || message.type === 'elected'
}

/** Where the rules of section 7 act: a table tells the last election too. */
function dating(node: State, here: Here<Message>): Here<BaseMessage> {
  return sendingThrough<BaseMessage, object>(here, (to, message) =>
    here.send(
      to,
      message.type === 'table' ? { ...message, generation: node.regeneration.generation } : message,
    ),
  )
}
