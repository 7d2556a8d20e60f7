import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { tokenQueue } from '../src/token/token-queue.ts'

const { receive } = tokenQueue

export const variant: BrokenVariant = {
  algorithm: renamed<typeof tokenQueue>('token-queue-copy-bends', {
    ...tokenQueue,
    receive: {
      ...receive,
      copy(node, here, copy, from) {
        node.bent = false
        receive.copy(node, here, copy, from)
      },
    },
  }),
  of: 'token-queue',
  published: null,
  fails: 'no-starvation',
  rule: 'A node that gets a copy always points at the node that gave it.',
  failure:
    'Since it asked, the node has passed on the request of a writer, and pointed at its origin. Now it points ' +
    'away from it, and that request may follow the token for ever.',
  repair: 'Change the pointer only if no request of a writer was passed on.',
  instance: { nodes: 3, requests: 'any', channels: 'unordered', readers: 'some' },
}
