import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { arbiterRules } from '../src/quorum/arbiter.ts'
import { maekawa } from '../src/quorum/maekawa.ts'

export const variant: BrokenVariant = {
  algorithm: renamed('maekawa-fails-by-queue', { ...maekawa, ...arbiterRules(() => 'queued') }),
  of: 'maekawa',
  published: 'velazquez-1993 §5, read to the letter',
  fails: 'no-deadlock',
  rule: 'An arbiter sends a newcomer a FAIL if a request in its queue is smaller.',
  failure:
    'The granted request is not in the queue. If it is the only smaller one, the newcomer is not told to wait, ' +
    'and nodes keep the grants that others need.',
  repair: 'Compare a newcomer with the granted request too.',
  instance: { nodes: 3, requests: 1, channels: 'fifo' },
}
