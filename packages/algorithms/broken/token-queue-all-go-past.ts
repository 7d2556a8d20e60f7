import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { tokenQueue } from '../src/token/token-queue.ts'

const { receive } = tokenQueue

export const variant: BrokenVariant = {
  algorithm: renamed<typeof tokenQueue>('token-queue-all-go-past', {
    ...tokenQueue,
    receive: {
      ...receive,
      request(node, here, request, from) {
        node.bypassed = 0
        receive.request(node, here, request, from)
      },
    },
  }),
  of: 'token-queue',
  published: null,
  fails: 'no-starvation',
  rule: 'A node that waits lets every request go past it that is more urgent.',
  failure:
    'Its own request is still under way. Two nodes ask again and again, and their requests go past it. The token runs away from it for ever.',
  repair: 'It lets some go past. Then it absorbs: they get their turn after it.',
  instance: {
    nodes: 3,
    requests: 'any',
    channels: 'unordered',
    priorities: 2,
    set: ['passes=1'],
  },
}
