import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { tokenQueue } from '../src/token/token-queue.ts'

const { receive } = tokenQueue

export const variant: BrokenVariant = {
  algorithm: renamed<typeof tokenQueue>('token-queue-keeps-the-absorbed', {
    ...tokenQueue,
    receive: {
      ...receive,
      copy(node, here, copy, from) {
        const absorbed = node.queue
        node.queue = []
        receive.copy(node, here, copy, from)
        node.queue = absorbed
      },
    },
  }),
  of: 'token-queue',
  published: null,
  fails: 'no-deadlock',
  rule: 'A reader keeps the places that it has absorbed until the token comes.',
  failure: 'It has a copy, and asks for no token.',
  repair: 'Pass them on when the copy comes, towards who gave it.',
  instance: { nodes: 3, requests: 1, channels: 'unordered', readers: 'some' },
}
