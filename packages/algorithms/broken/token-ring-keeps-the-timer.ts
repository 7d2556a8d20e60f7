import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { enter, tokenRing } from '../src/token/token-ring.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof tokenRing>('token-ring-keeps-the-timer', {
    ...tokenRing,
    request(node, here) {
      node.wants = true
      if (node.fence !== null) enter(node, here)
    },
    // The exit and the timer both pass the token on. The later of the two finds it gone.
    release(node, here) {
      if (node.fence !== null) tokenRing.release(node, here)
      node.using = false
    },
    timeout(node, here, timer) {
      if (node.fence !== null) tokenRing.timeout?.(node, here, timer)
    },
  }),
  of: 'token-ring',
  published: null,
  fails: 'exclusion',
  rule: 'A node that asks while the token rests there enters, and does not stop the timer that passes the token on.',
  failure: 'The token leaves while its holder is inside, and the next node that wants it enters too.',
  repair: 'Stop the timer on entering: a token in use does not rest.',
  instance: { nodes: 2, requests: 1, channels: 'unordered' },
}
