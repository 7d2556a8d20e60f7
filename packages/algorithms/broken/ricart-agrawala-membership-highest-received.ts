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
            // A node asks with one more than it had received.
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
    'A new node asks all others for their highest sequence number, and they tell the highest that they have received: ' +
    'the code never records a number that was sent.',
  failure:
    'A node asks with 2 while the new one is inserted, and tells it 1. The new node asks with 2 as well and has the ' +
    'smaller name; the other, inside, finds that it comes later, and replies.',
  repair: 'The highest number is that sent or received, as the paper describes it.',
  instance: { nodes: 3, requests: 1, channels: 'unordered' },
}
