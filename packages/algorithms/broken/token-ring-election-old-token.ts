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
  published: 'kessler-2024, token ring algorithm',
  fails: 'one-token',
  rule: 'When a process has crashed, one process is elected that makes a new token; tokens are all alike.',
  failure: 'The old token was under way between two living processes, and now there are two.',
  repair: 'Tokens carry a term; whoever the announcement has passed takes none of an earlier one.',
  instance: { nodes: 3, requests: 1, channels: 'unordered', crashes: 1 },
}
