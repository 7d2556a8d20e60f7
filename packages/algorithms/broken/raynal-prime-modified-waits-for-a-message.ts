import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { raynalPrimeModified } from '../src/permission/raynal-prime-modified.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof raynalPrimeModified>('raynal-prime-modified-waits-for-a-message', {
    ...raynalPrimeModified,
    start() {
      // Nothing makes the first node look whether it has the turn.
    },
  }),
  of: 'raynal-prime-modified',
  published: 'velazquez-1993 §5',
  fails: 'no-deadlock',
  rule: 'A node looks whether it is its turn when a message arrives.',
  failure:
    'The first node has the turn from the start, without a message. If it does not ask it never passes the turn on, ' +
    'and everyone else waits: the deadlock that the modification was to remove.',
  repair: 'Look at the start, too.',
  instance: { nodes: 2, requests: 1, channels: 'unordered' },
}
