import type { Algorithm } from '@turnwise/core/algorithm'
import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { type Message, mishraSrimani, type Options, type State } from '../src/token/mishra-srimani.ts'
import { create } from '../src/token/mishra-srimani-regeneration.ts'

/** As the survey has it: any n-2 answers are enough. An alarm may be false, at any moment. */
const algorithm: Algorithm<State, Message, Options> = {
  ...mishraSrimani,
  facts: { ...mishraSrimani.facts, timers: { ...mishraSrimani.facts.timers, T: 'pace' } },
  receive: {
    ...mishraSrimani.receive,
    'no-crit'(node, here, message, from) {
      mishraSrimani.receive['no-crit'](node, here, message, from)
      const { checking } = node
      if (checking === null || !checking.lost) return
      if (checking.heard.filter((hasAnswered) => hasAnswered).length >= here.setup.nodes - 2)
        create(node, here)
    },
  },
}

export const variant: BrokenVariant = {
  algorithm: renamed('mishra-srimani-hasty', algorithm),
  of: 'mishra-srimani',
  published: 'velazquez-1993 §4',
  fails: 'exclusion',
  rule:
    'The initiator makes a new token as soon as all others but one have said that they do not have it. ' +
    'The survey sets no time to wait for the last answer.',
  failure:
    'No node has failed. The missing answer is that of the holder, which is inside, and its REP_CRITICAL is slow. ' +
    'The initiator enters with the new token.',
  repair: 'Wait for the last answer until it is overdue.',
  instance: { nodes: 3, requests: 1, channels: 'unordered', set: ['T=1'] },
}
