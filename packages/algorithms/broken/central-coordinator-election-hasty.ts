import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { start, timeout } from '../src/election/bully-rules.ts'
import { centralCoordinatorElection, poll } from '../src/permission/central-coordinator-election.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof centralCoordinatorElection>('central-coordinator-election-hasty', {
    ...centralCoordinatorElection,
    timeout(node, here, timer) {
      if (timer !== 'begin') timeout(node.candidate, poll(node, here), timer)
      // A hasty process may have made it coordinator already.
      else if (node.candidate.coordinator === null) start(node.candidate, poll(node, here))
    },
  }),
  of: 'central-coordinator-election',
  published: null,
  fails: 'fences-rise',
  rule: 'A process that hears no answer in time is coordinator, whatever the failure detector says.',
  failure: 'A higher process is only slow. Two coordinators each let a process in, and the fence falls.',
  repair: 'Believe the time-out only if the failure detector has named every higher process. Else wait.',
  instance: { nodes: 2, requests: 1, channels: 'fifo', set: ['answer=1', 'announcement=1'] },
}
