import { type BrokenVariant, comingLater, renamed } from '../src/broken-variant.ts'
import { ricartAgrawalaMembership } from '../src/permission/ricart-agrawala-membership.ts'

const { receive } = ricartAgrawalaMembership

export const variant: BrokenVariant = {
  algorithm: renamed<typeof ricartAgrawalaMembership>(
    'ricart-agrawala-membership-highest-received',
    comingLater(
      {
        ...ricartAgrawalaMembership,
        receive: {
          ...receive,
          include(node, here, message, from) {
            const { highest, ours } = node
            // A node asks with one more than the highest number it has received.
            if (ours !== null) node.highest = Math.min(highest, ours - 1)
            receive.include(node, here, message, from)
            node.highest = highest
          },
        },
      },
      1,
      0,
    ),
  ),
  of: 'ricart-agrawala-membership',
  published: 'ricart-agrawala-1981 §7.2.3',
  fails: 'exclusion',
  rule:
    'A new node asks all others for their highest sequence number. They tell the highest that they have received, ' +
    'since the code never records a number that was sent.',
  failure:
    'A node asks with 2 while the new one is inserted, and tells it 1. The new node also asks with 2, and has the ' +
    'smaller name. The other is inside, finds that its own request comes later, and replies.',
  repair: 'Tell the highest number sent or received, as the text of the paper says.',
  instance: { nodes: 3, requests: 1, channels: 'unordered' },
}
