import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { ricartAgrawalaModulo } from '../src/permission/ricart-agrawala-modulo.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof ricartAgrawalaModulo>('ricart-agrawala-modulo-printed', {
    ...ricartAgrawalaModulo,
    request(node, here, ask) {
      const { highest } = node
      ricartAgrawalaModulo.request(node, here, ask)
      node.highest = highest
    },
  }),
  of: 'ricart-agrawala-modulo',
  published: 'ricart-agrawala-1981 §2.2, 6.4',
  fails: 'exclusion',
  rule: 'The highest sequence number counts only requests received. The code does not record the number sent.',
  failure:
    'A node that has sent 1 and receives 2 still has 0 as the highest. That is so far from 2 that the node reads ' +
    '0 as the later one. It asks with 1 again, and the node that is inside with 2 lets it in.',
  repair: 'Record the number of the own request too, as the text of section 2 defines it.',
  instance: { nodes: 2, requests: 2, channels: 'unordered' },
}
