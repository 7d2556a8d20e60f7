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
        // What was received stays received, whatever came after it.
        if (hadFailed) sanders.receive.fail(node, here, { type: 'fail', time: grant.time }, from)
      },
    },
  }),
  of: 'sanders',
  published: 'sanders-1987 §5',
  rule: 'A node yields if it has received a FAIL from any process, also if that process has sent a GRANT since.',
  suspicion:
    'A node might yield although it is about to enter, and two nodes hand their grants to and fro for ever.',
  harmless:
    'Only a smaller timestamp makes an arbiter ask for its grant. The smallest that waits is never asked, so its grants ' +
    'only grow; the others yield once more than they need to, as they do where nobody is sent a FAIL.',
}
