import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { tokenQueue } from '../src/token/token-queue.ts'

const { receive } = tokenQueue

export const variant: BrokenVariant = {
  algorithm: renamed<typeof tokenQueue>('token-queue-keeps-unwanted-token', {
    ...tokenQueue,
    receive: {
      ...receive,
      token(node, here, token, from) {
        // As if it were about to go, and then does not.
        node.leaving = node.waits === null
        receive.token(node, here, token, from)
        node.leaving = false
      },
    },
  }),
  of: 'token-queue',
  published: null,
  fails: 'no-deadlock',
  rule: 'A node whose caller has given up keeps the token that comes for it until another node asks.',
  failure: 'The nodes in the token have asked already, and wait for ever.',
  repair: 'Serve the line when the token comes, whether the caller still waits or not.',
  instance: { nodes: 2, requests: 2, channels: 'unordered', withdrawals: 1 },
}
