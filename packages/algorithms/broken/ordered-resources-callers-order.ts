import { resourcesOf } from '@turnwise/core/resources'
import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { askForNext, orderedResources } from '../src/multi/ordered-resources.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof orderedResources>('ordered-resources-callers-order', {
    ...orderedResources,
    request(node, here, ask) {
      node.wanted = [...resourcesOf(ask)]
      askForNext(node, here)
    },
  }),
  of: 'ordered-resources',
  published: null,
  fails: 'no-deadlock',
  rule: 'A node asks for its resources in the order in which the caller names them.',
  failure: 'One holds 0 and waits for 1, another holds 1 and waits for 0.',
  repair: 'All ask in the same order, by the numbers of the resources.',
  instance: { nodes: 2, requests: 1, channels: 'unordered', resources: 2, sets: '0,1 1,0' },
}
