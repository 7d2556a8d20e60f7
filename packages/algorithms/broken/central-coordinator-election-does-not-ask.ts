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
  rule: 'The winner of the election grants at once, without waiting to hear who is inside.',
  failure: 'The process that the dead coordinator let in is still inside when the new one lets another in.',
  repair: 'Grant nothing before all living processes have answered the announcement with their state.',
  instance: { nodes: 3, requests: 1, channels: 'fifo', crashes: 1 },
}
