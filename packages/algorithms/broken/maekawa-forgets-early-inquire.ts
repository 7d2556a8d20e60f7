import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { maekawa } from '../src/quorum/maekawa.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof maekawa>('maekawa-forgets-early-inquire', {
    ...maekawa,
    receive: {
      ...maekawa.receive,
      inquire(node, here, inquire, from) {
        // We have no such grant, so the INQUIRE seems out of date.
        if (node.ours?.grants.includes(from)) maekawa.receive.inquire(node, here, inquire, from)
      },
    },
  }),
  of: 'maekawa',
  published: null,
  fails: 'no-deadlock',
  rule: 'A node ignores an INQUIRE for a grant that it does not have.',
  failure:
    'On unordered channels the INQUIRE has overtaken its grant. The arbiter does not ask twice, and the node ' +
    'never gives the grant back.',
  repair: 'Remember the INQUIRE, and answer it when the grant arrives.',
  instance: { nodes: 4, requests: 1, channels: 'unordered', quorum: 'grid' },
}
