import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { tokenQueue } from '../src/token/token-queue.ts'

const { receive } = tokenQueue

export const variant: BrokenVariant = {
  algorithm: renamed<typeof tokenQueue>('token-queue-loses-the-pointer', {
    ...tokenQueue,
    receive: {
      ...receive,
      request(node, here, request, from) {
        const wasOwner = node.fence !== null
        receive.request(node, here, request, from)
        if (wasOwner && node.fence === null) node.where = null
      },
    },
  }),
  of: 'token-queue',
  published: null,
  fails: 'rules',
  rule: 'A node that passes the token on does not note to whom.',
  failure: 'It wants to enter again, and has nobody to ask.',
  repair: 'Point at the writer who gets the token.',
  instance: { nodes: 2, requests: 1, channels: 'unordered' },
}
