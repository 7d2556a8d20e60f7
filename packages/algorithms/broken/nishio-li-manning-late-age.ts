import type { Algorithm } from '@turnwise/core/algorithm'
import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { type Message, nishioLiManning, type Options, type State } from '../src/token/nishio-li-manning.ts'

const { receive, facts } = nishioLiManning

/** This ACK promises nothing: the node learns the age only when the new token comes. */
const algorithm: Algorithm<State, Message, Options> = {
  ...nishioLiManning,
  // An alarm should do no harm, whenever it comes.
  facts: { ...facts, timers: { ...facts.timers, T: 'pace' } },
  receive: {
    ...receive,
    'token-missing'(node, here, message, from) {
      const { age } = node
      receive['token-missing'](node, here, message, from)
      if (node.token === null) node.age = age
    },
  },
}

export const variant: BrokenVariant = {
  algorithm: renamed('nishio-li-manning-late-age', algorithm),
  of: 'nishio-li-manning',
  published: null,
  fails: 'one-token',
  rule: 'A node that acknowledges the age of a new token takes it over only when a token of that age reaches it.',
  failure:
    'The token was not lost but under way. It reaches a node that has acknowledged, and that node enters, while ' +
    'the new token lets the proposer in.',
  repair: 'Take the age over with the acknowledgement. From then on the node discards every older token.',
  instance: { nodes: 2, requests: 1, channels: 'unordered', set: ['T=1'] },
}
