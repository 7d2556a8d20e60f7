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
          // An older and an equal age are treated alike: the token is taken.
          node.age = message.age
          return receive.token(node, here, message, from)
        }
        if (node.waiting && node.inquiry === null) ask(node, here)
      },
    },
  }),
  of: 'nishio-li-manning',
  published: null,
  fails: 'exclusion',
  rule: 'A node discards a token that is younger than the age it knows, and takes one that is older.',
  failure:
    'A token was taken for lost and is replaced with the consent of all nodes. The old token reaches a node that ' +
    'has consented. That node uses it, although it is too old, while the new token lets its maker in.',
  repair: 'Discard the token with the lower age: it is the one that was replaced.',
  instance: { nodes: 2, requests: 1, channels: 'unordered', set: ['T=1'] },
}
