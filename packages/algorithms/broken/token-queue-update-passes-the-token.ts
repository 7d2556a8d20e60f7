import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { tokenQueue } from '../src/token/token-queue.ts'

const { receive } = tokenQueue

export const variant: BrokenVariant = {
  algorithm: renamed<typeof tokenQueue>('token-queue-update-passes-the-token', {
    ...tokenQueue,
    receive: {
      ...receive,
      request(node, here, request, from) {
        const { inside } = node
        if (inside === 'update') node.inside = 'shared'
        receive.request(node, here, request, from)
        node.inside = inside
      },
    },
  }),
  of: 'token-queue',
  published: null,
  fails: 'exclusion',
  rule: 'A node inside to update reads, so it passes the token on as a reader does.',
  failure: 'The next one to update needs the token alone, and is inside beside it.',
  repair: 'A node that is inside to update keeps the token until it leaves.',
  instance: { nodes: 2, requests: 1, channels: 'unordered', readers: 'some', updates: true },
}
