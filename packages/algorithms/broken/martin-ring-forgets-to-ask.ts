import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { martinRing, serve } from '../src/token/martin-ring.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof martinRing>('martin-ring-forgets-to-ask', {
    ...martinRing,
    receive: {
      ...martinRing.receive,
      privilege(node, here, { fence }) {
        node.asked = false
        node.fence = fence
        serve(node, here)
      },
    },
  }),
  of: 'martin-ring',
  published: null,
  fails: 'no-deadlock',
  rule: 'A node that passes the privilege on to the left does not ask to the right again, although it still waits.',
  failure: 'The privilege comes to rest further to the left. Its holder does not know that the node waits.',
  repair: 'Ask again whenever the privilege has gone and a request is still open here.',
  instance: { nodes: 3, requests: 1, channels: 'unordered' },
}
