import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { centralCoordinatorElection, serve } from '../src/permission/central-coordinator-election.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof centralCoordinatorElection>('central-coordinator-election-does-not-ask', {
    ...centralCoordinatorElection,
    timeout(node, here, timer) {
      centralCoordinatorElection.timeout?.(node, here, timer)
      if (node.desk === null) return
      node.desk.unheard = []
      serve(node, here)
    },
  }),
  of: 'central-coordinator-election',
  published: null,
  fails: 'exclusion',
  rule: 'Who wins the election grants at once, and does not wait to hear who holds the section.',
  failure: 'Whoever the dead coordinator let in is still inside when the new one lets in itself or another.',
  repair: 'Grant nothing before all who live have answered the announcement with how they stand.',
  instance: { nodes: 3, requests: 1, channels: 'fifo', crashes: 1 },
}
