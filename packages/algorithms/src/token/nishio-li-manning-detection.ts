/**
 * How `nishio-li-manning` gets over a node that fails and does not come back. Velazquez 1993, section 4, has the new token
 * wait for the ACKs of all: a node that is silent is asked again, since a controller that fails is expected back with
 * its memory. That is safe whatever happens, and stops everyone where one stays away. Of removal the survey says that it
 * takes little more. Our rule: whom the failure detector names is removed, as if it had said so itself.
 *
 * Why it is safe: whoever is dead has no token. What it has sent may be of a later age than any proposal, since who says
 * NACK outbids the proposer, and the NACK may be under way still. So nobody takes a token from one that is removed, an ACK
 * tells whom its sender has removed, and it counts where that includes all whom the proposer has removed: whoever has
 * acknowledged before is asked again (`nishio-li-manning-earlier-ack`).
 * It takes a detector that names the dead only: where it names one that is inside, or where a network splits and either
 * side names the other, there are two tokens. Why nobody starves: every silence that an inquiry, a recovery or a
 * departure waits for ends with an answer or with this.
 *
 * A regeneration costs 2(n-2) messages if the failure was noticed before. Nobody may know how often the one that failed
 * has entered, so a new token has the fences of its age.
 *
 * Whoever comes back was replaced, and its token with it: it asks all others, like one without memory, whatever it
 * remembers (`nishio-li-manning-returns-with-token`). That holds if all have noticed its failure by then, so it is not
 * claimed.
 */
import type { Algorithm, Here, NodeId } from '@turnwise/core/algorithm'
import { sendingThrough } from '@turnwise/core/extension'
import { LEAP } from './fence-leap.ts'
import {
  type Message as BaseMessage,
  nishioLiManning,
  type Options,
  type State,
  shapesWith,
} from './nishio-li-manning.ts'
import { finishRecovery, inherits, remind, startRecovery } from './nishio-li-manning-membership.ts'
import { ask, countAcks, inquire } from './nishio-li-manning-regeneration.ts'

type Ack = Extract<BaseMessage, { type: 'ack' }> & {
  /** Whom the sender counts as members. */
  readonly members: readonly boolean[]
}

export type Message = Exclude<BaseMessage, { type: 'ack' }> | Ack

type Place = Here<Message, Options>

const { facts, tokens, receive } = nishioLiManning
/** A fence begins anew from the number of an age, so that is no clock that could be shifted. */
const shapes = shapesWith('data')

export const nishioLiManningDetection: Algorithm<State, Message, Options> = {
  ...nishioLiManning,
  facts: {
    ...facts,
    name: 'nishio-li-manning-detection',
    title: 'Nishio-Li-Manning, failure detection',
    idea:
      'Nishio, Li and Manning where a node may fail for good: whom the failure detector names is removed, and nobody ' +
      'needs its word for a new token. The detector must never err, nor a network split.',
    // Where a network splits, either side would name the other.
    faults: [...facts.faults.filter((kind) => kind !== 'split'), 'crash'],
  },
  shapes: {
    ...shapes,
    messages: { ...shapes.messages, ack: { ...shapes.messages.ack, members: { perNode: 'data' } } },
  },
  tokens: {
    held: ({ token }) => (token === null ? 0 : 1),
    carried: (message) => tokens?.carried(message) ?? 0,
    isVoid: (message, receiver, from, to) =>
      !receiver.members[from] || tokens?.isVoid?.(message, receiver, from, to) === true,
  },

  timeout: (node, here, timer) => nishioLiManning.timeout?.(node, making(node, here), timer),
  suspect: remove,
  restore(node, _here, peer) {
    node.members[peer] = true
  },
  restart: startRecovery,
  receive: {
    ...receive,
    request(node, here, message, from) {
      // What the dead asked for before they died comes late: the token would be lost with them.
      if (node.members[from]) receive.request(node, here, message, from)
    },
    token(node, here, message, from) {
      if (node.members[from]) receive.token(node, here, message, from)
      else if (node.waiting && node.inquiry === null && node.recovery === null) ask(node, here)
    },
    'token-missing'(node, here, message, from) {
      const place = sendingThrough<BaseMessage, Options>(here, (to, said) =>
        here.send(to, said.type === 'ack' ? { ...said, members: [...node.members] } : said),
      )
      receive['token-missing'](node, place, message, from)
    },
    ack(node, here, message, from) {
      const knows = node.members.every((isMember, other) => isMember || !message.members[other])
      if (knows) receive.ack(node, making(node, here), message, from)
    },
    leaving(node, here, message, from) {
      const isInherited = message.bequest !== null && inherits(node, message.bequest, from)
      receive.leaving(node, isInherited ? here : making(node, here), message, from)
    },
  },
}

/** Where nobody enters but with a token that is made anew: it has the fences of its age. */
export function making(node: State, here: Place): Place {
  return {
    ...sendingThrough<Message, Options>(here, (to, message) => here.send(to, message)),
    enter() {
      const { token, age } = node
      if (token === null) return
      node.fence = age.number * LEAP + 1
      node.token = { ...token, fence: node.fence }
      here.enter(node.fence)
    },
  }
}

/** Nobody need wait for it any longer. What was acknowledged while it may have had the token has to be so again. */
function remove(node: State, here: Place, peer: NodeId): void {
  node.members[peer] = false
  finishRecovery(node, here)
  if (node.departure !== null) {
    // Perhaps it was the heir, and has handed the token on already: it is not given to another, but missed if it is lost.
    node.departure.bequest = null
    remind(node, here)
  }
  if (node.inquiry === null) return
  node.inquiry.granted.fill(null)
  inquire(node, here)
  countAcks(node, making(node, here), node.inquiry)
}
