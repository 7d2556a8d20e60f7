import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { raymondK } from '../src/multi/raymond-k.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof raymondK>('raymond-k-same-number', {
    ...raymondK,
    request(node, here, ask) {
      node.highest -= 1
      raymondK.request(node, here, ask)
    },
  }),
  of: 'raymond-k',
  published: 'velazquez-1993 §6',
  fails: 'exclusion',
  rule: 'A request carries the highest number that its sender knows of.',
  failure:
    'A node that has replied to another asks with the same number and the smaller name. The other lets it pass, ' +
    'but already has its reply. One node too many enters.',
  repair: 'Ask with one more than the highest number known.',
  instance: { nodes: 3, requests: 1, channels: 'unordered' },
}
