import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { centralCoordinatorElection, enter } from '../src/permission/central-coordinator-election.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof centralCoordinatorElection>('central-coordinator-election-old-grant', {
    ...centralCoordinatorElection,
    receive: {
      ...centralCoordinatorElection.receive,
      grant: (node, here, { fence }) => {
        if (node.stands === 'waiting') enter(node, here, fence)
      },
    },
  }),
  of: 'central-coordinator-election',
  published: null,
  fails: 'rules',
  rule: 'A waiting process enters on any grant, whichever coordinator sent it.',
  failure:
    'A grant of the crashed coordinator is still under way when the new coordinator queues its receiver. The receiver ' +
    'enters on the old grant. Then the new coordinator lets it in a second time, or lets another in beside it.',
  repair: 'Accept grants only from the coordinator that was answered last.',
  instance: { nodes: 3, requests: 1, channels: 'fifo', crashes: 1 },
}
