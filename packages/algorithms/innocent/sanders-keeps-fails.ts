import { renamed } from '../src/broken-variant.ts'
import type { InnocentVariant } from '../src/innocent-variant.ts'
import { sanders } from '../src/quorum/sanders.ts'

export const variant: InnocentVariant = {
  name: 'sanders-keeps-fails',
  algorithm: renamed<typeof sanders>('sanders-keeps-fails', {
    ...sanders,
    receive: {
      ...sanders.receive,
      grant(node, here, grant, from) {
        const hadFailed = node.ours?.refused.includes(from) ?? false
        sanders.receive.grant(node, here, grant, from)
        // A FAIL that was received counts for ever, whatever came after it.
        if (hadFailed) sanders.receive.fail(node, here, { type: 'fail', time: grant.time }, from)
      },
    },
  }),
  of: 'sanders',
  published: 'sanders-1987 §5',
  rule: 'A node yields if it has received a FAIL from any process, even if that process has sent a GRANT since.',
  suspicion:
    'A node might yield although it is about to enter, and two nodes might pass their grants back and forth for ever.',
  harmless:
    'Only a smaller timestamp makes an arbiter ask for its grant. The smallest waiting request is never asked, so ' +
    'its grants only grow. The others yield once more than necessary.',
}
