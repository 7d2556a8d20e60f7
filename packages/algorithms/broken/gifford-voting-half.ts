import { assignVotes } from '@turnwise/core/quorum/votes'
import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { type GiffordOptions, giffordVoting } from '../src/quorum/gifford-voting.ts'
import { votingRules } from '../src/quorum/voting.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof giffordVoting>('gifford-voting-half', {
    ...giffordVoting,
    ...votingRules<GiffordOptions>(({ nodes, options }) => {
      const { of } = assignVotes(nodes, options.votes)
      return { of, needed: Math.ceil(of.reduce((sum, votes) => sum + votes, 0) / 2) }
    }),
  }),
  of: 'gifford-voting',
  published: null,
  fails: 'exclusion',
  rule: 'Half of the votes, rounded up, are enough.',
  failure: 'Each of two nodes has two of the four votes. That is half, and both enter.',
  repair: 'Ask for more than half: 2w > V, strictly.',
  instance: { nodes: 2, requests: 1, channels: 'fifo', set: ['votes=2,2'] },
}
