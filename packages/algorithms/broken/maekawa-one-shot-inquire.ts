import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { maekawa } from '../src/quorum/maekawa.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof maekawa>('maekawa-one-shot-inquire', {
    ...maekawa,
    receive: {
      ...maekawa.receive,
      inquire(node, here, message, from) {
        // The question is asked once, on arrival. Not knowing yet that it must wait, the node says nothing.
        if (node.ours !== null && node.ours.refused.length > 0)
          maekawa.receive.inquire(node, here, message, from)
      },
    },
  }),
  of: 'maekawa',
  published: 'sanders-1987 §5',
  fails: 'no-deadlock',
  rule: 'When an INQUIRE arrives, a node yields if it has received a FAIL; otherwise it does nothing.',
  failure: 'The FAIL arrives later. Nobody asks again, and the grant is never given back.',
  repair: 'Remember the INQUIRE, and answer it when a FAIL arrives or another grant is yielded.',
  instance: { nodes: 4, requests: 1, channels: 'fifo', quorum: 'grid' },
}
