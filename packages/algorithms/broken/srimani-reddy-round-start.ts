import type { Algorithm } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { type Message, type Options, type State, srimaniReddy } from '../src/multi/srimani-reddy.ts'

/** The number begins again, but the round does not. A round begins where the number is 1, which it never is. */
const algorithm: Algorithm<State, Message, Options> = {
  ...srimaniReddy,
  request(node, here, ask) {
    const { round, number } = get(node.requested, here.self)
    if (number === here.setup.options.L) node.requested[here.self] = { round, number: 0 }
    srimaniReddy.request(node, here, ask)
  },
  receive: { ...srimaniReddy.receive, ack: () => {} },
}

export const variant: BrokenVariant = {
  algorithm: renamed('srimani-reddy-round-start', algorithm),
  of: 'srimani-reddy',
  published: 'velazquez-1993 §6',
  fails: 'no-deadlock',
  rule:
    'A round begins when the number of a request is 1, as the original was printed according to the survey. But ' +
    'the number has been raised by then: it is 2.',
  failure: 'The numbers begin again without a new round. They look served, so no node sends a token.',
  repair: 'Begin the round with its first request, as the survey corrects, in one step with the number.',
  instance: { nodes: 2, requests: 2, channels: 'unordered', k: 1, set: ['L=1'] },
}
