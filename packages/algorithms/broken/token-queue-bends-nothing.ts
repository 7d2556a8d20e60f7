import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { tokenQueue } from '../src/token/token-queue.ts'

const { receive } = tokenQueue

export const variant: BrokenVariant = {
  algorithm: renamed<typeof tokenQueue>('token-queue-bends-nothing', {
    ...tokenQueue,
    receive: {
      ...receive,
      request(node, here, request, from) {
        const { where } = node
        receive.request(node, here, request, from)
        if (request.mode === 'exclusive' && where !== null) node.where = where
      },
    },
  }),
  of: 'token-queue',
  published: null,
  fails: 'no-starvation',
  rule: "A node that passes a writer's request on does not change its pointer.",
  failure:
    'A request comes to a node that has passed the token on, follows it, and comes again too late: it may chase the token for ever.',
  repair: 'Point at the origin of the request that was passed on.',
  instance: { nodes: 3, requests: 'any', channels: 'unordered', readers: 'some' },
}
