import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { tokenQueue } from '../src/token/token-queue.ts'

const { receive } = tokenQueue

export const variant: BrokenVariant = {
  algorithm: renamed<typeof tokenQueue>('token-queue-forgets-early-recall', {
    ...tokenQueue,
    receive: {
      ...receive,
      recall(node, here, recall, from) {
        if (node.copy !== null) receive.recall(node, here, recall, from)
      },
    },
  }),
  of: 'token-queue',
  published: null,
  fails: 'no-deadlock',
  rule: 'A node without a copy ignores a recall.',
  failure: 'The recall has overtaken the copy. The node keeps the copy, and the writer waits in vain.',
  repair: 'Note the recall, and answer it when the copy has come and its reader has left.',
  instance: { nodes: 2, requests: 1, channels: 'unordered', readers: 'some' },
}
