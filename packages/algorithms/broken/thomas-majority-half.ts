import { assignVotes } from '@turnwise/core/quorum/votes'
import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { thomasMajority } from '../src/quorum/thomas-majority.ts'
import { votingRules } from '../src/quorum/voting.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof thomasMajority>('thomas-majority-half', {
    ...thomasMajority,
    ...votingRules(({ nodes }) => ({ ...assignVotes(nodes, []), needed: Math.floor((nodes + 1) / 2) })),
  }),
  of: 'thomas-majority',
  published: 'velazquez-1993 §5, read as a division of whole numbers',
  fails: 'exclusion',
  rule: 'A majority is (N+1)/2 nodes.',
  failure: 'If N is even, that is one half. The other half is as large, and each half lets a node in.',
  repair: 'Ask floor(N/2) + 1 nodes, which is the same if N is odd.',
  instance: { nodes: 2, requests: 1, channels: 'fifo' },
}
