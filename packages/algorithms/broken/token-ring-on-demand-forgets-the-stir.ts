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
  rule: 'A token that is not at rest is on its way to everybody: home sends it round only if it is stirred while it rests.',
  failure:
    'The token has passed the node that asks, and nobody else wants it. It comes home unused after the stir, and rests.',
  repair: 'Remember what stirred the token since it left, and send it round once more for it.',
  instance: { nodes: 3, requests: 1, channels: 'unordered' },
}
