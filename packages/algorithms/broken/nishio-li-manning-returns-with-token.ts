import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { nishioLiManning } from '../src/token/nishio-li-manning.ts'
import { nishioLiManningDetection } from '../src/token/nishio-li-manning-detection.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof nishioLiManningDetection>('nishio-li-manning-returns-with-token', {
    ...nishioLiManningDetection,
    // As without a detector, where no node makes a token before the failed node is back.
    restart: (node, here, memory) => nishioLiManning.restart?.(node, here, memory),
  }),
  of: 'nishio-li-manning-detection',
  published: null,
  fails: 'one-token',
  rule:
    'A controller keeps its memory when it fails (Velazquez 1993, section 4). When it is back it goes on from ' +
    'there, although the others count it as removed.',
  failure: 'The holder fails, the others make a new token without it, and it comes back with the old one.',
  repair:
    'A node that comes back asks all others, as if it had lost its memory. It accepts no token until they have answered.',
  instance: { nodes: 2, requests: 1, channels: 'unordered', crashes: 1, restarts: 1 },
}
