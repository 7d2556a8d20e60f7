import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { tokenQueue } from '../src/token/token-queue.ts'

const { receive } = tokenQueue

export const variant: BrokenVariant = {
  algorithm: renamed<typeof tokenQueue>('token-queue-recall-bends', {
    ...tokenQueue,
    receive: {
      ...receive,
      recall(node, here, recall, from) {
        if (node.where !== null) node.where = recall.writer
        receive.recall(node, here, recall, from)
      },
    },
  }),
  of: 'token-queue',
  published: null,
  fails: 'no-starvation',
  rule: 'A recalled node always points at the writer.',
  failure:
    'The node has just passed a request on, and pointed at its origin. Now it points away from it, and that request may ' +
    'follow the token for ever.',
  repair: 'Change the pointer only if it still points at the owner that recalls.',
  instance: { nodes: 3, requests: 'any', channels: 'unordered', readers: 'some' },
}
