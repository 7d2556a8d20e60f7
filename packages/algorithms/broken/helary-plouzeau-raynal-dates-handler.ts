import { impossible, type NodeId } from '@turnwise/core/algorithm'
import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { noted } from '../src/token/helary-plouzeau-raynal.ts'
import { helaryPlouzeauRaynalReconfiguration } from '../src/token/helary-plouzeau-raynal-reconfiguration.ts'
import type { Message, State } from '../src/token/helary-plouzeau-raynal-section-7-state.ts'

/** Section 5.4, Lemma 3: from now on every node that sees the token takes the handler's request for satisfied. */
function complain({ around: { asked }, clock }: State, self: NodeId): void {
  if (asked !== null)
    impossible(
      `requests of node ${self} until ${clock} are marked as satisfied, and it has waited since ${asked.time}`,
    )
}

/** transmit_token, as the owner does it: the handler writes its own clock into the token under its own name. */
export function datingHandler(
  whenDated: (node: State, self: NodeId) => void,
): typeof helaryPlouzeauRaynalReconfiguration {
  return {
    ...helaryPlouzeauRaynalReconfiguration,
    receive: {
      ...helaryPlouzeauRaynalReconfiguration.receive,
      token(node, here, token, from) {
        const send = (to: NodeId, message: Message) => {
          if (message.type !== 'token' || message.addressee === token.addressee) return here.send(to, message)
          whenDated(node, here.self)
          const gaveAway = noted(message.gaveAway, { time: node.clock, node: here.self })
          here.send(to, { ...message, gaveAway })
        }
        helaryPlouzeauRaynalReconfiguration.receive.token(node, { ...here, send }, token, from)
      },
    },
  }
}

export const variant: BrokenVariant = {
  algorithm: renamed('helary-plouzeau-raynal-dates-handler', datingHandler(complain)),
  of: 'helary-plouzeau-raynal-reconfiguration',
  published: 'helary-plouzeau-raynal-1988 §7.1.1',
  fails: 'rules',
  rule:
    'A process that handles the token and has no exit to its addressee chooses another addressee by ' +
    "transmit_token. This dates the handler's own entry of lud.",
  failure:
    'The handler itself waits, and its request is older than that date. So every process that sees the token ' +
    'takes the request for satisfied, against Lemma 3 of section 5.4, and no process serves it any more.',
  repair: 'Only an owner of the token dates its entry. The handler may also choose its own request.',
  instance: {
    nodes: 3,
    requests: 1,
    channels: 'fifo',
    topology: 'line',
    unlinks: 1,
    links: 1,
  },
}
