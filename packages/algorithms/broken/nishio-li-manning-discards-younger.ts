import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { nishioLiManning } from '../src/token/nishio-li-manning.ts'
import { ask, isBefore } from '../src/token/nishio-li-manning-regeneration.ts'

const { receive, facts } = nishioLiManning

export const variant: BrokenVariant = {
  algorithm: renamed<typeof nishioLiManning>('nishio-li-manning-discards-younger', {
    ...nishioLiManning,
    // An alarm that finds the token where it was should do no harm, whenever it is given.
    facts: { ...facts, timers: { ...facts.timers, T: 'pace' } },
    receive: {
      ...receive,
      token(node, here, message, from) {
        if (!isBefore(node.age, message.age)) {
          // Old or equal, which is all the same to the sentence: it is taken.
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
    'A token was taken for lost and is replaced with everyone’s consent. It reaches a node that has consented and is ' +
    'used there, although it is too old, while the new one lets its maker in.',
  repair: 'Discard the token with the lower age: it is the one that was replaced.',
  instance: { nodes: 2, requests: 1, channels: 'unordered', set: ['T=1'] },
}
