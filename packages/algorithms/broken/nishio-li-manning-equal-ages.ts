import { get } from '@turnwise/core/bounds'
import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { nishioLiManning } from '../src/token/nishio-li-manning.ts'
import { proposal } from '../src/token/nishio-li-manning-regeneration.ts'

const { receive, facts } = nishioLiManning

export const variant: BrokenVariant = {
  algorithm: renamed<typeof nishioLiManning>('nishio-li-manning-equal-ages', {
    ...nishioLiManning,
    // An alarm should do no harm, whenever it comes.
    facts: { ...facts, timers: { ...facts.timers, T: 'pace' } },
    receive: {
      ...receive,
      'token-missing'(node, here, message, from) {
        const { age } = message
        const isEqual = node.inquiry !== null && age.number === proposal(node, here.self).number
        if (!isEqual) return receive['token-missing'](node, here, message, from)
        // Neither age is higher, so neither node refuses or gives way.
        here.send(from, { type: 'ack', age, granted: get(node.requested, here.self) - 1, fence: node.fence })
      },
    },
  }),
  of: 'nishio-li-manning',
  published: null,
  fails: 'one-token',
  rule:
    'Ages are plain numbers, and the highest of several proposals wins. The survey (Velazquez 1993, section 4) ' +
    'has no rule for equal ages.',
  failure:
    'Two nodes propose the same age and acknowledge each other’s proposal: both make a token, and both enter.',
  repair: 'Let an age be a number together with the node that proposed it. Then no two ages are equal.',
  instance: { nodes: 2, requests: 1, channels: 'unordered', set: ['T=1'] },
}
