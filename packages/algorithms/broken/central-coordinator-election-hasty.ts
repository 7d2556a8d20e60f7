import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { start, timeout } from '../src/election/bully-rules.ts'
import { centralCoordinatorElection, poll } from '../src/permission/central-coordinator-election.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof centralCoordinatorElection>('central-coordinator-election-hasty', {
    ...centralCoordinatorElection,
    timeout(node, here, timer) {
      if (timer === 'begin') start(node.candidate, poll(node, here))
      else timeout(node.candidate, poll(node, here), timer)
    },
  }),
  of: 'central-coordinator-election',
  published: null,
  fails: 'exclusion',
  rule: 'Who hears no answer in time is coordinator, whatever the failure detector says.',
  failure:
    'A higher process is only slow. There are two coordinators, and who answers both is let in by the one while the ' +
    'other lets in another.',
  repair:
    'Believe the time-out only if the failure detector has named everyone above; otherwise go on waiting.',
  instance: { nodes: 2, requests: 1, channels: 'fifo', set: ['answer=1', 'announcement=1'] },
}
