import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { tokenQueue } from '../src/token/token-queue.ts'

const { receive } = tokenQueue

export const variant: BrokenVariant = {
  algorithm: renamed<typeof tokenQueue>('token-queue-ignores-missing', {
    ...tokenQueue,
    receive: {
      ...receive,
      token: (node, here, token, from) => receive.token(node, here, { ...token, missing: 0 }, from),
    },
  }),
  of: 'token-queue',
  published: null,
  fails: 'exclusion',
  rule: 'A writer enters as soon as the token comes.',
  failure: 'Copies that were recalled for it have not come back, and a reader is still inside.',
  repair: 'The token says how many copies are missing, and the writer waits for all of them.',
  instance: { nodes: 2, requests: 1, channels: 'unordered', readers: 'some' },
}
