import type { Algorithm, Here } from '@turnwise/core/algorithm'
import { renamed } from '../src/broken-variant.ts'
import { alarmedOnce, type InnocentVariant } from '../src/innocent-variant.ts'
import { type Message, nishioLiManning, type Options, type State } from '../src/token/nishio-li-manning.ts'
import { ask, latest, startInquiry } from '../src/token/nishio-li-manning-regeneration.ts'

const { receive } = nishioLiManning

const algorithm: Algorithm<State, Message, Options> = {
  ...nishioLiManning,
  receive: {
    ...receive,
    'token-missing'(node, here, message, from) {
      if (node.token === null) return receive['token-missing'](node, here, message, from)
      here.send(from, { type: 'nack', age: node.age })
    },
    nack(node, here, { age }) {
      if (node.inquiry === null) return
      node.age = latest(node.age, age)
      node.inquiry = null
      here.cancelTimer('T2')
      ask(node, here)
    },
  },
}

function alarm(node: State, here: Here<Message, Options>): void {
  if (node.waiting && node.inquiry === null) startInquiry(node, here)
}

export const variant: InnocentVariant = {
  name: 'nishio-li-manning-outbids-nobody',
  algorithm: renamed('nishio-li-manning-outbids-nobody', alarmedOnce(algorithm, alarm)),
  of: 'nishio-li-manning',
  published: 'velazquez-1993 §4',
  rule: 'The token holder answers a proposal with NACK, and does not change the age of the token.',
  suspicion: 'Others have acknowledged the proposed age. They will discard the only token as too old.',
  harmless:
    'They do, and then no node has a token. A waiting node inquires again, all acknowledge, and it makes a new ' +
    'token. Two are never inside together, with two nodes and, on ordered channels, with three. Every false alarm ' +
    'costs a time-out and a regeneration, so our holder outbids instead.',
}
