import type { Algorithm, Here } from '@turnwise/core/algorithm'
import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { alarmedOnce } from '../src/innocent-variant.ts'
import { type Message, mishraSrimani, type Options, type State } from '../src/token/mishra-srimani.ts'
import { startCheck } from '../src/token/mishra-srimani-regeneration.ts'

const { receive } = mishraSrimani

/** As the survey has it: no answer to an initiator with a higher number. */
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

/** Alarms may be false, at any moment. */
function alarm(node: State, here: Here<Message, Options>): void {
  if (node.waiting) startCheck(node, here)
}

export const variant: BrokenVariant = {
  algorithm: renamed('mishra-srimani-ignores-higher', alarmedOnce(algorithm, alarm)),
  of: 'mishra-srimani',
  published: 'velazquez-1993 §4',
  fails: 'one-token',
  rule: 'An initiator ignores the PRIVILEGE_CHECK of one with a higher number.',
  failure:
    'Both alarms were false. The check of the lower one comes late, when the higher one has the token and says ' +
    'so. The higher one still waits for an answer, takes the lower one for failed and, as we have it, stops answering ' +
    'it. So the lower one takes the higher one for failed, and makes a second token.',
  repair: 'Answer REP_CRITICAL. The higher one gives up, and neither takes the other for failed.',
  instance: { nodes: 2, requests: 2, channels: 'unordered' },
}
