import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { tokenQueue } from '../src/token/token-queue.ts'

const { receive } = tokenQueue

export const variant: BrokenVariant = {
  algorithm: renamed<typeof tokenQueue>('token-queue-absorbed-first', {
    ...tokenQueue,
    receive: {
      ...receive,
      token(node, here, token, from) {
        const places = [...node.queue, ...token.places]
        node.queue = []
        receive.token(node, here, { ...token, places }, from)
      },
    },
  }),
  of: 'token-queue',
  published: null,
  fails: 'no-starvation',
  rule: 'A node that takes the token puts the places that it has absorbed before those in the token.',
  failure:
    'Two nodes send the token to each other, each with the other absorbed. The nodes in the token never come to the head.',
  repair: 'The line in the token comes first.',
  instance: { nodes: 3, requests: 'any', channels: 'unordered' },
}
