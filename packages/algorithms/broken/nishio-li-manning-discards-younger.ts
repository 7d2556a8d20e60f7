import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { nishioLiManning } from '../src/token/nishio-li-manning.ts'
import { ask, isBefore } from '../src/token/nishio-li-manning-regeneration.ts'

const { receive, facts } = nishioLiManning

export const variant: BrokenVariant = {
  algorithm: renamed<typeof nishioLiManning>('nishio-li-manning-discards-younger', {
    ...nishioLiManning,
    // A false alarm should do no harm, whenever it comes.
    facts: { ...facts, timers: { ...facts.timers, T: 'pace' } },
    receive: {
      ...receive,
      token(node, here, message, from) {
        if (!isBefore(node.age, message.age)) {
          // The sentence treats an older and an equal age alike: the token is taken.
          node.age = message.age
          return receive.token(node, here, message, from)
        }
        if (node.waiting && node.inquiry === null) ask(node, here)
      },
    },
  }),
  of: 'nishio-li-manning',
  published: 'velazquez-1993 §4, read as it stands',
  fails: 'exclusion',
  rule: 'A token whose age is not older than the age known here, or equal to it, is a duplicate and is discarded.',
  failure:
    'A token was taken for lost and is replaced with the consent of all nodes. The old token reaches a node that ' +
    'has consented. That node uses it, although it is too old, while the new token lets its maker in.',
  repair: 'Discard the token with the lower age: it is the one that was replaced.',
  instance: { nodes: 2, requests: 1, channels: 'unordered', set: ['T=1'] },
}
