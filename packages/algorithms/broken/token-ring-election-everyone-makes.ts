import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { FENCES_EACH, take, tokenRingElection } from '../src/token/token-ring-election.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof tokenRingElection>('token-ring-election-everyone-makes', {
    ...tokenRingElection,
    suspect(node, here, peer) {
      tokenRingElection.suspect?.(node, here, peer)
      if (node.fence === null) take(node, here, (node.term + 1) * FENCES_EACH)
    },
  }),
  of: 'token-ring-election',
  published: null,
  fails: 'one-token',
  rule: 'A process that hears of a crash and does not have the token makes a new one, elected or not.',
  failure:
    'Two processes hear of the crash, or a third still has the token. Now there are two tokens, and two processes enter.',
  repair: 'Only the elected process makes a token, when its announcement has found none.',
  instance: { nodes: 3, requests: 1, channels: 'unordered', crashes: 1 },
}
