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
  rule: 'A waiting node that gives its permission to a smaller number adds that node to its request set, but does not ask it.',
  failure: 'It waits for a reply that it has not asked for.',
  repair: 'Send the own request, with its number, to every node that gets the permission while we wait.',
  instance: { nodes: 3, requests: 1, channels: 'fifo' },
}
