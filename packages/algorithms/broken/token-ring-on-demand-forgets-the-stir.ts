import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { restOrPassOn, tokenRingOnDemand } from '../src/token/token-ring-on-demand.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof tokenRingOnDemand>('token-ring-on-demand-forgets-the-stir', {
    ...tokenRingOnDemand,
    receive: {
      ...tokenRingOnDemand.receive,
      stir(node, here) {
        if (node.fence === null || node.using) return
        node.counted = true
        restOrPassOn(node, here)
      },
    },
  }),
  of: 'token-ring-on-demand',
  published: null,
  fails: 'no-deadlock',
  rule: 'Home sends the token round only if it is stirred while the token rests. A moving token should pass all nodes.',
  failure:
    'The token has passed the node that asks, and no other wants it. It comes home unused after the stir, and ' +
    'rests.',
  repair: 'Remember a stir that came while the token was away, and send the token round once more.',
  instance: { nodes: 3, requests: 1, channels: 'unordered' },
}
