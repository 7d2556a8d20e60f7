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
  rule: 'A node that another token has already served keeps a second token until a node asks for it.',
  failure:
    'A node that asked while the token was under way does not ask again. The token lies idle at a node that knows ' +
    'of a waiting node.',
  repair: 'Treat a surplus token like one that has just been used: pass it on to a waiting node.',
  instance: { nodes: 3, requests: 2, channels: 'fifo' },
}
