import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { tokenQueue } from '../src/token/token-queue.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof tokenQueue>('token-queue-forgets-the-missing', {
    ...tokenQueue,
    withdraw(node, here) {
      node.missing = 0
      tokenQueue.withdraw?.(node, here)
    },
  }),
  of: 'token-queue',
  published: null,
  fails: 'exclusion',
  rule: 'A writer that gives up while it collects copies no longer waits for any.',
  failure: 'Its next caller enters while readers are inside.',
  repair: 'A node that withdrew still waits for the copies under recall.',
  instance: { nodes: 2, requests: 2, channels: 'unordered', readers: 'some', withdrawals: 1 },
}
