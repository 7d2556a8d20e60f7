import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { nishioLiManning } from '../src/token/nishio-li-manning.ts'
import { nishioLiManningDetection } from '../src/token/nishio-li-manning-detection.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof nishioLiManningDetection>('nishio-li-manning-returns-with-token', {
    ...nishioLiManningDetection,
    // As without a detector, where nobody makes a token before the one that failed is back.
    restart: (node, here, memory) => nishioLiManning.restart?.(node, here, memory),
  }),
  of: 'nishio-li-manning-detection',
  published: null,
  fails: 'one-token',
  rule:
    'A controller does not lose what it knows when it fails (Velazquez 1993, section 4), and goes on with it when it is ' +
    'back, although the others count it as removed.',
  failure: 'The holder fails, the others make a new token without it, and it comes back with the old one.',
  repair:
    'Whoever comes back asks all others, as if it had lost its memory, and takes no token until they have told.',
  instance: { nodes: 2, requests: 1, channels: 'unordered', crashes: 1, restarts: 1 },
}
