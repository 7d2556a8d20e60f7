import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { neilsenMizuno } from '../src/token/neilsen-mizuno.ts'

const { receive } = neilsenMizuno

export const variant: BrokenVariant = {
  algorithm: renamed<typeof neilsenMizuno>('neilsen-mizuno-idle-sink', {
    ...neilsenMizuno,
    receive: {
      ...receive,
      request(node, here, request, from) {
        if (!node.holding) return receive.request(node, here, request, from)
        node.next = request.origin
        node.last = from
      },
    },
  }),
  of: 'neilsen-mizuno',
  published: 'velazquez-1993 §4',
  fails: 'no-deadlock',
  rule:
    'A sink that receives a request notes its origin as NEXT, and sends the token there when it leaves. The survey has a ' +
    'variable HOLDING, but no rule that reads it.',
  failure: 'A sink with an idle token never leaves. The token stays, and the origin waits for ever.',
  repair: 'A sink that holds the token idle sends it at once.',
  instance: { nodes: 2, requests: 1, channels: 'unordered' },
}
