import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { take, tokenRingElection } from '../src/token/token-ring-election.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof tokenRingElection>('token-ring-election-old-token', {
    ...tokenRingElection,
    receive: {
      ...tokenRingElection.receive,
      token(node, here, { term, fence }) {
        node.term = Math.max(node.term, term)
        take(node, here, fence)
      },
    },
  }),
  of: 'token-ring-election',
  published: null,
  fails: 'one-token',
  rule: 'After any crash the processes elect one of them, which makes a new token. All tokens are alike.',
  failure:
    'The process that crashed did not have the token, which was under way between two living ones. Now there are two.',
  repair: 'A token carries a term. A process that the announcement has passed rejects an earlier term.',
  instance: { nodes: 3, requests: 1, channels: 'unordered', crashes: 1 },
}
