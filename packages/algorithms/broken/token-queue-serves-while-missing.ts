import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { tokenQueue } from '../src/token/token-queue.ts'

const { receive } = tokenQueue

export const variant: BrokenVariant = {
  algorithm: renamed<typeof tokenQueue>('token-queue-serves-while-missing', {
    ...tokenQueue,
    receive: {
      ...receive,
      request(node, here, request, from) {
        const { missing } = node
        if (node.fence !== null) node.missing = 0
        receive.request(node, here, request, from)
        if (node.fence !== null) node.missing += missing
      },
    },
  }),
  of: 'token-queue',
  published: null,
  fails: 'exclusion',
  rule: 'The owner serves the head of the line whenever a request comes.',
  failure:
    'The owner itself is at the head, to write, and waits for copies to come back. It enters while a reader is inside.',
  repair: 'Serve nobody while a copy is missing.',
  instance: { nodes: 3, requests: 1, channels: 'unordered', readers: 'some' },
}
