import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { maekawa } from '../src/quorum/maekawa.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof maekawa>('maekawa-one-shot-inquire', {
    ...maekawa,
    receive: {
      ...maekawa.receive,
      inquire(node, here, message, from) {
        // The node decides once, on arrival. It does not know yet that it must wait, so it says nothing.
        if (node.ours !== null && node.ours.refused.length > 0)
          maekawa.receive.inquire(node, here, message, from)
      },
    },
  }),
  of: 'maekawa',
  published: 'sanders-1987 §5',
  fails: 'no-deadlock',
  rule: 'When an INQUIRE arrives, a node yields if it has received a FAIL or has yielded before; otherwise it does nothing.',
  failure: 'The FAIL arrives later. The arbiter does not ask again, and the node never gives the grant back.',
  repair: 'Remember the INQUIRE, and answer it when a FAIL arrives or another grant is yielded.',
  instance: { nodes: 4, requests: 1, channels: 'fifo', quorum: 'grid' },
}
