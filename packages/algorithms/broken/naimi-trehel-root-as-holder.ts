import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { naimiTrehel } from '../src/token/naimi-trehel.ts'

const { receive } = naimiTrehel

export const variant: BrokenVariant = {
  algorithm: renamed<typeof naimiTrehel>('naimi-trehel-root-as-holder', {
    ...naimiTrehel,
    receive: {
      ...receive,
      request(node, here, request, from) {
        const isWaitingRoot = node.last === null && node.requesting && node.fence === null
        if (!isWaitingRoot) return receive.request(node, here, request, from)
        here.send(request.origin, { type: 'token', fence: 0 })
        node.last = request.origin
      },
    },
  }),
  of: 'naimi-trehel',
  published: null,
  fails: 'one-token',
  rule:
    'A root that is not inside believes that it holds the idle token, and sends it to any node that asks. The ' +
    'survey (Velazquez 1993, section 4) speaks of no other roots.',
  failure: 'A node is the root as soon as it has asked. It sends a token that it does not have yet.',
  repair: 'A waiting root notes the origin as its NEXT, like a root that is inside.',
  instance: { nodes: 2, requests: 1, channels: 'unordered' },
}
