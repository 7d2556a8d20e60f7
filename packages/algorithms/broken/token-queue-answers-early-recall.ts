import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { tokenQueue } from '../src/token/token-queue.ts'

const { receive } = tokenQueue

export const variant: BrokenVariant = {
  algorithm: renamed<typeof tokenQueue>('token-queue-answers-early-recall', {
    ...tokenQueue,
    receive: {
      ...receive,
      recall(node, here, recall, from) {
        if (node.copy !== null) return receive.recall(node, here, recall, from)
        here.send(recall.writer, { type: 'returned', asks: null })
      },
    },
  }),
  of: 'token-queue',
  published: null,
  fails: 'exclusion',
  rule: 'A node without a copy answers a recall at once: it has nothing to give back.',
  failure:
    'The recall has overtaken the copy. The writer enters on that answer. Then the copy comes, and its reader enters too.',
  repair: 'Note the recall, and answer it when the copy has come and its reader has left.',
  instance: { nodes: 2, requests: 1, channels: 'unordered', readers: 'some' },
}
