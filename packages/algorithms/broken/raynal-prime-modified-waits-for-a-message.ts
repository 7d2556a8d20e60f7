import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { raynalPrimeModified } from '../src/permission/raynal-prime-modified.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof raynalPrimeModified>('raynal-prime-modified-waits-for-a-message', {
    ...raynalPrimeModified,
    start() {
      // Nothing makes the first node check whether it has the turn.
    },
  }),
  of: 'raynal-prime-modified',
  published: 'velazquez-1993 §5',
  fails: 'no-deadlock',
  rule: 'A node checks whether it has the turn when a message arrives. The survey has no check at the start.',
  failure:
    'The first node has the turn from the start, without a message. If it does not ask, it never passes the turn ' +
    'on, and all others wait. The modification was meant to remove this very deadlock.',
  repair: 'Check at the start too.',
  instance: { nodes: 2, requests: 1, channels: 'unordered' },
}
