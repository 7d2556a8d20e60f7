import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { tokenQueue } from '../src/token/token-queue.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof tokenQueue>('token-queue-downgrade-frees-the-token', {
    ...tokenQueue,
    downgrade(node, here) {
      tokenQueue.release(node, here)
      tokenQueue.proceed?.(node, here, 'hand over')
      node.inside = 'shared'
    },
  }),
  of: 'token-queue',
  published: null,
  fails: 'exclusion',
  rule: 'A writer that goes on as a reader first leaves, and reads then.',
  failure: 'Between the two the token goes to another writer, which does not know that somebody reads.',
  repair: 'It reads when it serves the line, so the next writer misses its reading as it misses a copy.',
  instance: { nodes: 2, requests: 1, channels: 'unordered', readers: 'some', downgrades: true },
}
