import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { pairwiseRules } from '../src/permission/pairwise.ts'
import { singhalDynamic } from '../src/permission/singhal-dynamic.ts'

export const variant: BrokenVariant = {
  algorithm: renamed('singhal-dynamic-forgets-to-ask', {
    ...singhalDynamic,
    ...pairwiseRules({ startsWith: (self, other) => self < other, asksAgain: false }),
  }),
  of: 'singhal-dynamic',
  published: null,
  fails: 'no-deadlock',
  rule: 'A node that waits and gives its permission to a smaller number adds that node to its request set, and asks it nothing.',
  failure: 'It waits for a reply that nobody has been asked for.',
  repair: 'Send the own request, with its number, to a node whose permission is given away while waiting.',
  instance: { nodes: 3, requests: 1, channels: 'fifo' },
}
