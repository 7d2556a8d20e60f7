import type { Algorithm, Here } from '@turnwise/core/algorithm'
import { renamed } from '../src/broken-variant.ts'
import { alarmedOnce, type InnocentVariant } from '../src/innocent-variant.ts'
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

export const variant: InnocentVariant = {
  name: 'mishra-srimani-ignores-higher',
  algorithm: renamed('mishra-srimani-ignores-higher', alarmedOnce(algorithm, alarm)),
  of: 'mishra-srimani',
  published: 'velazquez-1993 §4',
  rule: 'An initiator ignores the PRIVILEGE_CHECK of one with a higher number.',
  suspicion: 'The other one gets no answer from it and takes it for failed.',
  harmless:
    'Before the missing answer is overdue the check of the lower one has arrived, and the higher one has given up. It ' +
    'rests on T2; our initiator answers, so that it does not.',
}
