import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { sanders } from '../src/quorum/sanders.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof sanders>('sanders-one-shot-inquire', {
    ...sanders,
    receive: {
      ...sanders.receive,
      inquire(node, here, message, from) {
        // The node decides once, on arrival. It does not know yet that it must wait, so it says nothing.
        if (node.ours !== null && node.ours.refused.length > 0)
          sanders.receive.inquire(node, here, message, from)
      },
    },
  }),
  of: 'sanders',
  published: 'sanders-1987 §5',
  fails: 'no-deadlock',
  rule: 'When an INQUIRE arrives, a node yields if it has received a FAIL or has yielded before; otherwise it does nothing.',
  failure:
    'In Figure 4 the FAIL arrives after the INQUIRE. The arbiter does not ask again, and the node keeps the grant.',
  repair: 'Remember the INQUIRE, and answer it when a FAIL arrives or another grant is yielded.',
  instance: { nodes: 3, requests: 1, channels: 'fifo', structure: 'figure-2' },
}
