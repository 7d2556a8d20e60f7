import type { Algorithm, Here } from '@turnwise/core/algorithm'
import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { alarmedOnce } from '../src/innocent-variant.ts'
import { type Message, mishraSrimani, type Options, type State } from '../src/token/mishra-srimani.ts'
import { startCheck } from '../src/token/mishra-srimani-regeneration.ts'

const { receive } = mishraSrimani

const algorithm: Algorithm<State, Message, Options> = {
  ...mishraSrimani,
  receive: {
    ...receive,
    'privilege-check'(node, here, message, from) {
      if (node.checking !== null && here.self < from) return
      receive['privilege-check'](node, here, message, from)
    },
  },
}

function alarm(node: State, here: Here<Message, Options>): void {
  if (node.waiting) startCheck(node, here)
}

export const variant: BrokenVariant = {
  algorithm: renamed('mishra-srimani-ignores-higher', {
    ...alarmedOnce(algorithm, alarm),
    // Two false alarms are enough, and a third only adds states.
    start: (_state, here) => {
      if (here.self > 0) here.setTimer('alarm', 1)
    },
  }),
  of: 'mishra-srimani',
  published: 'velazquez-1993 §4',
  fails: 'can-enter',
  rule: 'An initiator ignores the PRIVILEGE_CHECK of one with a higher number.',
  failure:
    'Two check at once, and the token comes to the higher one. It has the token, so it does not give up for the lower ' +
    'one, and its own check goes on. The answer that never comes makes it take the lower one for failed, and everyone ' +
    'hears so: a node that has not failed is never served again. Two nodes do not show it.',
  repair: 'Answer: an initiator says REP_CRITICAL to one with a higher number.',
  instance: { nodes: 3, requests: 1, channels: 'fifo' },
}
