import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { tokenQueue } from '../src/token/token-queue.ts'

const { receive } = tokenQueue

export const variant: BrokenVariant = {
  algorithm: renamed<typeof tokenQueue>('token-queue-own-reading-uncounted', {
    ...tokenQueue,
    receive: {
      ...receive,
      request(node, here, request, from) {
        const { inside } = node
        if (inside === 'shared') node.inside = null
        receive.request(node, here, request, from)
        node.inside = inside
      },
    },
  }),
  of: 'token-queue',
  published: null,
  fails: 'exclusion',
  rule: 'An owner that is inside to read passes the token on, and counts only the copies of others.',
  failure: 'The writer enters while that owner reads.',
  repair: 'Its own reading counts as a copy that is already recalled.',
  instance: { nodes: 2, requests: 1, channels: 'unordered', readers: 'some' },
}
