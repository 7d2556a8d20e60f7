import type { Algorithm } from '@turnwise/core/algorithm'
import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { type Message, type Options, type State, srimaniReddy } from '../src/multi/srimani-reddy.ts'

const algorithm: Algorithm<State, Message, Options> = {
  ...srimaniReddy,
  receive: {
    ...srimaniReddy.receive,
    privilege(node, here, message, from) {
      if (node.waiting) return srimaniReddy.receive.privilege(node, here, message, from)
      node.idle = [...node.idle, { ...message.token, queue: [] }].toSorted((a, b) => a.slot - b.slot)
    },
  },
}

export const variant: BrokenVariant = {
  algorithm: renamed('srimani-reddy-keeps-surplus', algorithm),
  of: 'srimani-reddy',
  published: null,
  fails: 'no-deadlock',
  rule: 'A token that comes to a node which another one has served already is kept there until somebody asks for it.',
  failure:
    'Who asked while the token was under way has been heard and is not heard again: the token lies idle where a waiting ' +
    'node is known.',
  repair:
    'Treat a token that nobody needs here like one that has just been used: pass it on to whoever waits.',
  instance: { nodes: 3, requests: 2, channels: 'fifo' },
}
