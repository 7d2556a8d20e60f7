import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { tokenQueue } from '../src/token/token-queue.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof tokenQueue>('token-queue-upgrade-ignores-readers', {
    ...tokenQueue,
    upgrade(node, here) {
      node.copies = null
      tokenQueue.upgrade?.(node, here)
    },
  }),
  of: 'token-queue',
  published: null,
  fails: 'exclusion',
  rule: 'A node inside to update has the token, so it may write at once.',
  failure: 'Readers have copies, and one of them is inside.',
  repair: 'It takes the copies back, and writes when none is missing.',
  instance: { nodes: 2, requests: 1, channels: 'unordered', readers: 'some', updates: true },
}
