/**
 * How `nishio-li-manning` survives a node that fails and does not come back. In Velazquez 1993, section 4, a new token
 * needs the ACKs of all. A silent node is asked again, since a failed controller is expected back with its memory. That
 * is always safe, but one node that stays away stops all others. The survey says that removal takes little more. Our
 * rule: a node that the failure detector names is removed, as if it had said so itself.
 *
 * Why it is safe: a dead node has no token. A token it has sent may be of a later age than any proposal, since a node
 * that says NACK outbids the proposer, and the NACK may still be under way. So no node takes a token from a removed node.
 * An ACK tells which nodes its sender has removed, and counts only if these include all that the proposer has removed;
 * nodes that acknowledged before are asked again (`nishio-li-manning-earlier-ack`). The detector must name only dead
 * nodes: if it names one that is inside, or if a network splits and each side names the other, there are two tokens. Why
 * nobody starves: an inquiry, a recovery or a departure gets an answer from every node, or the node is removed.
 *
 * A regeneration costs 2(n-2) messages if the failure was noticed before. The survivors may not know how often the
 * failed node has entered, so a new token has the fences of its age.
 *
 * The token of a node that comes back may have been replaced. So it asks all others, like a node without memory,
 * whatever it remembers (`nishio-li-manning-returns-with-token`). That works only if all have noticed its failure by
 * then, so we do not claim it.
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
  /** The nodes that the sender counts as members. */
  readonly members: readonly boolean[]
}

export type Message = Exclude<BaseMessage, { type: 'ack' }> | Ack

type Place = Here<Message, Options>

const { facts, tokens, receive } = nishioLiManning
/** A fence begins anew from the number of an age, so the checker must not shift it like a clock. */
const shapes = shapesWith('data')

export const nishioLiManningDetection: Algorithm<State, Message, Options> = {
  ...nishioLiManning,
  facts: {
    ...facts,
    name: 'nishio-li-manning-detection',
    title: 'Nishio-Li-Manning, failure detection',
    idea:
      'Nishio, Li and Manning where a node may fail for good: a node that the failure detector names is removed, ' +
      'and a new token does not need its ACK. The detector must never err, and the network must never split.',
    // If a network splits, each side would name the other.
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
  restore(node, here, peer) {
    here.because?.('node {peer} is back, and a member again', { peer })
    node.members[peer] = true
  },
  restart: startRecovery,
  receive: {
    ...receive,
    request(node, here, message, from) {
      if (!node.members[from])
        return here.because?.('node {from} has failed: the token would be lost with it', { from })
      receive.request(node, here, message, from)
    },
    token(node, here, message, from) {
      if (node.members[from]) return receive.token(node, here, message, from)
      if (!node.waiting || node.inquiry !== null || node.recovery !== null)
        return here.because?.('node {from} was removed, and no node takes a token from it', { from })
      here.because?.('a token from a removed node is void: node {self} asks for another')
      ask(node, here)
    },
    'token-missing'(node, here, message, from) {
      const place = sendingThrough<BaseMessage, Options>(here, (to, said) =>
        here.send(to, said.type === 'ack' ? { ...said, members: [...node.members] } : said),
      )
      receive['token-missing'](node, place, message, from)
    },
    ack(node, here, message, from) {
      const knows = node.members.every((isMember, other) => isMember || !message.members[other])
      if (!knows)
        return here.because?.('node {from} gave its ACK before it removed all that node {self} has removed', {
          from,
        })
      receive.ack(node, making(node, here), message, from)
    },
    leaving(node, here, message, from) {
      const isInherited = message.bequest !== null && inherits(node, message.bequest, from)
      receive.leaving(node, isInherited ? here : making(node, here), message, from)
    },
  },
}

/** Makes a token: its maker enters with the first fence of the new age. */
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

/** No node need wait for it any longer. ACKs from the time when it may have had the token must be given again. */
function remove(node: State, here: Place, peer: NodeId): void {
  here.because?.('the detector names node {peer}: it is removed', { peer })
  node.members[peer] = false
  finishRecovery(node, here)
  if (node.departure !== null) {
    // The heir may have passed the token on already, so no other node inherits it. If it is lost, waiters will miss it.
    node.departure.bequest = null
    remind(node, here)
  }
  if (node.inquiry === null) return
  here.because?.('an ACK from before this removal does not count: all must give it again')
  node.inquiry.granted.fill(null)
  inquire(node, here)
  countAcks(node, making(node, here), node.inquiry)
}
