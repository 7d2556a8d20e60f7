import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { tokenQueue } from '../src/token/token-queue.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof tokenQueue>('token-queue-always-rides', {
    ...tokenQueue,
    request(node, here, ask) {
      if (node.leaving && node.recalled !== null && node.asked === null) node.where = node.recalled
      tokenQueue.request(node, here, ask)
    },
  }),
  of: 'token-queue',
  published: null,
  fails: 'no-starvation',
  rule: 'A node that asks again while its recalled copy leaves always sends its request along with the copy.',
  failure:
    'The node has just passed a request on, and points at its origin. Its own request goes another way, so the ' +
    'other request may follow the token for ever.',
  repair: 'Send it along only if the way to the line leads to the same node.',
  instance: { nodes: 3, requests: 'any', channels: 'unordered', readers: 'some' },
}
