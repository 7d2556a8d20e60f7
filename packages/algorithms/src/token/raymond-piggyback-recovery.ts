/**
 * Raymond 1989, here after Velazquez 1993, section 4, with both additions: a node that passes the privilege on asks for
 * it back in the same message (`raymond-piggyback`), and a failed node that comes back rebuilds its state from its
 * neighbours (`raymond-recovery`). The combined message carries the count of its channel like any other.
 */
import type { Algorithm } from '@turnwise/core/algorithm'
import { type Both, inOne, raymondPiggyback } from './raymond-piggyback.ts'
import { type Message as BaseMessage, raymondRecovery, type State } from './raymond-recovery.ts'

type Message = BaseMessage | Both<{ readonly fence: number; readonly incarnation: number }>

const { facts, shapes, tokens, receive } = raymondRecovery

export const raymondPiggybackRecovery: Algorithm<State, Message> = {
  facts: {
    ...raymondPiggyback.facts,
    name: 'raymond-piggyback-recovery',
    title: 'Raymond tree, piggybacking and recovery',
    idea: `${facts.idea} A node that passes the token on while others wait asks for it back in the same message.`,
    faults: facts.faults,
  },
  options: {},
  shapes: {
    ...shapes,
    messages: { ...shapes.messages, 'privilege-and-request': shapes.messages.privilege },
  },
  tokens: {
    held: ({ fence }) => (fence === null ? 0 : 1),
    carried: ({ type }) => (type === 'privilege' || type === 'privilege-and-request' ? 1 : 0),
    isVoid: (message, receiver, from, to) =>
      tokens?.isVoid?.(
        message.type === 'privilege-and-request' ? { ...message, type: 'privilege' } : message,
        receiver,
        from,
        to,
      ) === true,
  },

  init: (self, setup) => raymondRecovery.init(self, setup),
  request: (node, here, ask) => inOne(here, (place) => raymondRecovery.request(node, place, ask)),
  release: (node, here) => inOne(here, (place) => raymondRecovery.release(node, place)),
  restart: (node, here, memory) => inOne(here, (place) => raymondRecovery.restart?.(node, place, memory)),
  receive: {
    request: (node, here, request, from) =>
      inOne(here, (place) => receive.request(node, place, request, from)),
    privilege: (node, here, privilege, from) =>
      inOne(here, (place) => receive.privilege(node, place, privilege, from)),
    'privilege-and-request': (node, here, { fence, incarnation }, from) =>
      inOne(here, (place) => {
        receive.privilege(node, place, { type: 'privilege', fence, incarnation }, from)
        receive.request(node, place, { type: 'request', incarnation }, from)
      }),
    restart: (node, here, restart, from) =>
      inOne(here, (place) => receive.restart(node, place, restart, from)),
    advise: (node, here, advice, from) => inOne(here, (place) => receive.advise(node, place, advice, from)),
  },
}
