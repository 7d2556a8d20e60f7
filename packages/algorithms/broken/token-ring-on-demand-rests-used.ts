import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { tokenRingOnDemand } from '../src/token/token-ring-on-demand.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof tokenRingOnDemand>('token-ring-on-demand-rests-used', {
    ...tokenRingOnDemand,
    receive: {
      ...tokenRingOnDemand.receive,
      token(node, here, { fence }) {
        tokenRingOnDemand.receive.token(node, here, { type: 'token', fence, used: false }, here.self)
      },
    },
  }),
  of: 'token-ring-on-demand',
  published: null,
  fails: 'no-deadlock',
  rule: 'Home lets the token rest if no node has stirred it, whether or not it was used on its way.',
  failure: 'A node that used it expects the token once more, asks again without a stir, and waits for ever.',
  repair: 'Send it round once more if it comes home used.',
  instance: { nodes: 2, requests: 2, channels: 'unordered' },
}
