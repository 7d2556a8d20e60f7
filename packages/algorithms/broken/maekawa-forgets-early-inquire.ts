import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { maekawa } from '../src/quorum/maekawa.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof maekawa>('maekawa-forgets-early-inquire', {
    ...maekawa,
    receive: {
      ...maekawa.receive,
      inquire(node, here, inquire, from) {
        // There is no such grant here: the question seems to be out of date.
        if (node.ours?.grants.includes(from)) maekawa.receive.inquire(node, here, inquire, from)
      },
    },
  }),
  of: 'maekawa',
  published: null,
  fails: 'no-deadlock',
  rule: 'A node ignores an INQUIRE for a grant that it does not have.',
  failure:
    'On channels that do not keep order the INQUIRE has overtaken its grant. The arbiter does not ask twice, and the ' +
    'grant is never given back.',
  repair: 'Remember the INQUIRE, and answer it when the grant arrives.',
  instance: { nodes: 4, requests: 1, channels: 'unordered', quorum: 'grid' },
}
