import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { arbiterRules } from '../src/quorum/arbiter.ts'
import { maekawa } from '../src/quorum/maekawa.ts'

export const variant: BrokenVariant = {
  algorithm: renamed('maekawa-original', { ...maekawa, ...arbiterRules(() => 'newcomer') }),
  of: 'maekawa',
  published: 'velazquez-1993 §5, after Maekawa 1985; the failure in sanders-1987 §5',
  fails: 'no-deadlock',
  rule: 'An arbiter sends a FAIL only to a newcomer that cannot be served next.',
  failure:
    'A request was to be served next, and a smaller one overtakes it. Its node is not told. It keeps the grants ' +
    'it has, and nodes wait for each other in a circle.',
  repair: 'Send a FAIL also to every queued request that a newcomer overtakes.',
  instance: { nodes: 4, requests: 1, channels: 'fifo', quorum: 'grid' },
}
