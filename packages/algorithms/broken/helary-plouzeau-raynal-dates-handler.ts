import { impossible, type NodeId } from '@turnwise/core/algorithm'
import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { noted } from '../src/token/helary-plouzeau-raynal.ts'
import { helaryPlouzeauRaynalReconfiguration } from '../src/token/helary-plouzeau-raynal-reconfiguration.ts'
import type { Message, State } from '../src/token/helary-plouzeau-raynal-section-7-state.ts'

/** transmit_token, as the owner does it: the handler writes its own clock into the token under its own name. */
function dated(node: State, self: NodeId, message: Message): Message {
  if (message.type !== 'token') return message
  // Section 5.4, Lemma 3: whoever looks at the token takes the handler's request for satisfied from now on.
  const { asked } = node.around
  if (asked !== null)
    impossible(
      `what node ${self} asked for until ${node.clock} is marked as satisfied, and it waits since ${asked.time}`,
    )
  return { ...message, gaveAway: noted(message.gaveAway, { time: node.clock, node: self }) }
}

export const variant: BrokenVariant = {
  algorithm: renamed<typeof helaryPlouzeauRaynalReconfiguration>('helary-plouzeau-raynal-dates-handler', {
    ...helaryPlouzeauRaynalReconfiguration,
    receive: {
      ...helaryPlouzeauRaynalReconfiguration.receive,
      token(node, here, token, from) {
        const send = (to: NodeId, message: Message) => {
          const isRedirected = message.type === 'token' && message.addressee !== token.addressee
          here.send(to, isRedirected ? dated(node, here.self, message) : message)
        }
        helaryPlouzeauRaynalReconfiguration.receive.token(node, { ...here, send }, token, from)
      },
    },
  }),
  of: 'helary-plouzeau-raynal-reconfiguration',
  published: 'helary-plouzeau-raynal-1988 §7.1.1',
  fails: 'rules',
  rule:
    'A process that handles the token and has no exit to its addressee chooses another one by transmit_token, which ' +
    'dates its own entry of lud.',
  failure:
    'The handler waits itself, for a request older than that date. Against Lemma 3 of section 5.4 the request counts ' +
    'as satisfied for all who see the token: nobody serves it any more.',
  repair:
    "Only who owned the token dates its entry, and the handler's own request is among those that it chooses from.",
  instance: {
    nodes: 3,
    requests: 1,
    channels: 'fifo',
    topology: 'line',
    unlinks: 1,
    links: 1,
  },
}
