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
  rule: 'Who has the token answers a proposal with NACK, and the age of the token stays as it is.',
  suspicion:
    'Others have acknowledged the proposed age, and will discard the only token when it reaches them, as too old.',
  harmless:
    'They do, and then nobody has a token: whoever waits inquires again, all acknowledge, and a new one is made. Nobody ' +
    'enters beside another, with two nodes and with three (there on channels that keep order). It costs a time-out and a regeneration for every false alarm, which is why our holder outbids.',
}
