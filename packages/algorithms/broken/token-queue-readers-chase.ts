import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { tokenQueue } from '../src/token/token-queue.ts'

const { receive } = tokenQueue

export const variant: BrokenVariant = {
  algorithm: renamed<typeof tokenQueue>('token-queue-readers-chase', {
    ...tokenQueue,
    receive: {
      ...receive,
      request: (node, here, request, from) =>
        receive.request(node, here, { ...request, hops: request.hops && 1 }, from),
    },
  }),
  of: 'token-queue',
  published: null,
  fails: 'no-starvation',
  rule: "Nodes pass a reader's request on without a limit.",
  failure: 'It changes no pointer, so it can come to the same nodes again and again, always after the token.',
  repair: 'After n hops it goes back to its origin, which asks for the token.',
  instance: { nodes: 3, requests: 'any', channels: 'unordered', readers: 'some' },
}
